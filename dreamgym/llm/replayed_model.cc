#include "dreamgym/llm/replayed_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/llm/internal/recording_lines.h"
#include "dreamgym/llm/internal/request_key.h"

namespace dreamgym {
namespace {

/// Enough of a request to find it in a log: its key and the end of its context.
std::string describe(const GenerationRequest& request, const Tokenizer& tokenizer) {
  constexpr std::size_t kShownTokens = 24;
  const std::size_t shown = std::min(request.context.size(), kShownTokens);
  return fmt::format("request {} ({} context tokens, seed {}, ending in \"{}\")",
                     request_key(request),
                     request.context.size(),
                     request.seed,
                     tokenizer.decode(std::span(request.context).last(shown)));
}

}  // namespace

ReplayedModel::ReplayedModel(const Path& path, std::shared_ptr<const Tokenizer> tokenizer)
    : path_(path), tokenizer_(std::move(tokenizer)) {
  check(tokenizer_ != nullptr, "a replayed model has a tokenizer");
  bool has_header = false;
  for_each_line(path, [&](std::size_t number, std::string_view line) {
    const std::string where = fmt::format("{} line {}", path.string(), number);
    if (!has_header) {
      const RecordingHeader header = read_header(line, where);
      require_vocabulary(header, *tokenizer_, where);
      max_context_tokens_ = header.max_context_tokens;
      version_ = header.version;
      has_header = true;
      return true;
    }
    RecordingLine recorded = read_line(line, where);
    replies_[recorded.key].in_order.push_back(
        {std::move(recorded.reply), std::move(recorded.version)});
    return true;
  });
  if (!has_header) {
    throw Error(ErrorKind::kCorrupt, path.string() + " is empty, expected a model recording");
  }
}

std::vector<GenerationReply> ReplayedModel::generate(std::span<const GenerationRequest> requests) {
  std::vector<GenerationReply> result;
  for (const auto& request : requests) {
    const auto found = replies_.find(request_key(request));
    if (found == replies_.end()) {
      throw Error(
          ErrorKind::kNotFound,
          fmt::format("{} does not hold {}", path_.string(), describe(request, *tokenizer_)),
          "record again with the same configuration and seed");
    }
    Replies& replies = found->second;
    const Recorded& recorded = replies.in_order[replies.next];
    replies.next = std::min(replies.next + 1, replies.in_order.size() - 1);
    version_ = recorded.version;
    result.push_back(recorded.reply);
  }
  return result;
}

void ReplayedModel::release(std::span<const std::uint64_t> /*sessions*/) {}

}  // namespace dreamgym

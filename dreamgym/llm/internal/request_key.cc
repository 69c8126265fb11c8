#include "dreamgym/llm/internal/request_key.h"

#include <algorithm>
#include <bit>

#include "dreamgym/base/text.h"
#include "dreamgym/llm/trie_walk.h"

namespace dreamgym {
namespace {

void append_number(std::string& bytes, std::uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) {
    bytes += static_cast<char>(number >> static_cast<unsigned>(shift) & 0xffU);
  }
}

void append_tokens(std::string& bytes, std::span<const TokenId> tokens) {
  append_number(bytes, tokens.size());
  for (const TokenId token : tokens) {
    append_number(bytes, static_cast<std::uint64_t>(token));
  }
}

// Adds nothing where nothing is asked for, so that keys of plain requests stay what they were.
void append_narrowing(std::string& bytes, const GenerationRequest& request) {
  for (const std::string& text : request.stop_texts) {
    append_number(bytes, text.size());
    bytes += text;
  }
  if (!request.filter.active()) {
    return;
  }
  const SamplingFilter& filter = request.filter;
  append_number(bytes, filter.top_k);
  for (const double value : {filter.top_p, filter.min_p, filter.repetition_penalty}) {
    append_number(bytes, std::bit_cast<std::uint64_t>(value));
  }
  for (const auto& [token, value] : filter.bias) {
    append_number(bytes, static_cast<std::uint64_t>(token));
    append_number(bytes, std::bit_cast<std::uint32_t>(value));
  }
}

}  // namespace

std::string request_key(const GenerationRequest& request) {
  std::string bytes;
  append_tokens(bytes, request.context);
  append_number(bytes, request.max_tokens);
  append_number(bytes, std::bit_cast<std::uint64_t>(request.temperature));
  auto stop = request.stop;
  std::ranges::sort(stop);  // a set: their order means nothing
  append_tokens(bytes, stop);
  append_number(bytes, request.seed);
  append_narrowing(bytes, request);
  if (request.choices) {
    for (const auto& path : all_paths(*request.choices)) {
      append_tokens(bytes, path);
    }
  }
  return to_hex(hash_text(bytes));
}

}  // namespace dreamgym

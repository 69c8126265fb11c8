// A language model that only says what a recording says.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/llm/language_model.h"

namespace dreamgym {

/// Requests are recognised by all that a reply depends on, in any order. Where a request was
/// recorded several times with different replies, they come in their order and the last one stays.
/// Thread safety: as LanguageModel.
class ReplayedModel final : public LanguageModel {
 public:
  /// @throws Error kCorrupt naming the line if the file is no recording with this vocabulary.
  ReplayedModel(const Path& path, std::shared_ptr<const Tokenizer> tokenizer);

  /// @throws Error kNotFound naming the request that was not recorded.
  std::vector<GenerationReply> generate(std::span<const GenerationRequest> requests) override;
  void release(std::span<const std::uint64_t> sessions) override;
  [[nodiscard]] const Tokenizer& tokenizer() const override { return *tokenizer_; }
  [[nodiscard]] std::size_t max_context_tokens() const override { return max_context_tokens_; }
  /// That of the model recorded, as it was at the reply given last.
  [[nodiscard]] std::string version() const override { return version_; }

 private:
  struct Recorded {
    GenerationReply reply;
    std::string version;
  };
  struct Replies {
    std::vector<Recorded> in_order;
    std::size_t next = 0;
  };

  Path path_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::size_t max_context_tokens_ = 0;
  std::string version_;
  std::map<std::string, Replies> replies_;  // by request key
};

}  // namespace dreamgym

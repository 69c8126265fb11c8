// Token ledger: every token of an episode's context, who wrote it and how likely it was.
//
// Sampled text is never encoded again: what the trainer sees are exactly the ids that were sampled,
// in the context they were sampled in, with the allowed sets they were drawn from. Thread safety:
// none.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/llm/tokenizer.h"

namespace dreamgym {

enum class TokenSource : std::uint8_t {
  kPrompt,
  kEnvironment,
  kPolicy,
  kFrame,  ///< fixed words of a turn of the policy: around its thought
};

class TokenLedger {
 public:
  /// Appends tokens the policy only reads.
  void append_read(std::span<const TokenId> tokens, TokenSource source);
  /// Appends sampled tokens with their sampling log-probabilities and, per token, the set it was
  /// drawn from (ascending; empty = whole vocabulary).
  /// @throws LogicError if the lengths differ or a token is not in its allowed set.
  void append_sampled(std::span<const TokenId> tokens,
                      std::span<const float> logprobs,
                      const std::vector<std::vector<TokenId>>& allowed,
                      const std::string& model_version,
                      float temperature);

  [[nodiscard]] const std::vector<TokenId>& tokens() const { return tokens_; }
  [[nodiscard]] std::size_t size() const { return tokens_.size(); }
  [[nodiscard]] TokenSource source(std::size_t i) const { return sources_[i]; }
  /// True where the policy chose the token and had a choice: what a policy-gradient loss may train.
  [[nodiscard]] bool trainable(std::size_t i) const;
  [[nodiscard]] float logprob(std::size_t i) const { return logprobs_[i]; }
  [[nodiscard]] std::span<const TokenId> allowed(std::size_t i) const;
  [[nodiscard]] float temperature(std::size_t i) const { return temperatures_[i]; }
  [[nodiscard]] const std::string& model_version() const { return model_version_; }
  [[nodiscard]] std::size_t num_sampled() const { return num_sampled_; }

  bool operator==(const TokenLedger&) const = default;

 private:
  std::vector<TokenId> tokens_;
  std::vector<TokenSource> sources_;
  std::vector<float> logprobs_;      // 0 where not sampled
  std::vector<float> temperatures_;  // 1 where not sampled
  std::vector<std::uint32_t> allowed_begin_;
  std::vector<std::uint32_t> allowed_end_;
  std::vector<TokenId> allowed_;
  std::string model_version_;
  std::size_t num_sampled_ = 0;
};

}  // namespace dreamgym

#include "dreamgym/llm/token_ledger.h"

#include <algorithm>

#include "dreamgym/base/error.h"

namespace dreamgym {

void TokenLedger::append_read(std::span<const TokenId> tokens, TokenSource source) {
  check(source != TokenSource::kPolicy, "tokens of the policy are appended as sampled ones");
  const auto end = static_cast<std::uint32_t>(allowed_.size());
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  sources_.resize(tokens_.size(), source);
  logprobs_.resize(tokens_.size(), 0.0F);
  temperatures_.resize(tokens_.size(), 1.0F);
  allowed_begin_.resize(tokens_.size(), end);
  allowed_end_.resize(tokens_.size(), end);
}

void TokenLedger::append_sampled(std::span<const TokenId> tokens,
                                 std::span<const float> logprobs,
                                 const std::vector<std::vector<TokenId>>& allowed,
                                 const std::string& model_version,
                                 float temperature) {
  check(logprobs.size() == tokens.size(), "each sampled token has a log-probability");
  check(allowed.size() == tokens.size(), "each sampled token has an allowed set");
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    check(std::ranges::is_sorted(allowed[i]), "an allowed set is in ascending order");
    check(allowed[i].empty() || std::ranges::binary_search(allowed[i], tokens[i]),
          "a sampled token is in its allowed set");
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    tokens_.push_back(tokens[i]);
    sources_.push_back(TokenSource::kPolicy);
    logprobs_.push_back(logprobs[i]);
    temperatures_.push_back(temperature);
    allowed_begin_.push_back(static_cast<std::uint32_t>(allowed_.size()));
    allowed_.insert(allowed_.end(), allowed[i].begin(), allowed[i].end());
    allowed_end_.push_back(static_cast<std::uint32_t>(allowed_.size()));
  }
  num_sampled_ += tokens.size();
  model_version_ = model_version;
}

bool TokenLedger::trainable(std::size_t i) const {
  return sources_[i] == TokenSource::kPolicy && allowed_end_[i] - allowed_begin_[i] != 1;
}

std::span<const TokenId> TokenLedger::allowed(std::size_t i) const {
  return std::span(allowed_).subspan(allowed_begin_[i], allowed_end_[i] - allowed_begin_[i]);
}

}  // namespace dreamgym

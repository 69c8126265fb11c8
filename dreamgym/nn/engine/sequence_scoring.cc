// Decoder::score (decoding.h): a given sequence, chunk by chunk.
#include <algorithm>

#include "dreamgym/nn/engine/decoding.h"

namespace dreamgym::engine {

SequenceScore Decoder::score(std::span<const TokenId> tokens, CachedSequence& sequence) {
  constexpr std::size_t kLogitRows = 32;  // held at once
  SequenceScore score;
  score.logprobs.reserve(tokens.size() - 1);
  const auto vocabulary = static_cast<std::size_t>(config_.vocab_size);
  for (std::size_t begin = 0; begin < tokens.size(); begin += chunk_tokens_) {
    const std::size_t count = std::min(chunk_tokens_, tokens.size() - begin);
    const PassPart part{&sequence, tokens.subspan(begin, count), count};
    pass_->run(std::span(&part, 1));
    for (std::size_t first = 0; first < count; first += kLogitRows) {
      const std::size_t rows = std::min(kLogitRows, count - first);
      const float* logits = pass_->logits(first, rows);
      for (std::size_t i = 0; i < rows; ++i) {
        const std::span row(logits + i * pass_->logits_stride(), vocabulary);
        const std::size_t next = begin + first + i + 1;
        if (next < tokens.size()) {
          check_token(tokens[next], config_);
          score.logprobs.push_back(
              sampler_.logprob(row, static_cast<std::size_t>(tokens[next])));
        } else {
          score.last_logits.assign(row.begin(), row.end());
        }
      }
    }
  }
  return score;
}

}  // namespace dreamgym::engine

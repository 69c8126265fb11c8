#include "dreamgym/llm/training_sequence.h"

namespace dreamgym {

void TokenRun::append(std::span<const TokenId> ids, LossPart part, float weight) {
  tokens.insert(tokens.end(), ids.begin(), ids.end());
  weights.insert(weights.end(), ids.size(), part == LossPart::kNone ? 0.0F : weight);
  parts.insert(parts.end(), ids.size(), part);
}

void TokenRun::append(TokenId id, LossPart part, float weight) {
  append(std::span<const TokenId>(&id, 1), part, weight);
}

std::size_t TrainingSequence::num_tokens() const {
  std::size_t total = trunk.size();
  for (const Branch& branch : branches) {
    total += branch.run.size();
  }
  return total;
}

}  // namespace dreamgym

// The transformer written as plainly as its definition, in double, without a cache.
//
// What the generation engine (and the trainable model) can be tested against. Slow: every token
// looks at every earlier one in every layer, one number at a time.
// Thread safety: reentrant.
#pragma once

#include <span>
#include <vector>

#include "dreamgym/llm/checkpoint/weights.h"
#include "dreamgym/llm/tokenizer.h"

namespace dreamgym::engine {

/// Logits [vocab_size] after each of the tokens, i.e. of the token that follows it.
/// @param tokens  ids below vocab_size.
std::vector<std::vector<double>> reference_logits(const TransformerWeights& weights,
                                                  std::span<const TokenId> tokens);

/// log softmax(logits / temperature)[target].
double reference_logprob(std::span<const double> logits, double temperature, TokenId target);

}  // namespace dreamgym::engine

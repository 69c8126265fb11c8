#include "dreamgym/nn/engine/forward_pass.h"

#include <fmt/format.h>

#include "dreamgym/base/error.h"

namespace dreamgym::engine {

void check_token(TokenId token, const TransformerConfig& config) {
  if (token < 0 || token >= config.vocab_size) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("token {}; the model's vocabulary has {}", token, config.vocab_size),
                "encode with the model's own tokenizer");
  }
}

}  // namespace dreamgym::engine

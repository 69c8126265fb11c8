// A small tokenizer for tests, trained on the texts they use.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dreamgym/llm/bpe_trainer.h"

namespace dreamgym {

inline std::shared_ptr<const BpeTokenizer> test_tokenizer(const std::vector<std::string>& texts) {
  BpeTrainingConfig config;
  config.vocabulary_size = 640;
  config.min_pair_count = 1;
  config.name_rule.min_count = 1;
  return std::make_shared<const BpeTokenizer>(train_bpe(texts, {}, config));
}

}  // namespace dreamgym

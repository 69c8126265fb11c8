#include <string>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/tokenizers/pretrained_tokenizer.h"
#include "tests/fuzz/targets.h"

namespace dreamgym {

void fuzz_tokenizer(std::string_view bytes) {
  try {
    const PretrainedTokenizer tokenizer(vocabulary_from_json(std::string(bytes), "input"));
    const auto ids = tokenizer.encode_with_markers("Hello there <|end|> caf\xc3\xa9 12");
    (void)tokenizer.decode(ids);
  } catch (const Error&) {
  }
}

}  // namespace dreamgym

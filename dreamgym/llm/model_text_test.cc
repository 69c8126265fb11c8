#include "dreamgym/llm/model_text.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/chat/chat_template.h"
#include "tests/language_model_data.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

TEST(ModelText, ReadsAFolderAsPeopleHaveIt) {
  const Path data = language_model_data();
  DREAMGYM_NEEDS_FILE(data);
  const TemporaryFolder folder;
  const auto copy = [&](const char* from, const char* to) {
    std::filesystem::copy_file(data / from, folder.path() / to);
  };
  copy("tokenizer/smollm2_tokenizer.json", "tokenizer.json");
  copy("tokenizer/smollm2_tokenizer_config.json", "tokenizer_config.json");
  copy("tiny/smollm2_tied_bf16/generation_config.json", "generation_config.json");
  const ModelText text = load_model_text(folder.path());
  EXPECT_EQ(text.tokenizer.vocabulary_size(), 49152U);
  EXPECT_EQ(recognise_chat_template(*text.chat_template, "x"), ChatTemplate::kSmolLm2);
  EXPECT_EQ(text.generation.end_tokens, (std::vector<TokenId>{1}));
  // A template file of its own wins.
  copy("chat/templates/qwen3.jinja", "chat_template.jinja");
  EXPECT_EQ(recognise_chat_template(*load_model_text(folder.path()).chat_template, "x"),
            ChatTemplate::kQwen3);
}

TEST(ModelText, ReadsAGgufFile) {
  const Path file = language_model_data() / "gguf/llama3_f32.gguf";
  DREAMGYM_NEEDS_FILE(file);
  const ModelText text = load_model_text(file);
  EXPECT_EQ(text.tokenizer.vocabulary_size(), 256U);
  EXPECT_EQ(text.chat_template, std::nullopt);
  EXPECT_EQ(text.generation.end_tokens, (std::vector<TokenId>{2}));
}

TEST(ModelText, KnowsTheMarkersOfLlama3) {
  const Path folder = fetched_models() / "llama3";
  DREAMGYM_NEEDS_FILE(folder);
  const ModelText text = load_model_text(folder);
  EXPECT_EQ(text.tokenizer.vocabulary_size(), 128256U);
  EXPECT_EQ(text.tokenizer.marker("<|eot_id|>"), 128009);
  EXPECT_EQ(text.tokenizer.marker("<|reserved_special_token_247|>"), 128255);
  EXPECT_EQ(text.tokenizer.encode("Hello, world!"), (std::vector<TokenId>{9906, 11, 1917, 0}));
}

TEST(ModelText, SaysWhatIsMissing) {
  const TemporaryFolder folder;
  try {
    (void)load_model_text(folder.path());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
    EXPECT_NE(std::string(error.what()).find("tokenizer.json"), std::string::npos);
  }
}

}  // namespace
}  // namespace dreamgym

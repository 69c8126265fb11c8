#include "dreamgym/llm/pretrained_model.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/checkpoint/lora.h"
#include "tests/language_model_data.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

TEST(PretrainedModel, LoadsAGgufFileAndAFolderAlike) {
  const Path data = language_model_data();
  DREAMGYM_NEEDS_FILE(data);
  const PretrainedModel gguf = load_pretrained_model(data / "gguf/llama3_f32.gguf");
  EXPECT_EQ(gguf.weights.config.family, "llama");
  EXPECT_EQ(gguf.language.tokenizer->vocabulary_size(), 256U);
  const TransformerWeights folder = load_model_weights(data / "tiny/llama3_untied_f32");
  EXPECT_EQ(folder.arrays, gguf.weights.arrays) << "the same model in two layouts";
  EXPECT_EQ(folder.version, "llama3_untied_f32");
  EXPECT_EQ(load_model_config(data / "tiny/qwen2_tied_bf16").family, "qwen2");
}

TEST(PretrainedModel, AddsAnAdapter) {
  const Path tiny = language_model_data() / "tiny";
  DREAMGYM_NEEDS_FILE(tiny);
  TransformerWeights weights = load_model_weights(tiny / "llama3_untied_f32");
  const TransformerWeights before = weights;
  merge_adapter(tiny / "llama3_untied_f32_lora", weights);
  EXPECT_NE(weights.arrays, before.arrays);
  EXPECT_EQ(weights.version, "llama3_untied_f32+llama3_untied_f32_lora");
}

TEST(PretrainedModel, RefusesATokenizerThatKnowsMoreThanTheModel) {
  const Path data = language_model_data();
  DREAMGYM_NEEDS_FILE(data);
  const TemporaryFolder folder;
  for (const char* name : {"config.json", "model.safetensors"}) {
    std::filesystem::copy_file(data / "tiny/smollm2_tied_bf16" / name, folder.path() / name);
  }
  std::filesystem::copy_file(data / "tokenizer/smollm2_tokenizer.json",
                             folder.path() / "tokenizer.json");
  try {
    (void)load_pretrained_model(folder.path());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
    EXPECT_NE(std::string(error.what()).find("49152"), std::string::npos) << error.what();
  }
}

TEST(PretrainedModel, SaysWhatItLookedFor) {
  for (const char* name : {"nowhere", "nowhere.gguf"}) {
    try {
      (void)load_pretrained_model(name);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
    }
  }
}

TEST(PretrainedModel, NamesTheChatFormatOrAsksForIt) {
  ModelLanguage language;
  EXPECT_THROW((void)chat_template_of(language, "", "x"), Error);
  EXPECT_EQ(chat_template_of(language, "qwen3", "x"), ChatTemplate::kQwen3);
  language.chat_template = "{{ unknown }}";
  EXPECT_THROW((void)chat_template_of(language, "", "x"), Error);
}

TEST(VocabularyToJson, IsReadBackAsItWas) {
  for (const char* name : {"tokenizer/smollm2_tokenizer.json"}) {
    const Path file = language_model_data() / name;
    DREAMGYM_NEEDS_FILE(file);
    const PretrainedVocabulary vocabulary = vocabulary_from_json(read_file(file), name);
    const PretrainedVocabulary again =
        vocabulary_from_json(vocabulary_to_json(vocabulary), "written");
    EXPECT_EQ(again.tokens, vocabulary.tokens);
    EXPECT_EQ(again.merges, vocabulary.merges);
    EXPECT_EQ(again.added, vocabulary.added);
    EXPECT_EQ(again.pre_tokenizer, vocabulary.pre_tokenizer);
    EXPECT_EQ(again.nfc, vocabulary.nfc);
    EXPECT_EQ(again.whole_pieces, vocabulary.whole_pieces);
  }
}

}  // namespace
}  // namespace dreamgym

#include "dreamgym/llm/checkpoint/lora.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "tests/language_model_data.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

Path reference_folder() {
  return language_model_data() / "tiny/llama3_untied_f32_lora";
}

TEST(Lora, MergesIntoTheReferenceWeights) {
  DREAMGYM_NEEDS_FILE(reference_folder());
  const LoraAdapter adapter = load_lora(reference_folder().string());
  EXPECT_EQ(adapter.rank, 4);
  EXPECT_EQ(adapter.scale(), 2.0);
  EXPECT_EQ(adapter.target_modules, (std::vector<std::string>{"q_proj", "v_proj"}));
  TransformerWeights weights =
      load_weights((language_model_data() / "tiny/llama3_untied_f32").string());
  merge_lora(adapter, weights);
  const auto expected = read_json(reference_folder() / "expected.json")["merged_weights"];
  EXPECT_EQ(expected.size(), adapter.pairs.size());
  for (const auto& [name, answer] : expected.items()) {
    const std::vector<float>& values = weights.arrays.at(name).values;
    double squares = 0;
    for (const float value : values) {
      squares += double{value} * value;
    }
    EXPECT_NEAR(std::sqrt(squares), answer["norm"].get<double>(), 1e-5);
    for (std::size_t i = 0; i < answer["head"].size(); ++i) {
      EXPECT_NEAR(values[i], answer["head"][i].get<double>(), 1e-6) << name;
    }
  }
}

TEST(Lora, ComesBackFromWhatItWrites) {
  DREAMGYM_NEEDS_FILE(reference_folder());
  const TemporaryFolder folder;
  LoraAdapter adapter = load_lora(reference_folder().string());
  adapter.rank_stabilized = true;
  adapter.alpha = 2.5;
  save_lora(adapter, folder.path());
  EXPECT_EQ(load_lora(folder.path()), adapter);
  EXPECT_DOUBLE_EQ(adapter.scale(), 1.25);
}

TEST(Lora, RefusesWhatIsNotPlain) {
  DREAMGYM_NEEDS_FILE(reference_folder());
  const TemporaryFolder folder;
  const std::string config = read_file(reference_folder() / "adapter_config.json");
  save_lora(load_lora(reference_folder().string()), folder.path());
  const auto refuses = [&](const std::string& from, const std::string& to) {
    ASSERT_TRUE(contains(config, from));
    write_file(folder.path() / "adapter_config.json", replace_all(config, from, to));
    EXPECT_THROW((void)load_lora(folder.path()), Error) << to;
  };
  refuses("\"use_dora\": false", "\"use_dora\": true");
  refuses("\"bias\": \"none\"", "\"bias\": \"all\"");
  refuses("\"peft_type\": \"LORA\"", "\"peft_type\": \"LOHA\"");
  refuses("\"r\": 4", "\"r\": 5");
  refuses("\"r\": 4", "\"r\": 0");
  refuses("\"rank_pattern\": {}", "\"rank_pattern\": {\"q_proj\": 2}");
}

TEST(Lora, FitsNoOtherModel) {
  DREAMGYM_NEEDS_FILE(reference_folder());
  const LoraAdapter adapter = load_lora(reference_folder().string());
  TransformerWeights weights =
      load_weights((language_model_data() / "tiny/qwen3_tied_f32").string());
  EXPECT_THROW(merge_lora(adapter, weights), Error);
}

}  // namespace
}  // namespace dreamgym

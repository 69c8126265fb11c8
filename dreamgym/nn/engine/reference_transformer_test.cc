#include "dreamgym/nn/engine/reference_transformer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dreamgym/llm/checkpoint/lora.h"
#include "dreamgym/llm/gguf/gguf_model.h"
#include "tests/language_model_data.h"

namespace dreamgym::engine {
namespace {

using Json = nlohmann::json;

constexpr double kTolerance = 1e-4;  // of the reference answers, absolute

/// Holds the last logits and every log-probability of a case against the reference.
double worst_difference(const TransformerWeights& weights, const Json& reference) {
  const auto ids = reference["ids"].get<std::vector<TokenId>>();
  const auto logits = reference_logits(weights, ids);
  double worst = 0;
  const auto first = reference["last_logits_first64"].get<std::vector<double>>();
  for (std::size_t i = 0; i < first.size(); ++i) {
    worst = std::max(worst, std::abs(logits.back()[i] - first[i]));
  }
  const auto logprobs = reference["next_token_logprobs"].get<std::vector<double>>();
  for (std::size_t i = 0; i < logprobs.size(); ++i) {
    worst = std::max(worst, std::abs(reference_logprob(logits[i], 1.0, ids[i + 1]) - logprobs[i]));
  }
  const auto best = std::ranges::max_element(logits.back()) - logits.back().begin();
  EXPECT_EQ(best, reference["last_argmax"].get<std::ptrdiff_t>());
  return worst;
}

/// The worst difference over the cases of a reference file.
double worst_difference(const TransformerWeights& weights, const Path& expected) {
  const Json answers = read_json(expected);
  double worst = 0;
  int num_cases = 0;
  for (const Json& reference : answers["cases"]) {
    worst = std::max(worst, worst_difference(weights, reference));
    ++num_cases;
  }
  EXPECT_GT(num_cases, 0);
  return worst;
}

class ReferenceTransformer : public testing::TestWithParam<const char*> {};

TEST_P(ReferenceTransformer, AgreesWithTheReferenceLogits) {
  const Path folder = language_model_data() / "tiny" / GetParam();
  DREAMGYM_NEEDS_FILE(folder);
  const double worst = worst_difference(load_weights(folder.string()), folder / "expected.json");
  RecordProperty("worst_difference", std::to_string(worst));
  EXPECT_LT(worst, kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Checkpoints,
                         ReferenceTransformer,
                         testing::Values("llama3_untied_f32",
                                         "llama3_tied_bf16",
                                         "qwen2_tied_bf16",
                                         "qwen3_tied_f32",
                                         "smollm2_tied_bf16",
                                         "sharded_untied_f16"));

class ReferenceTransformerOnGguf : public testing::TestWithParam<const char*> {};

TEST_P(ReferenceTransformerOnGguf, AgreesWithTheReferenceLogits) {
  const Path folder = language_model_data() / "gguf";
  DREAMGYM_NEEDS_FILE(folder);
  const std::string name = GetParam();
  const GgufFile file(folder / (name + ".gguf"));
  const double worst = worst_difference(gguf_weights(file), folder / (name + ".expected.json"));
  RecordProperty("worst_difference", std::to_string(worst));
  EXPECT_LT(worst, kTolerance);
}

INSTANTIATE_TEST_SUITE_P(
    Files,
    ReferenceTransformerOnGguf,
    testing::Values("llama3_f32", "llama3_mixed", "qwen2_mixed", "qwen3_q8_0", "smollm2_q4_1"));

TEST(ReferenceTransformerWithLora, AgreesWithTheMergedReference) {
  const Path tiny = language_model_data() / "tiny";
  DREAMGYM_NEEDS_FILE(tiny);
  TransformerWeights weights = load_weights((tiny / "llama3_untied_f32").string());
  merge_lora(load_lora((tiny / "llama3_untied_f32_lora").string()), weights);
  const Json answers = read_json(tiny / "llama3_untied_f32_lora/expected.json");
  const Json& reference = answers["cases"][2];
  const auto logits = reference_logits(weights, reference["ids"].get<std::vector<TokenId>>());
  const auto first = reference["merged_last_logits_first64"].get<std::vector<double>>();
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_NEAR(logits.back()[i], first[i], kTolerance);
  }
}

}  // namespace
}  // namespace dreamgym::engine

// Trainer and engine against other people's answers for small checkpoints (tolerances: README of
// the data).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/checkpoint/lora.h"
#include "dreamgym/llm/gguf/gguf_model.h"
#include "dreamgym/nn/generation_engine.h"
#include "dreamgym/nn/trainable_model.h"
#include "tests/language_model_data.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

constexpr double kLogitTolerance = 1e-4;
constexpr double kLossTolerance = 1e-5;

PackedBatch sequence_batch(std::span<const std::vector<TokenId>> sequences) {
  PackedBatch batch;
  for (const auto& ids : sequences) {
    const auto segment = batch.add_segment(ids);
    for (std::uint32_t i = 1; i < ids.size(); ++i) {
      (void)batch.add_query(segment, i);
    }
  }
  return batch;
}

std::vector<TokenId> ids_of(const Json& answers, std::size_t index) {
  return answers["cases"][index]["ids"].get<std::vector<TokenId>>();
}

/// sum_t w_t nll_t / total
LossGradient weighted_loss(std::vector<double> weights, double total) {
  return [weights = std::move(weights), total](std::size_t, std::span<const TokenScore> scores) {
    std::vector<TokenGradient> gradients(scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double weight = weights.empty() ? 1.0 : weights[i];
      gradients[i].logprob = static_cast<float>(-weight / total);
    }
    return gradients;
  };
}

double weighted_sum(std::span<const TokenScore> scores, const std::vector<double>& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    sum -= (weights.empty() ? 1.0 : weights[i]) * static_cast<double>(scores[i].logprob);
  }
  return sum;
}

double norm(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) {
    sum += double{value} * double{value};
  }
  return std::sqrt(sum);
}

/// The arrays a model trains, under the names of the answers.
std::map<std::string, std::vector<float>> trained_arrays(const TrainableModel& model) {
  std::map<std::string, std::vector<float>> arrays;
  if (const auto adapter = model.adapter()) {
    for (const auto& [name, pair] : adapter->pairs) {
      arrays[lora_array_name(name, 'A')] = pair.a.values;
      arrays[lora_array_name(name, 'B')] = pair.b.values;
    }
    return arrays;
  }
  for (auto& [name, array] : model.weights("now").arrays) {
    arrays[name] = std::move(array.values);
  }
  return arrays;
}

/// What has been accumulated. Adam with a huge epsilon, unit rate and no moments steps by
/// gradient / epsilon: the change times epsilon is the gradient (fp32 weights cost some digits).
class GradientProbe {
 public:
  explicit GradientProbe(TrainableModel& model) : before_(trained_arrays(model)) {
    OptimizerConfig config;
    config.learning_rate = 1.0;
    config.beta1 = 0;
    config.beta2 = 0;
    config.epsilon = kEpsilon;
    config.weight_decay = 0;
    config.max_gradient_norm = 0;
    gradient_norm = model.update(config).gradient_norm;
    after_ = trained_arrays(model);
  }
  [[nodiscard]] std::vector<float> of(const std::string& name) const {
    std::vector<float> gradient(before_.at(name).size());
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      // x = g / (|g| + e) undone: g = x e / (1 - |x|)
      const double x = double{before_.at(name)[i]} - double{after_.at(name)[i]};
      gradient[i] = static_cast<float>(x * kEpsilon / (1.0 - std::abs(x)));
    }
    return gradient;
  }
  double gradient_norm = 0;

 private:
  static constexpr double kEpsilon = 1.0;
  std::map<std::string, std::vector<float>> before_;
  std::map<std::string, std::vector<float>> after_;
};

void expect_gradients(const GradientProbe& probe, const Json& grads) {
  double total = 0;
  for (const auto& [name, expected] : grads.items()) {
    const std::vector<float> gradient = probe.of(name);
    const double size = expected["norm"];
    total += size * size;
    EXPECT_NEAR(norm(gradient), size, 1e-4 * size + 1e-6) << name;
    const auto head = expected["head"].get<std::vector<double>>();
    for (std::size_t i = 0; i < head.size(); ++i) {
      EXPECT_NEAR(gradient[i], head[i], 1e-5 * size + 2e-7) << name << " " << i;
    }
  }
  EXPECT_NEAR(probe.gradient_norm, std::sqrt(total), 2e-5 * std::sqrt(total));
}

void expect_gradient_norms(const GradientProbe& probe, const Json& norms) {
  double total = 0;
  for (const auto& [name, size] : norms.items()) {
    total += size.get<double>() * size.get<double>();
    EXPECT_NEAR(norm(probe.of(name)), size.get<double>(), 1e-4 * size.get<double>() + 1e-6) << name;
  }
  EXPECT_NEAR(probe.gradient_norm, std::sqrt(total), 2e-5 * std::sqrt(total));
}

using MakeModel = std::function<TrainableModel()>;

void expect_backward(const MakeModel& make, const Json& answers, const std::vector<TokenId>& ids) {
  TrainableModel model = make();
  const PackedBatch batch = sequence_batch({{ids}});
  const auto count = static_cast<double>(batch.queries.size());
  const auto scores = model.accumulate(std::span(&batch, 1), weighted_loss({}, count));
  EXPECT_NEAR(
      weighted_sum(scores[0], {}) / count, answers["backward"]["value"].get<double>(), kLossTolerance);
  expect_gradients(GradientProbe(model), answers["backward"]["grads"]);
}

void expect_adamw(const MakeModel& make, const Json& answers, const std::vector<TokenId>& ids) {
  const PackedBatch batch = sequence_batch({{ids}});
  const auto count = static_cast<double>(batch.queries.size());
  for (const Json& run : answers["adamw"]["runs"]) {
    TrainableModel model = make();
    OptimizerConfig config;
    config.learning_rate = run["lr"];
    config.beta1 = run["beta1"];
    config.beta2 = run["beta2"];
    config.epsilon = run["eps"];
    config.weight_decay = run["weight_decay"];
    config.decay_all = true;
    config.max_gradient_norm = run["clip_grad_norm"].is_null() ? 0 : run["clip_grad_norm"].get<double>();
    for (std::size_t step = 0; step < 3; ++step) {
      const auto scores = model.accumulate(std::span(&batch, 1), weighted_loss({}, count));
      const double expected = run["loss_before_step"][step];
      EXPECT_NEAR(weighted_sum(scores[0], {}) / count, expected, step == 0 ? kLossTolerance : 1e-4);
      const double size = run["grad_norm_before_clip"][step];
      EXPECT_NEAR(model.update(config).gradient_norm, size, (step == 0 ? 1e-5 : 2e-4) * size);
    }
    const auto scores = model.score(std::span(&batch, 1));
    EXPECT_NEAR(weighted_sum(scores[0], {}) / count, run["loss_after_3_steps"].get<double>(), 1e-4);
    const auto after = trained_arrays(model);
    for (const auto& [name, size] : run["param_norm_after"].items()) {
      EXPECT_NEAR(norm(after.at(name)), size.get<double>(), 2e-5 * size.get<double>()) << name;
    }
  }
}

class CheckpointParity : public testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static Path folder() { return language_model_data() / "tiny" / GetParam(); }
};

#define DREAMGYM_LOAD_CHECKPOINT()                                      \
  DREAMGYM_NEEDS_FILE(folder());                                        \
  const TransformerWeights weights = load_weights(folder().string());   \
  const Json answers = read_json(folder() / "expected.json")

TEST_P(CheckpointParity, TrainerScoresAsTheReference) {
  DREAMGYM_LOAD_CHECKPOINT();
  const TrainableModel model(weights, 1);
  for (const Json& reference : answers["cases"]) {
    const auto ids = reference["ids"].get<std::vector<TokenId>>();
    const PackedBatch batch = sequence_batch({{ids}});
    const auto expected = reference["next_token_logprobs"].get<std::vector<double>>();
    const auto scores = model.score(std::span(&batch, 1))[0];
    ASSERT_EQ(scores.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(scores[i].logprob, expected[i], kLogitTolerance) << ids.size() << " " << i;
    }
  }
}

TEST_P(CheckpointParity, TrainerHasTheGradientsOfTheReference) {
  DREAMGYM_LOAD_CHECKPOINT();
  const MakeModel make = [&] { return TrainableModel(weights, 1); };
  expect_backward(make, answers, ids_of(answers, 6));

  TrainableModel weighted = make();
  const Json& asked = answers["backward_weighted"];
  const auto token_weights = asked["weights"].get<std::vector<double>>();
  const auto total = static_cast<double>(
      std::ranges::count_if(token_weights, [](double weight) { return weight != 0; }));
  const PackedBatch batch = sequence_batch({{ids_of(answers, 6)}});
  const auto scores =
      weighted.accumulate(std::span(&batch, 1), weighted_loss(token_weights, total));
  EXPECT_NEAR(weighted_sum(scores[0], token_weights) / total,
              asked["value"].get<double>(),
              kLossTolerance);
  expect_gradient_norms(GradientProbe(weighted), asked["grad_norms"]);
}

TEST_P(CheckpointParity, TrainerHasTheGradientsOfTheReferenceForPackedSequences) {
  DREAMGYM_LOAD_CHECKPOINT();
  TrainableModel model(weights, 1);
  const std::vector<std::vector<TokenId>> sequences{ids_of(answers, 6), ids_of(answers, 4)};
  const PackedBatch batch = sequence_batch(sequences);
  const auto count = static_cast<double>(batch.queries.size());
  const auto scores = model.accumulate(std::span(&batch, 1), weighted_loss({}, count));
  EXPECT_NEAR(weighted_sum(scores[0], {}) / count,
              answers["backward_batch"]["value"].get<double>(),
              kLossTolerance);
  expect_gradient_norms(GradientProbe(model), answers["backward_batch"]["grad_norms"]);
}

TEST_P(CheckpointParity, TrainerStepsAsTheReference) {
  DREAMGYM_LOAD_CHECKPOINT();
  expect_adamw([&] { return TrainableModel(weights, 1); }, answers, ids_of(answers, 6));
}

/// Greedy continuations and their log-probabilities; tokens up to the first close call.
void expect_greedy(GenerationEngine& engine, const Json& answers) {
  for (const Json& reference : answers["cases"]) {
    if (!reference.contains("greedy20") || reference["greedy20_min_margin"].get<double>() < 1e-3) {
      continue;
    }
    GenerationRequest request;
    request.context = reference["ids"].get<std::vector<TokenId>>();
    request.max_tokens = 20;
    request.temperature = 0;
    const GenerationReply reply = engine.generate(std::span(&request, 1)).front();
    EXPECT_EQ(reply.tokens, reference["greedy20"].get<std::vector<TokenId>>());
    if (!reference.contains("greedy20_logprobs")) {
      continue;  // the answers of GGUF files have none
    }
    const auto logprobs = reference["greedy20_logprobs"].get<std::vector<double>>();
    for (std::size_t i = 0; i < logprobs.size(); ++i) {
      EXPECT_NEAR(reply.logprobs[i], logprobs[i], kLogitTolerance);
    }
  }
}

TEST_P(CheckpointParity, EngineContinuesAsTheReference) {
  DREAMGYM_LOAD_CHECKPOINT();
  for (const char* kernels : {"", "avx2", "plain"}) {
    GenerationEngine engine(weights, nullptr, {.kernels = kernels});
    expect_greedy(engine, answers);
  }
  GenerationEngine by_torch(weights, nullptr, {.device = "torch:cpu"});
  expect_greedy(by_torch, answers);
}

/// Last logits and every log-probability of given sequences.
void expect_scores(GenerationEngine& engine, const Json& answers) {
  for (const Json& reference : answers["cases"]) {
    const auto ids = reference["ids"].get<std::vector<TokenId>>();
    const SequenceScore score = engine.score(ids);
    const auto first = reference["last_logits_first64"].get<std::vector<double>>();
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_NEAR(score.last_logits[i], first[i], kLogitTolerance);
    }
    const auto logprobs = reference["next_token_logprobs"].get<std::vector<double>>();
    ASSERT_EQ(score.logprobs.size(), logprobs.size());
    for (std::size_t i = 0; i < logprobs.size(); ++i) {
      EXPECT_NEAR(score.logprobs[i], logprobs[i], kLogitTolerance) << ids.size() << " " << i;
    }
  }
}

TEST_P(CheckpointParity, EngineScoresAsTheReference) {
  DREAMGYM_LOAD_CHECKPOINT();
  for (const char* device : {"", "torch:cpu"}) {
    GenerationEngine engine(weights, nullptr, {.prefill_chunk_tokens = 48, .device = device});
    expect_scores(engine, answers);
  }
}

struct FormatTolerance {
  const char* checkpoint;
  const char* weights;
  const char* cache;
  double logprob;
};

class NarrowFormat : public testing::TestWithParam<FormatTolerance> {};

TEST_P(NarrowFormat, ScoresNearTheReference) {
  const Path folder = language_model_data() / "tiny" / GetParam().checkpoint;
  DREAMGYM_NEEDS_FILE(folder);
  const TransformerWeights weights = load_weights(folder.string());
  const Json answers = read_json(folder / "expected.json");
  for (const char* kernels : {"", "avx2", "plain"}) {
    GenerationEngine engine(
        weights,
        nullptr,
        {.weights = GetParam().weights, .cache = GetParam().cache, .kernels = kernels});
    double worst = 0;
    for (const Json& reference : answers["cases"]) {
      const auto score = engine.score(reference["ids"].get<std::vector<TokenId>>());
      const auto expected = reference["next_token_logprobs"].get<std::vector<double>>();
      for (std::size_t i = 0; i < expected.size(); ++i) {
        worst = std::max(worst, std::abs(score.logprobs[i] - expected[i]));
      }
    }
    EXPECT_LT(worst, GetParam().logprob) << kernels;
    EXPECT_GT(worst, 0) << kernels;
  }
}

// A checkpoint stored in bf16 loses nothing in bf16 weights. These small random models are harsher
// on rounding than trained ones: their logits reach 20.
INSTANTIATE_TEST_SUITE_P(
    Formats,
    NarrowFormat,
    testing::Values(FormatTolerance{"qwen2_tied_bf16", "bf16", "fp32", 1e-3},
                    FormatTolerance{"smollm2_tied_bf16", "bf16", "fp32", 1e-3},
                    FormatTolerance{"smollm2_tied_bf16", "bf16", "bf16", 0.1},
                    FormatTolerance{"smollm2_tied_bf16", "bf16", "int16", 3e-3},
                    FormatTolerance{"qwen3_tied_f32", "fp32", "int16", 3e-3},
                    FormatTolerance{"qwen3_tied_f32", "bf16", "bf16", 0.2},
                    FormatTolerance{"smollm2_tied_bf16", "int8", "fp32", 0.3}));

TEST(EngineFormats, RefusesWhatItDoesNotKnow) {
  TransformerConfig config = transformer_preset("nano-s");
  config.vocab_size = 16;
  const TransformerWeights weights = initial_weights(config, 1);
  EXPECT_THROW(GenerationEngine(weights, nullptr, {.weights = "fp8"}), Error);
  EXPECT_THROW(GenerationEngine(weights, nullptr, {.cache = "int8"}), Error);
}

INSTANTIATE_TEST_SUITE_P(Checkpoints,
                         CheckpointParity,
                         testing::Values("llama3_untied_f32",
                                         "llama3_tied_bf16",
                                         "qwen2_tied_bf16",
                                         "qwen3_tied_f32",
                                         "smollm2_tied_bf16",
                                         "sharded_untied_f16"));

class GgufParity : public testing::TestWithParam<const char*> {};

TEST_P(GgufParity, EngineScoresAndContinuesAsTheReference) {
  const Path folder = language_model_data() / "gguf";
  DREAMGYM_NEEDS_FILE(folder);
  const std::string name = GetParam();
  GenerationEngine engine(gguf_weights(GgufFile(folder / (name + ".gguf"))), nullptr, {});
  const Json answers = read_json(folder / (name + ".expected.json"));
  expect_greedy(engine, answers);
  expect_scores(engine, answers);
}

INSTANTIATE_TEST_SUITE_P(
    Files,
    GgufParity,
    testing::Values("llama3_f32", "llama3_mixed", "qwen2_mixed", "qwen3_q8_0", "smollm2_q4_1"));

class AdapterParity : public testing::Test {
 protected:
  void SetUp() override {
    tiny_ = language_model_data() / "tiny";
    DREAMGYM_NEEDS_FILE(tiny_);
    weights_ = load_weights((tiny_ / "llama3_untied_f32").string());
    adapter_ = load_lora((tiny_ / "llama3_untied_f32_lora").string());
    answers_ = read_json(tiny_ / "llama3_untied_f32_lora/expected.json");
    ids_ = ids_of(answers_, 6);
  }
  [[nodiscard]] TrainableModel model() const { return {weights_, adapter_, 1}; }

  Path tiny_;
  TransformerWeights weights_;
  LoraAdapter adapter_;
  Json answers_;
  std::vector<TokenId> ids_;
};

TEST_F(AdapterParity, HasTheGradientsOfTheReference) {
  expect_backward([&] { return model(); }, answers_, ids_);
}

TEST_F(AdapterParity, StepsAsTheReference) {
  expect_adamw([&] { return model(); }, answers_, ids_);
}

TEST_F(AdapterParity, ScoresTheSameMergedAndUnmerged) {
  const TrainableModel unmerged = model();
  const TrainableModel merged(unmerged.weights("merged"), 1);
  const TrainableModel plain(weights_, 1);
  const PackedBatch batch = sequence_batch({{ids_}});
  const auto mine = unmerged.score(std::span(&batch, 1))[0];
  const auto theirs = merged.score(std::span(&batch, 1))[0];
  LoraAdapter nothing = adapter_;
  for (auto& [name, pair] : nothing.pairs) {
    std::ranges::fill(pair.b.values, 0.0F);
  }
  const auto frozen = unmerged.score_under(nothing, std::span(&batch, 1))[0];
  const auto base = plain.score(std::span(&batch, 1))[0];
  double changed = 0;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    EXPECT_NEAR(mine[i].logprob, theirs[i].logprob, kLogitTolerance);
    EXPECT_EQ(frozen[i].logprob, base[i].logprob) << "the reference is the model it started from";
    changed = std::max(changed, std::abs(double{mine[i].logprob} - double{base[i].logprob}));
  }
  EXPECT_GT(changed, 0.01);
}

}  // namespace
}  // namespace dreamgym

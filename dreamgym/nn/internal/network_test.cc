#include "dreamgym/nn/internal/network.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/nn/internal/matrix_product.h"
#include "dreamgym/nn/internal/reference_transformer.h"

namespace dreamgym::internal {
namespace {

// Odd sizes reach every loop's tail; the second shape reaches every vector loop.
TransformerConfig odd_config() {
  TransformerConfig config;
  config.vocab_size = 19;
  config.hidden_size = 12;
  config.num_layers = 2;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  config.head_dim = 6;
  config.intermediate_size = 10;
  config.max_position = 64;
  return config;
}

TransformerConfig vector_config() {
  TransformerConfig config = odd_config();
  config.vocab_size = 37;
  config.hidden_size = 32;
  config.num_heads = 2;
  config.num_kv_heads = 1;
  config.head_dim = 32;
  config.intermediate_size = 48;
  config.tied_embeddings = false;
  config.num_layers = 1;
  return config;
}

TransformerConfig plain_config() {  // a Llama: no convolution
  TransformerConfig config = odd_config();
  config.family = "llama";
  config.convolution_taps = 0;
  config.num_kv_heads = 4;
  config.tied_embeddings = false;
  return config;
}

TransformerConfig qwen2_config() {  // biases, no convolution, stretched positions
  TransformerConfig config = odd_config();
  config.family = "qwen2";
  config.convolution_taps = 0;
  config.qkv_bias = true;
  config.rope_scaling = {.kind = RopeScaling::Kind::kLinear, .factor = 3.0};
  return config;
}

TransformerConfig qwen3_config() {  // heads that are wider than the hidden size, normalised
  TransformerConfig config = odd_config();
  config.family = "qwen3";
  config.convolution_taps = 0;
  config.head_dim = 16;
  config.qk_norm = true;
  config.rope_scaling = {.kind = RopeScaling::Kind::kLlama3,
                         .factor = 8.0,
                         .low_frequency_factor = 1.0,
                         .high_frequency_factor = 4.0,
                         .original_max_position = 32};
  return config;
}

// Nothing at its special initial value: taps away from 0, gains away from 1.
TransformerWeights shaken_weights(const TransformerConfig& config, std::uint64_t seed) {
  TransformerWeights weights = initial_weights(config, seed);
  Rng rng(seed + 1);
  for (auto& [name, array] : weights.arrays) {
    for (float& value : array.values) {
      value += static_cast<float>(0.15 * rng.normal());
    }
  }
  return weights;
}

std::vector<TokenId> random_tokens(Rng& rng, std::size_t count, std::int64_t vocab_size) {
  std::vector<TokenId> tokens(count);
  for (TokenId& token : tokens) {
    token = static_cast<TokenId>(rng.below(static_cast<std::uint64_t>(vocab_size)));
  }
  return tokens;
}

void query_all(PackedBatch& batch, std::uint32_t segment) {
  const Segment at = batch.segments[segment];
  for (std::uint32_t i = at.parent == Segment::kNoParent ? 1 : 0; i < at.end - at.begin; ++i) {
    batch.add_query(segment, i, 0.5F + 0.25F * static_cast<float>(i % 4));
  }
}

// Two sequences; the first has a trunk with two branches, one of which is branched again.
PackedBatch forest(const TransformerConfig& config, std::uint64_t seed) {
  Rng rng(seed);
  PackedBatch batch;
  const auto trunk = batch.add_segment(random_tokens(rng, 9, config.vocab_size));
  const auto left = batch.add_segment(random_tokens(rng, 3, config.vocab_size), trunk, 5);
  const auto other = batch.add_segment(random_tokens(rng, 6, config.vocab_size));
  const auto right = batch.add_segment(random_tokens(rng, 2, config.vocab_size), trunk, 9);
  const auto twig = batch.add_segment(random_tokens(rng, 5, config.vocab_size), right, 1);
  for (const auto segment : {left, other, twig}) {
    query_all(batch, segment);
  }
  batch.add_query(trunk, 7);
  const TokenId target = batch.tokens[4];
  batch.add_query(trunk,
                  4,
                  0.7F,
                  std::vector<TokenId>{static_cast<TokenId>((target + 3) % config.vocab_size),
                                       target,
                                       static_cast<TokenId>((target + 1) % config.vocab_size)});
  return batch;
}

struct Model {
  explicit Model(const TransformerWeights& source)
      : config(source.config), layout(parameter_layout(config)), weights(layout.count) {
    std::fill_n(weights.data(), layout.count, 0.0F);
    copy_in(layout, source, weights.data());
  }
  std::vector<TokenScore> score(const PackedBatch& batch) {
    return Network(config, layout, {.base = weights.data()}).forward(batch, workspace, Keep::kNothing);
  }

  SingleThread single;
  TransformerConfig config;
  ParameterLayout layout;
  FloatBuffer weights;
  Workspace workspace;
};

std::vector<TokenGradient> some_gradients(std::size_t count) {
  Rng rng(5);
  std::vector<TokenGradient> gradients(count);
  for (TokenGradient& gradient : gradients) {
    gradient = {static_cast<float>(rng.normal()), static_cast<float>(rng.normal())};
  }
  return gradients;
}

class NetworkOfShape : public testing::TestWithParam<TransformerConfig> {};

INSTANTIATE_TEST_SUITE_P(Shapes,
                         NetworkOfShape,
                         testing::Values(odd_config(),
                                         vector_config(),
                                         plain_config(),
                                         qwen2_config(),
                                         qwen3_config()));

TEST_P(NetworkOfShape, ScoresAForestAsTheReferenceScoresItsLinearSequences) {
  const TransformerWeights weights = shaken_weights(GetParam(), 3);
  const PackedBatch batch = forest(GetParam(), 11);
  const auto expected = ReferenceTransformer(weights).score(batch);
  const auto scores = Model(weights).score(batch);
  ASSERT_EQ(scores.size(), expected.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_NEAR(scores[i].logprob, expected[i].logprob, 1e-5) << "query " << i;
    EXPECT_NEAR(scores[i].entropy, expected[i].entropy, 1e-5) << "query " << i;
  }
}

TEST_P(NetworkOfShape, HasTheGradientsOfFiniteDifferences) {
  const TransformerWeights weights = shaken_weights(GetParam(), 3);
  const PackedBatch batch = forest(GetParam(), 11);
  const auto gradients = some_gradients(batch.queries.size());
  Model model(weights);
  std::vector<float> d_weights(model.layout.count);
  Network network(model.config, model.layout, {.base = model.weights.data()});
  network.forward(batch, model.workspace, Keep::kAll);
  WholeGradients sink({.base = d_weights.data()});
  network.backward(gradients, model.workspace, sink);

  ReferenceTransformer reference(weights);
  const auto loss = [&] {
    double sum = 0;
    const auto scores = reference.score(batch);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      sum += gradients[i].logprob * scores[i].logprob + gradients[i].entropy * scores[i].entropy;
    }
    return sum;
  };
  Rng rng(17);
  for (const Parameter& parameter : model.layout.parameters) {
    for (int draw = 0; draw < 6; ++draw) {
      const std::size_t index = rng.below(parameter.count());
      double& value = reference.parameter(parameter.name, index);
      const double middle = value;
      constexpr double kStep = 1e-5;
      value = middle + kStep;
      const double above = loss();
      value = middle - kStep;
      const double below = loss();
      value = middle;
      const double expected = (above - below) / (2 * kStep);
      EXPECT_NEAR(d_weights[parameter.offset + index], expected, 2e-4 + 1e-4 * std::abs(expected))
          << parameter.name << " " << index;
    }
  }
}

// A low-rank pair on every projection, with nothing at its initial zeros.
LoraAdapter shaken_adapter(const TransformerConfig& config) {
  LoraAdapter adapter;
  adapter.rank = 3;
  adapter.alpha = 2.0;
  adapter.target_modules = {
      "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
  adapter = initial_lora(config, adapter, 8);
  Rng rng(9);
  for (auto& [name, pair] : adapter.pairs) {
    for (float& value : pair.b.values) {
      value = static_cast<float>(0.2 * rng.normal());
    }
  }
  return adapter;
}

// With W' = W + s B A: dB = s dW' A^T and dA = s B^T dW'.
void expect_chain_rule(const LoraAdapter::Pair& pair,
                       std::span<const float> d_weight,
                       const LoraAdapter::Pair& gradient,
                       double scale) {
  const auto rank = static_cast<std::size_t>(pair.a.shape[0]);
  const auto in = static_cast<std::size_t>(pair.a.shape[1]);
  const auto out = static_cast<std::size_t>(pair.b.shape[0]);
  std::vector<double> d_a(rank * in);
  std::vector<double> d_b(out * rank);
  for (std::size_t o = 0; o < out; ++o) {
    for (std::size_t i = 0; i < in; ++i) {
      for (std::size_t k = 0; k < rank; ++k) {
        const double d = scale * double{d_weight[o * in + i]};
        d_b[o * rank + k] += d * double{pair.a.values[k * in + i]};
        d_a[k * in + i] += d * double{pair.b.values[o * rank + k]};
      }
    }
  }
  for (std::size_t i = 0; i < d_a.size(); ++i) {
    ASSERT_NEAR(gradient.a.values[i], d_a[i], 1e-4 + 1e-4 * std::abs(d_a[i]));
  }
  for (std::size_t i = 0; i < d_b.size(); ++i) {
    ASSERT_NEAR(gradient.b.values[i], d_b[i], 1e-4 + 1e-4 * std::abs(d_b[i]));
  }
}

TEST_P(NetworkOfShape, RunsAnAdapterAsTheMergedWeightsAndDifferentiatesIt) {
  const TransformerWeights weights = shaken_weights(GetParam(), 3);
  const LoraAdapter adapter = shaken_adapter(GetParam());
  TransformerWeights merged = weights;
  merge_lora(adapter, merged);
  const PackedBatch batch = forest(GetParam(), 11);
  const auto gradients = some_gradients(batch.queries.size());
  Model frozen(weights);
  Model whole(merged);
  const AdapterLayout layout = adapter_layout(adapter, GetParam());
  FloatBuffer low_rank(layout.flat.count);
  copy_in(adapter, layout, low_rank.data());
  std::vector<float> d_low_rank(layout.flat.count);
  std::vector<float> d_whole(whole.layout.count);
  Network with_adapter(
      frozen.config, frozen.layout, {frozen.weights.data(), &layout, low_rank.data()});
  Network without(whole.config, whole.layout, {.base = whole.weights.data()});
  const auto scores = with_adapter.forward(batch, frozen.workspace, Keep::kAll);
  const auto expected = without.forward(batch, whole.workspace, Keep::kAll);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_NEAR(scores[i].logprob, expected[i].logprob, 2e-5) << "query " << i;
  }
  WholeGradients of_adapter({.low_rank = d_low_rank.data()});
  with_adapter.backward(gradients, frozen.workspace, of_adapter);
  WholeGradients of_all({.base = d_whole.data()});
  without.backward(gradients, whole.workspace, of_all);
  LoraAdapter gradient = adapter;
  copy_out(layout, d_low_rank.data(), gradient);
  std::size_t num_checked = 0;
  for (const Parameter& parameter : whole.layout.parameters) {
    if (const auto pair = adapter.pairs.find(parameter.name); pair != adapter.pairs.end()) {
      expect_chain_rule(pair->second,
                        std::span(d_whole).subspan(parameter.offset, parameter.count()),
                        gradient.pairs.at(parameter.name),
                        adapter.scale());
      ++num_checked;
    }
  }
  EXPECT_EQ(num_checked, adapter.pairs.size());
}

TEST_P(NetworkOfShape, HasTheSameGradientsBitForBitWhenLayersAreComputedAgain) {
  const TransformerWeights weights = shaken_weights(GetParam(), 3);
  Model model(weights);
  std::vector<std::vector<float>> gradients;
  for (const Keep keep : {Keep::kAll, Keep::kInputs, Keep::kInputs, Keep::kAll}) {
    const PackedBatch batch = forest(GetParam(), 11);
    std::vector<float> d_weights(model.layout.count);
    Network network(model.config, model.layout, {.base = model.weights.data()});
    network.forward(batch, model.workspace, keep);
    WholeGradients sink({.base = d_weights.data()});
    network.backward(
        some_gradients(batch.queries.size()), model.workspace, sink);
    gradients.push_back(std::move(d_weights));
    (void)model.score(forest(GetParam(), 12));  // another batch uses the same memory
  }
  EXPECT_EQ(gradients[0], gradients[1]);
  EXPECT_EQ(gradients[0], gradients[2]);
  EXPECT_EQ(gradients[0], gradients[3]);
}

TEST(Network, GivesATokenTheSameScoreWhateverItsNeighboursAre) {
  const TransformerConfig config = odd_config();
  Model model(shaken_weights(config, 3));
  Rng rng(2);
  const auto tokens = random_tokens(rng, 12, config.vocab_size);
  PackedBatch alone;
  query_all(alone, alone.add_segment(tokens));
  const auto expected = model.score(alone);
  PackedBatch crowded;
  crowded.add_segment(random_tokens(rng, 17, config.vocab_size));
  const auto segment = crowded.add_segment(tokens);
  crowded.add_segment(random_tokens(rng, 5, config.vocab_size), segment, 4);
  query_all(crowded, segment);
  const auto scores = model.score(crowded);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_NEAR(scores[i].logprob, expected[i].logprob, 1e-5);
  }
}

TEST(Network, SplitsALongSequenceIntoTilesWithoutChangingIt) {
  TransformerConfig config = odd_config();
  config.max_position = 512;
  const TransformerWeights weights = shaken_weights(config, 3);
  Rng rng(2);
  PackedBatch batch;
  const auto trunk = batch.add_segment(random_tokens(rng, 150, config.vocab_size));
  const auto branch = batch.add_segment(random_tokens(rng, 70, config.vocab_size), trunk, 130);
  query_all(batch, trunk);
  query_all(batch, branch);
  const auto expected = ReferenceTransformer(weights).score(batch);
  const auto scores = Model(weights).score(batch);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_NEAR(scores[i].logprob, expected[i].logprob, 2e-5) << "query " << i;
  }
}

TEST(Network, RefusesASequenceLongerThanItsPositions) {
  const TransformerConfig config = odd_config();
  Model model(initial_weights(config, 1));
  PackedBatch batch;
  query_all(batch, batch.add_segment(std::vector<TokenId>(65, 1)));
  EXPECT_THROW(model.score(batch), Error);
}

TEST(Network, TakesTokensOutsideTheVocabularyForABug) {
  const TransformerConfig config = odd_config();
  Model model(initial_weights(config, 1));
  PackedBatch batch;
  query_all(batch, batch.add_segment(std::vector<TokenId>{1, 19}));
  EXPECT_THROW(model.score(batch), LogicError);
}

TEST(Network, TakesATargetOutsideItsAllowedIdsForABug) {
  const TransformerConfig config = odd_config();
  Model model(initial_weights(config, 1));
  PackedBatch batch;
  const auto segment = batch.add_segment(std::vector<TokenId>{1, 2, 3});
  batch.add_query(segment, 1, 1.0F, std::vector<TokenId>{4, 5});
  EXPECT_THROW(model.score(batch), LogicError);
}

// With and without normalised heads, all kept or computed again.
class MemoryOfNetwork : public testing::TestWithParam<std::tuple<bool, bool>> {};
INSTANTIATE_TEST_SUITE_P(Shapes, MemoryOfNetwork, testing::Combine(testing::Bool(), testing::Bool()));

TEST_P(MemoryOfNetwork, IsForetold) {
  TransformerConfig config = transformer_preset("nano");
  const auto [qk_norm, recompute] = GetParam();
  config.qk_norm = qk_norm;
  config.vocab_size = 64;
  config.num_layers = 4;
  Model model(initial_weights(config, 1));
  Rng rng(2);
  PackedBatch batch;
  for (int sequence = 0; sequence < 10; ++sequence) {
    query_all(batch, batch.add_segment(random_tokens(rng, 100, config.vocab_size)));
  }
  std::vector<float> d_weights(model.layout.count);
  Network network(model.config, model.layout, {.base = model.weights.data()});
  network.forward(batch, model.workspace, recompute ? Keep::kInputs : Keep::kAll);
  WholeGradients sink({.base = d_weights.data()});
  network.backward(
      some_gradients(batch.queries.size()), model.workspace, sink);
  std::size_t bytes =
      model.workspace.bytes() - model.workspace.head.bytes() - model.workspace.attention.bytes();
  for (const FloatBuffer* fixed : {&model.workspace.chunk,
                                   &model.workspace.d_chunk,
                                   &model.workspace.d_gate_up,
                                   &model.workspace.cosine,
                                   &model.workspace.sine}) {
    bytes -= fixed->capacity_bytes();  // of a chunk or a position, not of a token
  }
  const auto foretold = static_cast<double>(activation_bytes_per_token(config, recompute));
  EXPECT_NEAR(static_cast<double>(bytes) / 1000.0, foretold, 0.02 * foretold);
}

}  // namespace
}  // namespace dreamgym::internal

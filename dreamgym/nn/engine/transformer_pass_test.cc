#include "dreamgym/nn/engine/transformer_pass.h"

#include <gtest/gtest.h>

#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/llm/checkpoint/weights.h"

namespace dreamgym::engine {
namespace {

constexpr std::size_t kRows = 32;

// Two layers with convolutions at work, so that a row's output needs the inputs of rows that have none.
TransformerWeights convolving_weights() {
  TransformerConfig config = transformer_preset("nano-s");
  config.vocab_size = 50;
  config.num_layers = 2;
  TransformerWeights weights = initial_weights(config, 5);
  Rng rng(5);
  for (auto& [name, array] : weights.arrays) {
    if (name.find("convolution") != std::string::npos) {
      for (float& value : array.values) {
        value = static_cast<float>(0.3 * rng.normal());
      }
    }
  }
  return weights;
}

class OutputsOfAPass : public testing::Test {
 protected:
  using Rows = std::vector<std::vector<float>>;

  [[nodiscard]] CachedSequence sequence() { return {shape_, pool_}; }

  // The outputs' rows.
  Rows run(std::vector<PassPart> parts) {
    pass_.run(parts);
    std::size_t count = 0;
    for (const PassPart& part : parts) {
      count += part.num_outputs;
    }
    Rows rows;
    for (std::size_t i = 0; i < count; ++i) {
      rows.emplace_back(pass_.output(i), pass_.output(i) + model_.hidden_stride);
    }
    return rows;
  }

  // Every row of a sequence that is read alone and asked about throughout.
  Rows all_of(std::span<const TokenId> tokens) {
    CachedSequence alone = sequence();
    return run({{&alone, tokens, tokens.size()}});
  }

  PackedTransformer model_ = pack_transformer(convolving_weights(), NumberFormat::kFloat32);
  CacheShape shape_{model_.config};
  HostBlockMemory memory_{shape_.block_floats};
  BlockPool pool_{memory_};
  TransformerPass pass_{model_, select_kernels(""), NumberFormat::kFloat32, kRows};
};

TEST_F(OutputsOfAPass, AreTheSameWhereOtherRowsHaveNone) {
  const std::vector<TokenId> one = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
  const std::vector<TokenId> two = {2, 7, 1, 8, 2, 8, 1};
  const Rows of_one = all_of(one);
  const Rows of_two = all_of(two);
  CachedSequence first = sequence();
  CachedSequence second = sequence();
  const std::span<const TokenId> a(one);
  const std::span<const TokenId> b(two);
  const Rows mixed = run({{&first, a.first(5), 0}, {&second, b.first(4), 2}});
  EXPECT_EQ(mixed, (Rows{of_two[2], of_two[3]}));
  EXPECT_EQ(run({{&second, b.subspan(4, 2), 0}, {&first, a.subspan(5, 1), 0}}), Rows{}) << "nothing is asked";
  const Rows last = run({{&first, a.subspan(6), 3}, {&second, b.subspan(6), 1}});
  EXPECT_EQ(last, (Rows{of_one[7], of_one[8], of_one[9], of_two[6]}));
}

}  // namespace
}  // namespace dreamgym::engine

#include "dreamgym/replay/internal/score_kernel.h"

#include <gtest/gtest.h>

#include <vector>

#include "dreamgym/base/rng.h"

namespace dreamgym::replay_internal {
namespace {

TEST(ScoreKernel, EveryVariantOfThisMachineGivesTheDotProducts) {
  Rng rng(3);
  for (const std::size_t dimension : {1U, 5U, 64U}) {
    for (std::size_t num_blocks = 1; num_blocks <= 5; ++num_blocks) {
      std::vector<float> queries(kQueryBlock * dimension);
      std::vector<Lanes> rows(num_blocks * dimension);
      for (float& x : queries) {
        x = static_cast<float>(rng.below(9)) - 4.0F;
      }
      for (auto& row : rows) {
        for (float& x : row.value) {
          x = static_cast<float>(rng.below(9)) - 4.0F;
        }
      }
      for (const ScoreKernel kernel : score_kernels()) {
        std::vector<float> scores(kQueryBlock * num_blocks * kLanes, 1e9F);
        kernel(queries.data(), rows.data(), num_blocks, dimension, scores.data());
        for (std::size_t i = 0; i < scores.size(); ++i) {
          const std::size_t q = i / (num_blocks * kLanes);
          const std::size_t row = i % (num_blocks * kLanes);
          float expected = 0;
          for (std::size_t d = 0; d < dimension; ++d) {
            expected +=
                queries[q * dimension + d] * rows[row / kLanes * dimension + d].value[row % kLanes];
          }
          ASSERT_EQ(scores[i], expected);
        }
      }
    }
  }
}

}  // namespace
}  // namespace dreamgym::replay_internal

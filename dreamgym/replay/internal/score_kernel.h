// Dot products of a few queries with many rows, compiled for three kinds of machine.
#pragma once

#include <cstddef>
#include <vector>

namespace dreamgym::replay_internal {

inline constexpr std::size_t kLanes = 16;      ///< rows side by side in one block
inline constexpr std::size_t kQueryBlock = 8;  ///< queries scored together

/// 64 bytes that are aligned so: one dimension of the 16 rows of a block.
struct alignas(64) Lanes {
  float value[kLanes];
};

/// scores[q][block * 16 + lane] = sum over d of queries[q][d] * rows[block][d].value[lane].
/// Every sum runs over d in order, so a score does not depend on the other queries or rows.
///
/// @param queries  [8, dimension]
/// @param rows     [num_blocks, dimension]
/// @param scores   [8, num_blocks * 16]
using ScoreKernel = void (*)(const float* queries,
                             const Lanes* rows,
                             std::size_t num_blocks,
                             std::size_t dimension,
                             float* scores);

/// All that this machine runs, fastest first; not empty.
std::vector<ScoreKernel> score_kernels();

}  // namespace dreamgym::replay_internal

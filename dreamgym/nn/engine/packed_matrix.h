// A matrix of weights in the layout the kernels read, and the numbers it keeps of them.
//
// Thread safety: const members and free functions are reentrant.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dreamgym/nn/kernels/aligned_floats.h"
#include "dreamgym/nn/kernels/kernels.h"

namespace dreamgym::engine {

/// A weight [out, in] as panels of depth `in` (kernels.h).
struct PackedMatrix {
  NumberFormat format = NumberFormat::kFloat32;
  AlignedFloats words;   ///< the panels, whatever their format
  AlignedFloats scales;  ///< a panel's scales for each group of depths (kernels.h), int8 only
  std::size_t num_panels = 0;
  std::size_t depth = 0;
  [[nodiscard]] std::size_t columns() const { return num_panels * kPanelWidth; }
  /// A product with this on its right side; left and out are the caller's to fill in.
  [[nodiscard]] PanelProduct product() const {
    return {.depth = depth,
            .format = format,
            .panels = words.data(),
            .scales = scales.data(),
            .num_panels = num_panels};
  }
};

/// Zeros, to be filled column by column.
PackedMatrix empty_matrix(NumberFormat format, std::size_t num_columns, std::size_t depth);
/// @param values  [depth]
void set_column(PackedMatrix& matrix, std::size_t column, std::span<const float> values);
/// The rows of several weights [out, depth] one after the other.
PackedMatrix pack_rows(NumberFormat format,
                       const std::vector<std::span<const float>>& weights,
                       std::size_t depth);

/// The column of a gate's row where gate and up share panels half and half; up's is kPanelWidth / 2
/// behind it.
constexpr std::size_t gate_column(std::size_t row) {
  constexpr std::size_t kHalf = kPanelWidth / 2;
  return row / kHalf * kPanelWidth + row % kHalf;
}

/// The numbers that set_column() keeps of a row, as fp32. Rounding them again changes nothing: an
/// int8 scale has 17 significant bits, so that 127 of it are exact in fp32.
void round_row(NumberFormat format, std::span<float> row);

}  // namespace dreamgym::engine

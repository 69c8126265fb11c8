// Products with bfloat16 and int8 panels, and attention over bfloat16 and int16 keys and values.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "dreamgym/base/rng.h"
#include "dreamgym/llm/checkpoint/number_type.h"
#include "dreamgym/nn/kernels/aligned_floats.h"
#include "dreamgym/nn/kernels/kernels.h"
#include "dreamgym/nn/kernels/random_floats.h"

namespace dreamgym {
namespace {

// Words of two random bfloat16, or of as many random bits.
AlignedFloats random_words(NumberFormat format, std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  AlignedFloats words(count);
  for (float& word : words) {
    std::uint32_t bits = 0;
    if (format == NumberFormat::kBFloat16) {
      bits = to_bfloat16(static_cast<float>(rng.normal()));
      bits |= static_cast<std::uint32_t>(to_bfloat16(static_cast<float>(rng.normal()))) << 16U;
    } else {
      bits = static_cast<std::uint32_t>(rng.next());
    }
    std::memcpy(&word, &bits, sizeof(bits));
  }
  return words;
}

struct FormatCase {
  FormatCase(NumberFormat format, std::size_t rows, std::size_t depth, std::size_t panels)
      : left(random_floats(rows * (depth + 3), 1)),
        words(random_words(
            format, panels * paired_depth(depth) / numbers_a_word(format) * kPanelWidth, 2)),
        scales(random_floats(panels * num_scale_groups(depth) * kPanelWidth, 4)),
        out(random_floats(rows * panels * kPanelWidth, 3)),
        scratch(product_scratch_floats(depth, rows)),
        task{.left = left.data(),
             .left_stride = depth + 3,
             .num_rows = rows,
             .depth = depth,
             .format = format,
             .panels = words.data(),
             .scales = scales.data(),
             .num_panels = panels,
             .out = out.data(),
             .out_stride = panels * kPanelWidth,
             .scratch = scratch.data()} {
    if (format == NumberFormat::kInt8) {
      for (float& scale : scales) {
        scale /= 256;
      }
    }
    // What stands past the depth is zero.
    const std::size_t share = numbers_a_word(format);
    for (std::size_t panel = 0; panel < panels; ++panel) {
      for (std::size_t k = depth; k < paired_depth(depth); ++k) {
        for (std::size_t lane = 0; lane < kPanelWidth; ++lane) {
          const std::size_t word =
              (panel * paired_depth(depth) / share + k / share) * kPanelWidth + lane;
          const std::size_t bytes = 4 / share;
          const std::size_t place = share == 4 ? byte_of_depth(k) : k % share;
          std::memset(
              reinterpret_cast<char*>(words.data()) + 4 * word + bytes * place, 0, bytes);
        }
      }
    }
  }
  AlignedFloats left;
  AlignedFloats words;
  AlignedFloats scales;
  AlignedFloats out;
  AlignedFloats scratch;
  PanelProduct task;
};

std::vector<std::pair<NumberFormat, std::size_t>> halves_and_positions() {
  std::vector<std::pair<NumberFormat, std::size_t>> cases;
  for (const NumberFormat format : {NumberFormat::kBFloat16, NumberFormat::kInt16}) {
    for (const std::size_t position : {0, 1, 31, 64, 100}) {
      cases.emplace_back(format, position);
    }
  }
  return cases;
}

class FormatOfKernel : public testing::TestWithParam<const Kernels*> {};
INSTANTIATE_TEST_SUITE_P(Kernels,
                         FormatOfKernel,
                         testing::ValuesIn(available_kernels()),
                         [](const auto& each) { return std::string(each.param->name); });

constexpr void (*Kernels::*kProducts[])(const PanelProduct&) = {
    &Kernels::multiply, &Kernels::multiply_add, &Kernels::multiply_swiglu};

TEST_P(FormatOfKernel, MultipliesAsTheReferenceDoes) {
  for (const NumberFormat format : {NumberFormat::kBFloat16, NumberFormat::kInt8}) {
    for (const auto product : kProducts) {
      for (const std::size_t rows : {1, 2, 5, 12, 16, 17, 33, 75}) {
        for (const std::size_t depth : {1, 47, 64, 515}) {
          FormatCase fast(format, rows, depth, 5);
          FormatCase slow(format, rows, depth, 5);
          (GetParam()->*product)(fast.task);
          (kReferenceKernels.*product)(slow.task);
          for (std::size_t i = 0; i < fast.out.size(); ++i) {
            ASSERT_NEAR(fast.out[i], slow.out[i], 5e-3F + 1e-4F * std::abs(slow.out[i]))
                << rows << " x " << depth << ", element " << i;
          }
        }
      }
    }
  }
}

TEST_P(FormatOfKernel, ProductsOfARowDoNotDependOnTheOthers) {
  for (const NumberFormat format : {NumberFormat::kBFloat16, NumberFormat::kInt8}) {
    FormatCase together(format, 77, 515, 3);
    GetParam()->multiply(together.task);
    for (const std::size_t row : {0, 15, 16, 31, 36, 76}) {
      FormatCase alone(format, 77, 515, 3);
      alone.task.left += row * alone.task.left_stride;
      alone.task.num_rows = 1;
      GetParam()->multiply(alone.task);
      const std::size_t width = alone.task.out_stride;
      EXPECT_TRUE(std::equal(alone.out.begin(),
                             alone.out.begin() + static_cast<std::ptrdiff_t>(width),
                             together.out.begin() + static_cast<std::ptrdiff_t>(row * width)));
    }
  }
}

// Activations that are 16-bit integers times a power of two lose nothing, and so do sums of a group.
TEST_P(FormatOfKernel, ProductsOfIntegersAreExact) {
  for (const std::size_t rows : {1, 7, 75}) {
    FormatCase fast(NumberFormat::kInt8, rows, 64, 5);
    Rng rng(7);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t k = 0; k < 64; ++k) {
        const auto number = static_cast<float>(rng.below(65535)) - 32767.0F;
        fast.left[row * fast.task.left_stride + k] = (k % 32 == 5 ? 32767.0F : number) / 1024;
      }
    }
    std::ranges::fill(fast.scales, 1.0F / 128);
    FormatCase slow = fast;
    slow.task.left = slow.left.data();
    slow.task.panels = slow.words.data();
    slow.task.scales = slow.scales.data();
    slow.task.out = slow.out.data();
    GetParam()->multiply(fast.task);
    kReferenceKernels.multiply(slow.task);
    for (std::size_t i = 0; i < fast.out.size(); ++i) {
      ASSERT_NEAR(fast.out[i], slow.out[i], 2e-4F) << rows << " rows, element " << i;
    }
  }
}

TEST(FormatsOfKernels, AreTheSameBitsOnEveryVectorMachine) {
  for (const NumberFormat format : {NumberFormat::kBFloat16, NumberFormat::kInt8}) {
    std::vector<AlignedFloats> results;
    for (const Kernels* kernels : available_kernels()) {
      const bool splits = kernels->name == "amx" && format == NumberFormat::kBFloat16;
      if (kernels->name != "plain" && !splits) {
        FormatCase product(format, 29, 515, 3);
        kernels->multiply(product.task);
        results.push_back(product.out);
      }
    }
    for (const AlignedFloats& result : results) {
      EXPECT_EQ(result, results.front());
    }
  }
}

TEST_P(FormatOfKernel, AttendsOverHalvesAsTheReferenceDoes) {
  for (const auto& [format, first_position] : halves_and_positions()) {
    for (const std::size_t head_dim : {16, 64, 80}) {
      for (const std::size_t num_tokens : {1, 5}) {
        const std::size_t group = 3;
        const std::size_t stride = round_up(head_dim, kPanelWidth);
        const std::size_t num_keys = first_position + num_tokens;
        std::vector<AlignedFloats> blocks;
        std::vector<const float*> starts;
        for (std::size_t begin = 0; begin < num_keys; begin += kPanelWidth) {
          blocks.push_back(
              random_words(format, (head_dim + stride) * kPanelWidth / 2, 5 + begin));
          for (float scale : random_floats(2 * kPanelWidth, 6 + begin)) {
            blocks.back().push_back(std::abs(scale) / 32767 / 65536);  // of int16 only
          }
          starts.push_back(blocks.back().data());
        }
        const AlignedFloats queries = random_floats(num_tokens * group * head_dim, 4);
        AlignedFloats scratch(attention_scratch_floats(num_keys));
        AlignedFloats fast(queries.size());
        AlignedFloats slow(queries.size());
        AttentionTask task{.queries = queries.data(),
                           .query_stride = group * head_dim,
                           .num_tokens = num_tokens,
                           .group = group,
                           .head_dim = head_dim,
                           .scale = 0.3F,
                           .first_position = first_position,
                           .format = format,
                           .blocks = starts.data(),
                           .key_offset = 0,
                           .value_offset = head_dim * kPanelWidth / 2,
                           .scale_offset = (head_dim + stride) * kPanelWidth / 2,
                           .out = fast.data(),
                           .out_stride = group * head_dim,
                           .scratch = scratch.data()};
        GetParam()->attend(task);
        task.out = slow.data();
        kReferenceKernels.attend(task);
        for (std::size_t i = 0; i < fast.size(); ++i) {
          ASSERT_NEAR(fast[i], slow[i], 1e-4F) << first_position << ", element " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace dreamgym

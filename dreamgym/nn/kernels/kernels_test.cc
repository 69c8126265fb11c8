#include "dreamgym/nn/kernels/kernels.h"
#include "dreamgym/nn/kernels/random_floats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/nn/kernels/aligned_floats.h"

namespace dreamgym {
namespace {

void expect_near(const AlignedFloats& got, const AlignedFloats& expected, float tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], expected[i], tolerance + 2e-6F * std::abs(expected[i])) << "element " << i;
  }
}

// A product with its memory.
struct ProductCase {
  ProductCase(std::size_t rows, std::size_t depth, std::size_t panels)
      : left(random_floats(rows * (depth + 3), 1)),
        right(random_floats(panels * depth * kPanelWidth, 2)),
        out(random_floats(rows * panels * kPanelWidth, 3)),
        scratch(product_scratch_floats(depth, rows)),
        task{.left = left.data(),
             .left_stride = depth + 3,
             .num_rows = rows,
             .depth = depth,
             .panels = right.data(),
             .num_panels = panels,
             .out = out.data(),
             .out_stride = panels * kPanelWidth,
             .scratch = scratch.data()} {}
  AlignedFloats left;
  AlignedFloats right;
  AlignedFloats out;
  AlignedFloats scratch;
  PanelProduct task;
};

using ProductKernel = void (*Kernels::*)(const PanelProduct&);
constexpr ProductKernel kProducts[] = {
    &Kernels::multiply, &Kernels::multiply_add, &Kernels::multiply_swiglu};

// Attention of num_tokens new tokens after first_position others, with its memory.
struct AttentionCase {
  AttentionCase(std::size_t num_tokens,
                std::size_t group,
                std::size_t head_dim,
                std::size_t first_position)
      : value_stride(round_up(head_dim, kPanelWidth)),
        num_keys(first_position + num_tokens),
        queries(random_floats(num_tokens * group * head_dim, 4)),
        out(num_tokens * group * head_dim),
        scratch(attention_scratch_floats(num_keys)) {
    for (std::size_t begin = 0; begin < num_keys; begin += kPanelWidth) {
      blocks.push_back(random_floats((head_dim + value_stride) * kPanelWidth, 5 + begin));
      starts.push_back(blocks.back().data());
    }
    task = {.queries = queries.data(),
            .query_stride = group * head_dim,
            .num_tokens = num_tokens,
            .group = group,
            .head_dim = head_dim,
            .scale = 0.3F,
            .first_position = first_position,
            .blocks = starts.data(),
            .key_offset = 0,
            .value_offset = head_dim * kPanelWidth,
            .out = out.data(),
            .out_stride = group * head_dim,
            .scratch = scratch.data()};
  }
  std::size_t value_stride;
  std::size_t num_keys;
  AlignedFloats queries;
  AlignedFloats out;
  AlignedFloats scratch;
  std::vector<AlignedFloats> blocks;
  std::vector<const float*> starts;
  AttentionTask task;
};

class EachKernel : public testing::TestWithParam<const Kernels*> {};
INSTANTIATE_TEST_SUITE_P(Kernels,
                         EachKernel,
                         testing::ValuesIn(available_kernels()),
                         [](const auto& each) { return std::string(each.param->name); });

TEST_P(EachKernel, MultipliesAsTheReferenceDoes) {
  for (const ProductKernel product : kProducts) {
    for (const std::size_t rows : {1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 25, 75}) {
      for (const std::size_t depth : {1, 48, 515}) {
        ProductCase fast(rows, depth, 5);
        ProductCase slow(rows, depth, 5);
        (GetParam()->*product)(fast.task);
        (kReferenceKernels.*product)(slow.task);
        expect_near(fast.out, slow.out, 2e-3F);
      }
    }
  }
}

TEST_P(EachKernel, ProductsOfARowDoNotDependOnTheOthers) {
  for (const ProductKernel product : kProducts) {
    ProductCase together(29, 130, 6);
    ProductCase apart(29, 130, 6);
    (GetParam()->*product)(together.task);
    for (std::size_t row = 0; row < 29; ++row) {
      PanelProduct one = apart.task;
      one.num_rows = 1;
      one.left += row * one.left_stride;
      one.out += row * one.out_stride;
      (GetParam()->*product)(one);
    }
    EXPECT_EQ(together.out, apart.out);
  }
}

// The products are the same numbers, so that an adapter of zeros changes nothing.
TEST_P(EachKernel, GatesAProductAsTheFusedOneDoes) {
  constexpr std::size_t kRows = 5;
  constexpr std::size_t kPanels = 3;
  ProductCase fused(kRows, 70, kPanels);
  ProductCase apart(kRows, 70, kPanels);
  fused.task.out_stride = kPanels * kPanelWidth / 2;
  GetParam()->multiply_swiglu(fused.task);
  GetParam()->multiply(apart.task);
  for (const Kernels* kernels : {GetParam(), &kReferenceKernels}) {
    AlignedFloats gated = fused.out;
    std::fill(gated.begin(), gated.begin() + kRows * kPanels * kPanelWidth / 2, 0.0F);
    kernels->swiglu({.input = apart.out.data(),
                     .input_stride = kPanels * kPanelWidth,
                     .num_rows = kRows,
                     .num_panels = kPanels,
                     .out = gated.data(),
                     .out_stride = kPanels * kPanelWidth / 2});
    expect_near(gated, fused.out, kernels == GetParam() ? 0.0F : 1e-4F);
  }
}

// Five sequences that begin with the same two blocks and go on for 1 to 70 keys of their own.
TEST_P(EachKernel, AttendsOverASharedBeginningAsEachAlone) {
  constexpr std::size_t kSharedKeys = 2 * kPanelWidth;
  for (const std::size_t group : {1, 3, 8}) {
    for (const std::size_t head_dim : {16, 64, 80}) {
      std::vector<AttentionCase> cases;
      for (const std::size_t own : {1, 2, 31, 32, 70}) {
        AttentionCase& one = cases.emplace_back(1, group, head_dim, kSharedKeys + own - 1);
        one.queries = random_floats(group * head_dim, 40 + own);
        for (std::size_t block = 2; block < one.blocks.size(); ++block) {
          one.blocks[block] = random_floats(one.blocks[block].size(), 50 + own + block);
        }
      }
      std::vector<AlignedFloats> together(cases.size(), AlignedFloats(group * head_dim));
      std::vector<AttentionMember> members;
      for (std::size_t i = 0; i < cases.size(); ++i) {
        AttentionCase& one = cases[i];
        for (std::size_t block = 0; block < one.blocks.size(); ++block) {
          one.starts[block] = (block < 2 ? cases[0] : one).blocks[block].data();
        }
        one.task.queries = one.queries.data();
        one.task.out = one.out.data();
        one.task.blocks = one.starts.data();
        one.task.scratch = one.scratch.data();
        GetParam()->attend(one.task);
        members.push_back({one.queries.data(), together[i].data(), one.starts.data(), one.num_keys});
      }
      AttentionTask first = cases.front().task;
      first.scratch = cases.back().scratch.data();
      GetParam()->attend_shared({first, 2, members.data(), members.size()});
      for (std::size_t i = 0; i < cases.size(); ++i) {
        EXPECT_EQ(together[i], cases[i].out) << group << " heads of " << head_dim << ", member " << i;
      }
    }
  }
}

TEST_P(EachKernel, AttendsAsTheReferenceDoes) {
  for (const std::size_t tokens : {1, 2, 9, 40}) {
    for (const std::size_t first_position : {0, 31, 32, 200}) {
      for (const auto& [group, head_dim] : {std::pair{1, 32}, {2, 24}, {3, 64}, {8, 16}}) {
        AttentionCase fast(tokens, group, head_dim, first_position);
        AttentionCase slow(tokens, group, head_dim, first_position);
        GetParam()->attend(fast.task);
        kReferenceKernels.attend(slow.task);
        expect_near(fast.out, slow.out, 2e-5F);
      }
    }
  }
}

TEST_P(EachKernel, AttentionOfATokenDoesNotDependOnWhatIsReadWithIt) {
  AttentionCase together(37, 2, 32, 50);
  AttentionCase apart(37, 2, 32, 50);
  GetParam()->attend(together.task);
  for (std::size_t token = 0; token < 37; ++token) {
    AttentionTask one = apart.task;
    one.num_tokens = 1;
    one.first_position += token;
    one.queries += token * one.query_stride;
    one.out += token * one.out_stride;
    GetParam()->attend(one);
  }
  EXPECT_EQ(together.out, apart.out);
}

TEST_P(EachKernel, NormalizesAndConvolvesAsTheReferenceDoes) {
  const AlignedFloats weight = random_floats(4 * 64, 6);
  const AlignedFloats input = random_floats(10 * 64, 7);
  AlignedFloats fast(10 * 64);
  AlignedFloats slow(10 * 64);
  NormalizeTask norm{input.data(), fast.data(), 10, 64, 64, 1e-5F, weight.data()};
  GetParam()->normalize(norm);
  norm.out = slow.data();
  kReferenceKernels.normalize(norm);
  expect_near(fast, slow, 1e-5F);
  ConvolutionTask convolution{input.data(), fast.data(), 7, 64, 4, weight.data()};
  GetParam()->convolve(convolution);
  convolution.out = slow.data();
  kReferenceKernels.convolve(convolution);
  expect_near(fast, slow, 1e-5F);
}

TEST_P(EachKernel, RotatesAndDotsAsTheReferenceDoes) {
  for (const std::size_t half : {8, 12, 16, 32}) {
    AlignedFloats fast = random_floats(2 * half, 8);
    AlignedFloats slow = fast;
    const AlignedFloats cosines = random_floats(half, 9);
    const AlignedFloats sines = random_floats(half, 10);
    GetParam()->rotate(fast.data(), cosines.data(), sines.data(), half);
    kReferenceKernels.rotate(slow.data(), cosines.data(), sines.data(), half);
    expect_near(fast, slow, 1e-5F);
  }
  const AlignedFloats a = random_floats(96, 11);
  const AlignedFloats b = random_floats(96, 12);
  EXPECT_NEAR(GetParam()->dot(a.data(), b.data(), 96),
              kReferenceKernels.dot(a.data(), b.data(), 96),
              1e-4F);
}

TEST_P(EachKernel, SoftmaxWeightsAreExactToAFewUnitsAndVanishFarBelow) {
  AlignedFloats logits(64);
  for (std::size_t i = 0; i < 64; ++i) {
    logits[i] = -1.37F * static_cast<float>(i);
  }
  logits[63] = -std::numeric_limits<float>::infinity();
  logits[62] = -90.0F;
  AlignedFloats weights(64);
  AlignedFloats blocks(4);
  const SoftmaxSums sums =
      GetParam()->softmax(logits.data(), 64, 1.0F, weights.data(), blocks.data());
  EXPECT_EQ(sums.maximum, 0.0F);
  double total = 0;
  for (std::size_t i = 0; i < 62; ++i) {
    EXPECT_NEAR(weights[i] / std::exp(double{logits[i]}), 1.0, 4e-7) << logits[i];
    total += double{weights[i]};
  }
  EXPECT_EQ(weights[62], 0.0F);
  EXPECT_EQ(weights[63], 0.0F);
  EXPECT_NEAR(sums.total, total, 1e-6);
}

TEST(Kernels, AgreeBitForBitAcrossVectorWidths) {
  if (available_kernels().size() < 3) {
    GTEST_SKIP() << "needs AVX-512";
  }
  const Kernels& wide = *available_kernels()[0];
  const Kernels& narrow = *available_kernels()[1];
  for (const ProductKernel product : kProducts) {
    ProductCase a(17, 300, 3);
    ProductCase b(17, 300, 3);
    (wide.*product)(a.task);
    (narrow.*product)(b.task);
    EXPECT_EQ(a.out, b.out);
  }
  AttentionCase a(19, 2, 48, 77);
  AttentionCase b(19, 2, 48, 77);
  wide.attend(a.task);
  narrow.attend(b.task);
  EXPECT_EQ(a.out, b.out);
}

TEST(Kernels, AreSelectedByName) {
  for (const Kernels* kernels : available_kernels()) {
    EXPECT_EQ(&select_kernels(kernels->name), kernels);
  }
  EXPECT_EQ(&select_kernels("reference"), &kReferenceKernels);
  EXPECT_THROW(select_kernels("sse9"), Error);
}

TEST(Kernels, AreSelectedByTheEnvironmentUnlessNamed) {
  ASSERT_EQ(setenv("DREAMGYM_KERNELS", "plain", 1), 0);
  EXPECT_EQ(&select_kernels(""), &kPlainKernels);
  EXPECT_EQ(&select_kernels("reference"), &kReferenceKernels);
  unsetenv("DREAMGYM_KERNELS");
  EXPECT_EQ(&select_kernels(""), available_kernels().front());
}

}  // namespace
}  // namespace dreamgym

#include "dreamgym/nn/internal/train_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/nn/internal/float_buffer.h"

namespace dreamgym::internal {
namespace {

std::vector<float> random_values(Rng& rng, std::size_t count, double deviation = 1.0) {
  std::vector<float> values(count);
  for (float& value : values) {
    value = static_cast<float>(deviation * rng.normal());
  }
  return values;
}

// Every instruction set this machine has against plain doubles, at lengths with and without tails.
class EachKernelSet : public testing::TestWithParam<std::size_t> {
 protected:
  static constexpr std::size_t kLengths[] = {1, 5, 16, 37, 64};
  const TrainKernels& kernels() const {
    std::size_t count = 0;
    const TrainKernels* const* sets = all_train_kernels(count);
    return *sets[GetParam()];
  }
  Rng rng_{4};
};

std::size_t num_sets() {
  std::size_t count = 0;
  all_train_kernels(count);
  return count;
}

INSTANTIATE_TEST_SUITE_P(Sets, EachKernelSet, testing::Range(std::size_t{0}, num_sets()));

TEST_P(EachKernelSet, MultipliesVectors) {
  for (const std::size_t length : kLengths) {
    const auto a = random_values(rng_, length);
    auto b = random_values(rng_, length);
    double expected = 0;
    for (std::size_t i = 0; i < length; ++i) {
      expected += static_cast<double>(a[i]) * b[i];
    }
    EXPECT_NEAR(kernels().dot(a.data(), b.data(), length), expected, 1e-5);
    const auto before = b;
    kernels().add_scaled(1.5F, a.data(), b.data(), length);
    for (std::size_t i = 0; i < length; ++i) {
      EXPECT_NEAR(b[i], before[i] + 1.5 * a[i], 1e-6);
    }
  }
}

TEST_P(EachKernelSet, SoftensScoresUpToTheValidLengthOnly) {
  for (const std::size_t valid : kLengths) {
    std::vector<float> row = random_values(rng_, 80, 8.0);
    const auto scores = row;
    row[valid] = NAN;  // what lies behind must not matter
    const SoftmaxSum sum = kernels().attention_softmax(row.data(), valid, 80);
    double total = 0;
    for (std::size_t i = 0; i < valid; ++i) {
      total += std::exp(static_cast<double>(scores[i]));
    }
    EXPECT_NEAR(sum.maximum + std::log(sum.sum), std::log(total), 1e-5);
    for (std::size_t i = 0; i < 80; ++i) {
      const double expected = i < valid ? std::exp(static_cast<double>(scores[i])) / total : 0.0;
      EXPECT_NEAR(row[i] / sum.sum, expected, 1e-6) << valid << " " << i;
    }
  }
}

TEST_P(EachKernelSet, DifferentiatesASoftmaxRow) {
  for (const std::size_t valid : kLengths) {
    auto scores = random_values(rng_, 80);
    auto d_p = random_values(rng_, 80);
    const auto old_scores = scores;
    const auto old_d_p = d_p;
    kernels().attention_softmax_backward({.scores = scores.data(),
                                          .d_p = d_p.data(),
                                          .valid = valid,
                                          .length = 80,
                                          .log_sum = 0.75F,
                                          .delta = 0.25F});
    for (std::size_t i = 0; i < 80; ++i) {
      const double p = i < valid ? std::exp(static_cast<double>(old_scores[i]) - 0.75) : 0.0;
      EXPECT_NEAR(scores[i], p, 1e-5 * (1 + p));
      EXPECT_NEAR(d_p[i], p * (old_d_p[i] - 0.25), 1e-5 * (1 + p));
    }
  }
}

TEST_P(EachKernelSet, SumsTheHeadsSoftmaxAndEntropy) {
  for (const std::size_t length : kLengths) {
    auto logits = random_values(rng_, padded(length), 3.0);
    const SoftmaxSum sums = kernels().head_softmax(logits.data(), length, 1.25F);
    double total = 0;
    double mean = 0;
    for (std::size_t i = 0; i < length; ++i) {
      total += std::exp(1.25 * logits[i]);
    }
    for (std::size_t i = 0; i < length; ++i) {
      mean += std::exp(1.25 * logits[i]) / total * 1.25 * logits[i];
    }
    EXPECT_NEAR(sums.maximum + std::log(sums.sum), std::log(total), 1e-5);
    EXPECT_NEAR(std::log(sums.sum) - sums.weighted_sum / sums.sum, std::log(total) - mean, 1e-5);
  }
}

// silu(g) u by central differences in double.
TEST_P(EachKernelSet, HasSwigluAndItsGradient) {
  for (const std::size_t width : kLengths) {
    const auto gate_up = random_values(rng_, 2 * 2 * width, 3.0);
    const auto d_out = random_values(rng_, 2 * width);
    std::vector<float> out(2 * width);
    std::vector<float> again(2 * width);
    std::vector<float> d_gate_up(4 * width);
    kernels().swiglu(2, width, gate_up.data(), out.data());
    kernels().swiglu_backward({.num_rows = 2,
                               .width = width,
                               .gate_up = gate_up.data(),
                               .d_out = d_out.data(),
                               .out = again.data(),
                               .d_gate_up = d_gate_up.data()});
    const auto silu = [](double g) { return g / (1.0 + std::exp(-g)); };
    for (std::size_t i = 0; i < 2 * width; ++i) {
      const std::size_t at = i / width * 2 * width + i % width;
      const double g = gate_up[at];
      const double u = gate_up[at + width];
      EXPECT_NEAR(out[i], silu(g) * u, 1e-5);
      EXPECT_EQ(out[i], again[i]);
      const double slope = (silu(g + 1e-5) - silu(g - 1e-5)) / 2e-5;
      EXPECT_NEAR(d_gate_up[at], d_out[i] * u * slope, 2e-5);
      EXPECT_NEAR(d_gate_up[at + width], d_out[i] * silu(g), 1e-5);
    }
  }
}

TEST_P(EachKernelSet, TurnsPairsAndTurnsThemBack) {
  for (const std::size_t half : kLengths) {
    const auto before = random_values(rng_, 2 * 2 * half + 3);
    auto rows = before;
    std::vector<float> cosine(3 * half);
    std::vector<float> sine(3 * half);
    for (std::size_t i = 0; i < cosine.size(); ++i) {
      cosine[i] = std::cos(static_cast<float>(i));
      sine[i] = std::sin(static_cast<float>(i));
    }
    const std::int32_t position = 2;
    Rotation rotation{.num_rows = 1,
                      .stride = rows.size(),
                      .num_heads = 2,
                      .head_dim = 2 * half,
                      .cosine = cosine.data(),
                      .sine = sine.data(),
                      .position = &position};
    kernels().rotate(rotation, rows.data());
    for (std::size_t i = 0; i < half; ++i) {
      const double c = cosine[2 * half + i];
      const double s = sine[2 * half + i];
      EXPECT_NEAR(rows[i], before[i] * c - before[i + half] * s, 1e-5);
      EXPECT_NEAR(rows[i + half], before[i + half] * c + before[i] * s, 1e-5);
    }
    rotation.direction = -1.0F;
    kernels().rotate(rotation, rows.data());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_NEAR(rows[i], before[i], 1e-5);
    }
  }
}

struct ConvolutionCase {
  NormConvolution shape;
  std::vector<float> gain, taps, x;
  std::vector<std::int32_t> predecessor{5, 0, 1, 1, 3};  // a fork after row 1; 5 = none

  ConvolutionCase(Rng& rng, std::size_t width)
      : gain(random_values(rng, width)),
        taps(random_values(rng, 3 * width)),
        x(random_values(rng, 5 * width)) {
    shape = {.num_rows = 5, .width = width, .num_taps = 3, .epsilon = 1e-5F};
    shape.gain = gain.data();
    shape.taps = taps.data();
    shape.predecessor = predecessor.data();
  }

  // d . out in doubles, with one value replaced.
  [[nodiscard]] double loss(const std::vector<float>& d) const {
    const std::size_t width = shape.width;
    std::vector<double> z(6 * width);
    for (std::size_t t = 0; t < 5; ++t) {
      double squares = 0;
      for (std::size_t i = 0; i < width; ++i) {
        squares += static_cast<double>(x[t * width + i]) * x[t * width + i];
      }
      for (std::size_t i = 0; i < width; ++i) {
        z[t * width + i] =
            x[t * width + i] * gain[i] / std::sqrt(squares / static_cast<double>(width) + 1e-5);
      }
    }
    double sum = 0;
    for (std::size_t t = 0; t < 5; ++t) {
      for (std::size_t i = 0; i < width; ++i) {
        double out = z[t * width + i];
        std::size_t row = t;
        for (std::size_t back = 0; back < 3 && row != 5; ++back) {
          out += static_cast<double>(taps[(2 - back) * width + i]) * z[row * width + i];
          row = static_cast<std::size_t>(predecessor[row]);
        }
        sum += d[t * width + i] * out;
      }
    }
    return sum;
  }
};

TEST_P(EachKernelSet, HasTheConvolvedNormsGradientsOfFiniteDifferences) {
  for (const std::size_t width : {5UL, 32UL, 37UL}) {
    ConvolutionCase at(rng_, width);
    const auto d_out = random_values(rng_, 5 * width);
    std::vector<float> inverse(5);
    std::vector<float> z(6 * width);
    std::vector<float> d_z(6 * width);
    std::vector<float> out(5 * width);
    kernels().norm_convolve(
        at.shape,
        {.x = at.x.data(), .inverse_rms = inverse.data(), .z = z.data(), .out = out.data()});
    double sum = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      sum += static_cast<double>(d_out[i]) * out[i];
    }
    EXPECT_NEAR(sum, at.loss(d_out), 1e-3);

    std::vector<float> d_x(5 * width);
    std::vector<float> d_gain(width);
    std::vector<float> d_taps(3 * width);
    kernels().norm_convolve_backward(at.shape,
                                     {.x = at.x.data(),
                                      .inverse_rms = inverse.data(),
                                      .z = z.data(),
                                      .d_out = d_out.data(),
                                      .d_z = d_z.data(),
                                      .d_x = d_x.data(),
                                      .d_gain = d_gain.data(),
                                      .d_taps = d_taps.data()});
    const auto expect_slopes = [&](std::vector<float>& values, const std::vector<float>& d) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        const float middle = values[i];
        values[i] = middle + 1e-3F;
        const double above = at.loss(d_out);
        const double step_up = static_cast<double>(values[i]) - middle;
        values[i] = middle - 1e-3F;
        const double below = at.loss(d_out);
        const double step_down = static_cast<double>(middle) - values[i];
        values[i] = middle;
        const double slope = (above - below) / (step_up + step_down);
        ASSERT_NEAR(d[i], slope, 2e-3 + 1e-3 * std::abs(slope)) << width << " " << i;
      }
    };
    expect_slopes(at.x, d_x);
    expect_slopes(at.gain, d_gain);
    expect_slopes(at.taps, d_taps);
  }
}

TEST(TrainKernels, ArePickedFromTheSetsOfThisMachine) {
  std::size_t count = 0;
  const TrainKernels* const* sets = all_train_kernels(count);
  EXPECT_EQ(&train_kernels(), sets[count - 1]);
  EXPECT_STREQ(sets[0]->name, "baseline");
}

}  // namespace
}  // namespace dreamgym::internal

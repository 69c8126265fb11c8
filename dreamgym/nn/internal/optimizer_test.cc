#include "dreamgym/nn/internal/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"

namespace dreamgym::internal {
namespace {

TransformerConfig tiny_config() {
  TransformerConfig config;
  config.vocab_size = 7;
  config.hidden_size = 8;
  config.num_layers = 1;
  config.num_heads = 2;
  config.num_kv_heads = 1;
  config.head_dim = 4;
  config.intermediate_size = 12;
  return config;
}

struct Arrays {
  explicit Arrays(std::uint64_t seed) {
    Rng rng(seed);
    weights.resize(layout.count);
    for (const Parameter& parameter : layout.parameters) {
      for (std::size_t i = 0; i < parameter.count(); ++i) {
        weights[parameter.offset + i] = static_cast<float>(rng.normal());
      }
    }
  }
  [[nodiscard]] std::vector<float> gradient(std::uint64_t seed) const {
    return Arrays(seed, 0).weights;
  }

  ParameterLayout layout = parameter_layout(tiny_config());
  std::vector<float> weights;

 private:
  Arrays(std::uint64_t seed, int) : Arrays(seed) {}
};

OptimizerConfig config_of(OptimizerKind kind) {
  OptimizerConfig config;
  config.kind = kind;
  config.learning_rate = 3e-3;
  config.max_gradient_norm = 0;
  return config;
}

using Matrix = std::vector<std::vector<double>>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(a.size(), std::vector<double>(b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      for (std::size_t j = 0; j < b[0].size(); ++j) {
        c[i][j] += a[i][k] * b[k][j];
      }
    }
  }
  return c;
}

Matrix transposed(const Matrix& a) {
  Matrix t(a[0].size(), std::vector<double>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[0].size(); ++j) {
      t[j][i] = a[i][j];
    }
  }
  return t;
}

// Muon's formula word for word, in doubles: X <- 3.4445 X + (-4.7750 A + 2.0315 A A) X, A = X X^T.
Matrix newton_schulz(Matrix x) {
  double norm = 0;
  for (const auto& row : x) {
    for (const double value : row) {
      norm += value * value;
    }
  }
  for (auto& row : x) {
    for (double& value : row) {
      value /= std::sqrt(norm) + 1e-7;
    }
  }
  for (int step = 0; step < 5; ++step) {
    const Matrix a = product(x, transposed(x));
    Matrix b = product(a, a);
    for (std::size_t i = 0; i < b.size(); ++i) {
      for (std::size_t j = 0; j < b.size(); ++j) {
        b[i][j] = 2.0315 * b[i][j] - 4.7750 * a[i][j];
      }
    }
    const Matrix bx = product(b, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < x[0].size(); ++j) {
        x[i][j] = 3.4445 * x[i][j] + bx[i][j];
      }
    }
  }
  return x;
}

TEST(Optimizer, StepsAdamWAsItsPaperSays) {
  Arrays arrays(1);
  Optimizer optimizer(arrays.layout.count);
  const OptimizerConfig config = config_of(OptimizerKind::kAdamW);
  const Parameter& parameter = arrays.layout.parameters[0];
  ASSERT_EQ(parameter.kind, ParameterKind::kEmbedding);
  double weight = arrays.weights[3];
  double first = 0;
  double second = 0;
  for (int t = 1; t <= 3; ++t) {
    const auto gradient = arrays.gradient(static_cast<std::uint64_t>(10 + t));
    optimizer.step(config, 0.5, arrays.layout, arrays.weights.data(), gradient.data());
    const double g = gradient[3];
    first = 0.9 * first + 0.1 * g;
    second = 0.95 * second + 0.05 * g * g;
    const double rate = 0.5 * 3e-3;
    weight -= rate * 0.05 * weight;
    weight -= rate * (first / (1 - std::pow(0.9, t))) /
              (std::sqrt(second / (1 - std::pow(0.95, t))) + 1e-8);
    EXPECT_NEAR(arrays.weights[3], weight, 1e-6);
  }
}

TEST(Optimizer, StepsMuonAsItsFormulaSays) {
  Arrays arrays(1);
  Optimizer optimizer(arrays.layout.count);
  const OptimizerConfig config = config_of(OptimizerKind::kMuon);
  for (const Parameter& parameter : arrays.layout.parameters) {
    if (parameter.kind != ParameterKind::kMatrix) {
      continue;
    }
    Arrays fresh(1);
    Optimizer own(fresh.layout.count);
    Matrix momentum(parameter.rows, std::vector<double>(parameter.columns));
    Matrix weights = momentum;
    for (int t = 0; t < 2; ++t) {
      const auto gradient = fresh.gradient(static_cast<std::uint64_t>(20 + t));
      Matrix direction = momentum;
      for (std::size_t i = 0; i < parameter.rows; ++i) {
        for (std::size_t j = 0; j < parameter.columns; ++j) {
          const std::size_t at = parameter.offset + i * parameter.columns + j;
          if (t == 0) {
            weights[i][j] = fresh.weights[at];
          }
          momentum[i][j] = 0.95 * momentum[i][j] + gradient[at];
          direction[i][j] = gradient[at] + 0.95 * momentum[i][j];
        }
      }
      own.step(config, 1.0, fresh.layout, fresh.weights.data(), gradient.data());
      const Matrix step = newton_schulz(direction);
      const double scale = std::sqrt(std::max(
          1.0, static_cast<double>(parameter.rows) / static_cast<double>(parameter.columns)));
      for (std::size_t i = 0; i < parameter.rows; ++i) {
        for (std::size_t j = 0; j < parameter.columns; ++j) {
          weights[i][j] = weights[i][j] * (1 - 0.02 * 0.05) - 0.02 * scale * step[i][j];
          EXPECT_NEAR(
              fresh.weights[parameter.offset + i * parameter.columns + j], weights[i][j], 2e-6)
              << parameter.name;
        }
      }
    }
  }
}

TEST(Optimizer, LeavesEverythingButHiddenMatricesToAdamW) {
  Arrays muon(1);
  Arrays adamw(1);
  const auto gradient = muon.gradient(9);
  Optimizer(muon.layout.count)
      .step(
          config_of(OptimizerKind::kMuon), 1.0, muon.layout, muon.weights.data(), gradient.data());
  Optimizer(muon.layout.count)
      .step(config_of(OptimizerKind::kAdamW),
            1.0,
            adamw.layout,
            adamw.weights.data(),
            gradient.data());
  for (const Parameter& parameter : muon.layout.parameters) {
    EXPECT_EQ(muon.weights[parameter.offset] == adamw.weights[parameter.offset],
              parameter.kind != ParameterKind::kMatrix)
        << parameter.name;
  }
}

TEST(Optimizer, ChangesNothingAtLearningRateZero) {
  for (const auto kind : {OptimizerKind::kAdamW, OptimizerKind::kMuon}) {
    Arrays arrays(1);
    const auto before = arrays.weights;
    const auto gradient = arrays.gradient(2);
    Optimizer(arrays.layout.count)
        .step(config_of(kind), 0.0, arrays.layout, arrays.weights.data(), gradient.data());
    EXPECT_EQ(arrays.weights, before);
  }
}

TEST(Optimizer, SkipsAGradientThatIsNotFinite) {
  Arrays arrays(1);
  const auto before = arrays.weights;
  auto gradient = arrays.gradient(2);
  gradient[5] = NAN;
  Optimizer optimizer(arrays.layout.count);
  const std::string state = optimizer.state();
  const UpdateResult result = optimizer.step(
      config_of(OptimizerKind::kMuon), 1.0, arrays.layout, arrays.weights.data(), gradient.data());
  EXPECT_TRUE(result.skipped);
  EXPECT_EQ(arrays.weights, before);
  EXPECT_EQ(optimizer.state(), state);
}

TEST(Optimizer, ClipsByTheGlobalNorm) {
  Arrays clipped(1);
  Arrays scaled(1);
  auto gradient = clipped.gradient(2);
  OptimizerConfig config = config_of(OptimizerKind::kAdamW);
  config.epsilon = 1.0;  // so that the size of a gradient matters
  config.max_gradient_norm = 0.5;
  const UpdateResult result =
      Optimizer(clipped.layout.count)
          .step(config, 1.0, clipped.layout, clipped.weights.data(), gradient.data());
  double squares = 0;
  for (const float g : gradient) {
    squares += static_cast<double>(g) * g;
  }
  EXPECT_NEAR(result.gradient_norm, std::sqrt(squares), 1e-4);
  config.max_gradient_norm = 0;
  for (float& g : gradient) {
    g *= static_cast<float>(0.5 / std::sqrt(squares));
  }
  Optimizer(scaled.layout.count)
      .step(config, 1.0, scaled.layout, scaled.weights.data(), gradient.data());
  for (std::size_t i = 0; i < clipped.weights.size(); ++i) {
    EXPECT_NEAR(clipped.weights[i], scaled.weights[i], 1e-6);
  }
}

TEST(Optimizer, RefusesAStateOfAnotherModel) {
  Optimizer optimizer(16);
  EXPECT_THROW(optimizer.set_state(Optimizer(17).state()), Error);
  EXPECT_THROW(optimizer.set_state(""), Error);
  std::string flipped = Optimizer(16).state();
  flipped[0] = 'X';
  EXPECT_THROW(optimizer.set_state(flipped), Error);
}

TEST(Orthogonalize, BringsSingularValuesNearOne) {
  Rng rng(3);
  for (const auto& [rows, columns] : {std::pair{24UL, 9UL}, std::pair{9UL, 24UL}}) {
    std::vector<float> matrix(rows * columns);
    for (float& value : matrix) {
      value = static_cast<float>(rng.normal());
    }
    orthogonalize(rows, columns, matrix.data());
    double squares = 0;
    for (const float value : matrix) {
      squares += static_cast<double>(value) * value;
    }
    EXPECT_NEAR(squares / 9.0, 0.85, 0.25);  // Muon's coefficients aim at [0.7, 1.2]
  }
}

}  // namespace
}  // namespace dreamgym::internal

#include "dreamgym/nn/internal/optimizer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "dreamgym/base/error.h"
#include "dreamgym/base/parallel_map.h"
#include "dreamgym/nn/internal/matrix_product.h"
#include "dreamgym/nn/internal/train_kernels.h"

namespace dreamgym::internal {
namespace {

constexpr double kMuonMomentum = 0.95;
constexpr int kNewtonSchulzSteps = 5;
constexpr char kStateMagic[8] = {'D', 'G', 'O', 'P', 'T', '\0', '\0', '\1'};

struct StateHeader {
  char magic[8];
  std::uint64_t kind;
  std::uint64_t num_steps;
  std::uint64_t count;
};

double sum_of_squares(const float* values, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  }
  return sum;
}

// What one update needs besides the arrays.
struct StepSettings {
  const OptimizerConfig& config;
  double scale = 1;
  double gradient_scale = 1;  // clipping
  std::uint64_t num_steps = 1;
};

bool is_muons(const Parameter& parameter, const OptimizerConfig& config) {
  return config.kind == OptimizerKind::kMuon && parameter.kind == ParameterKind::kMatrix;
}

// The same slice of each of the optimiser's arrays.
struct Slices {
  float* weights;
  const float* gradient;
  float* first;
  float* second;
};

void adamw_step(const StepSettings& settings, const Parameter& parameter, const Slices& at) {
  const OptimizerConfig& config = settings.config;
  const double rate = config.learning_rate * settings.scale;
  const auto t = static_cast<double>(settings.num_steps);
  const bool decays =
      config.decay_all || parameter.kind == ParameterKind::kMatrix || parameter.kind == ParameterKind::kEmbedding;
  train_kernels().adamw(
      {.count = parameter.count(),
       .weights = at.weights,
       .gradient = at.gradient,
       .first = at.first,
       .second = at.second,
       .gradient_scale = static_cast<float>(settings.gradient_scale),
       .beta1 = static_cast<float>(config.beta1),
       .beta2 = static_cast<float>(config.beta2),
       .step_size = static_cast<float>(rate / (1.0 - std::pow(config.beta1, t))),
       .root_scale = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(config.beta2, t))),
       .epsilon = static_cast<float>(config.epsilon),
       .decay = static_cast<float>(1.0 - (decays ? rate * config.weight_decay : 0.0))});
}

void muon_step(const StepSettings& settings, const Parameter& parameter, const Slices& at) {
  const double rate = settings.config.muon_learning_rate * settings.scale;
  const auto momentum = static_cast<float>(kMuonMomentum);
  const auto gradient_scale = static_cast<float>(settings.gradient_scale);
  FloatBuffer buffer(parameter.count());
  float* direction = buffer.data();
  for (std::size_t i = 0; i < parameter.count(); ++i) {
    const float g = at.gradient[i] * gradient_scale;
    at.first[i] = momentum * at.first[i] + g;
    direction[i] = g + momentum * at.first[i];
  }
  orthogonalize(parameter.rows, parameter.columns, direction);
  const double shape_scale = std::sqrt(
      std::max(1.0, static_cast<double>(parameter.rows) / static_cast<double>(parameter.columns)));
  const auto step_size = static_cast<float>(rate * shape_scale);
  const auto decay = static_cast<float>(1.0 - rate * settings.config.weight_decay);
  for (std::size_t i = 0; i < parameter.count(); ++i) {
    at.weights[i] = at.weights[i] * decay - step_size * direction[i];
  }
}

}  // namespace

void orthogonalize(std::size_t rows, std::size_t columns, float* matrix) {
  // Work on the shorter side: X X^T is [short, short] whichever way the matrix is stored.
  const bool tall = rows > columns;
  const std::size_t side = std::min(rows, columns);
  const std::size_t count = rows * columns;
  const auto inverse_norm =
      static_cast<float>(1.0 / (std::sqrt(sum_of_squares(matrix, count)) + 1e-7));
  for (std::size_t i = 0; i < count; ++i) {
    matrix[i] *= inverse_norm;
  }
  FloatBuffer square(side * side);
  FloatBuffer polynomial(side * side);
  FloatBuffer next(count);
  for (int step = 0; step < kNewtonSchulzSteps; ++step) {
    const Factor x{matrix, columns, false};
    const Factor x_transposed{matrix, columns, true};
    multiply({side, side, std::max(rows, columns)},
             tall ? x_transposed : x,
             tall ? x : x_transposed,
             {square.data(), side});
    multiply({side, side, side},
             {square.data(), side},
             {square.data(), side},
             {polynomial.data(), side});
    for (std::size_t i = 0; i < side * side; ++i) {
      polynomial.data()[i] = -4.7750F * square.data()[i] + 2.0315F * polynomial.data()[i];
    }
    for (std::size_t i = 0; i < side; ++i) {
      polynomial.data()[i * side + i] += 3.4445F;
    }
    const Factor p{polynomial.data(), side};
    multiply({rows, columns, side}, tall ? x : p, tall ? p : x, {next.data(), columns});
    std::copy_n(next.data(), count, matrix);
  }
}

Optimizer::Optimizer(std::size_t count) : count_(count) {}

void Optimizer::forget() {
  std::fill_n(first_.ensure(count_), count_, 0.0F);
  std::fill_n(second_.ensure(count_), count_, 0.0F);
  num_steps_ = 0;
}

UpdateResult Optimizer::step(const OptimizerConfig& config,
                             double scale,
                             const ParameterLayout& layout,
                             float* weights,
                             const float* gradient) {
  UpdateResult result;
  result.gradient_norm = std::sqrt(sum_of_squares(gradient, count_));
  if (!std::isfinite(result.gradient_norm)) {
    result.skipped = true;
    return result;
  }
  if (is_fresh() || config.kind != kind_) {
    forget();  // moments of the other optimiser mean something else
    kind_ = config.kind;
  }
  ++num_steps_;
  StepSettings settings{config, scale, 1.0, num_steps_};
  if (config.max_gradient_norm > 0 && result.gradient_norm > config.max_gradient_norm) {
    settings.gradient_scale = config.max_gradient_norm / result.gradient_norm;
  }
  parallel_for(layout.parameters.size(), num_threads, [&](std::size_t index) {
    const SingleThread single;
    const Parameter& parameter = layout.parameters[index];
    const std::size_t at = parameter.offset;
    const Slices slices{weights + at, gradient + at, first_.data() + at, second_.data() + at};
    (is_muons(parameter, config) ? muon_step : adamw_step)(settings, parameter, slices);
  });
  return result;
}

std::string Optimizer::state() const {
  StateHeader header{};
  std::memcpy(header.magic, kStateMagic, sizeof(kStateMagic));
  header.kind = static_cast<std::uint64_t>(kind_);
  header.num_steps = num_steps_;
  header.count = count_;
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  if (is_fresh()) {
    return bytes.append(2 * count_ * sizeof(float), '\0');
  }
  bytes.append(reinterpret_cast<const char*>(first_.data()), count_ * sizeof(float));
  bytes.append(reinterpret_cast<const char*>(second_.data()), count_ * sizeof(float));
  return bytes;
}

void Optimizer::set_state(const std::string& bytes) {
  const std::size_t array_bytes = count_ * sizeof(float);
  StateHeader header{};
  if (bytes.size() >= sizeof(header)) {
    std::memcpy(&header, bytes.data(), sizeof(header));
  }
  const bool fits = bytes.size() == sizeof(header) + 2 * array_bytes &&
                    std::memcmp(header.magic, kStateMagic, sizeof(kStateMagic)) == 0 &&
                    header.count == count_ && header.kind <= 1;
  if (!fits) {
    throw Error(ErrorKind::kCorrupt,
                "optimiser state of " + std::to_string(bytes.size()) + " bytes, expected " +
                    std::to_string(sizeof(header) + 2 * array_bytes) + " for " +
                    std::to_string(count_) + " parameters",
                "the checkpoint belongs to another model or is damaged");
  }
  forget();
  kind_ = static_cast<OptimizerKind>(header.kind);
  num_steps_ = header.num_steps;
  std::memcpy(first_.data(), bytes.data() + sizeof(header), array_bytes);
  std::memcpy(second_.data(), bytes.data() + sizeof(header) + array_bytes, array_bytes);
}

}  // namespace dreamgym::internal

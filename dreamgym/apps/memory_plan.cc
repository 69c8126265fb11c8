#include "dreamgym/apps/memory_plan.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"
#include "dreamgym/nn/trainable_model.h"
#include "dreamgym/llm/checkpoint/weights.h"

namespace dreamgym {
namespace {

// Program, libraries and their tables, measured on an idle process that has loaded a model.
constexpr std::size_t kProgramBytes = 120ULL << 20U;
// A transition in memory: texts, candidates, its embedding and its row in the store.
constexpr std::size_t kTransitionBytes = 6 << 10U;
// Tokens an episode's context has on average at its end, per step.
constexpr std::size_t kTokensPerStep = 45;

std::size_t cached_bytes_per_token(const TransformerConfig& shape) {
  return static_cast<std::size_t>(shape.num_layers * 2 * shape.num_kv_heads * shape.head_dim) *
         sizeof(float);
}

}  // namespace

std::size_t MemoryPlan::total_bytes() const {
  std::size_t total = 0;
  for (const auto& [name, bytes] : parts) {
    total += bytes;
  }
  return total;
}

MemoryPlan plan_memory(const ExperimentConfig& config,
                       const TransformerConfig& shape,
                       std::size_t offline_steps) {
  const auto parameters = static_cast<std::size_t>(num_parameters(shape));
  const std::size_t model = parameters * sizeof(float);
  const std::size_t episodes = config.dream.tasks_per_iteration * config.dream.group_size;
  const std::size_t context = std::min<std::size_t>(
      static_cast<std::size_t>(shape.max_position), 64 + kTokensPerStep * config.max_steps);
  const std::size_t cache = std::min(config.cache_megabytes << 20U,
                                     episodes * context * cached_bytes_per_token(shape));
  const std::size_t micro_batch = std::max({config.experience_sft.tokens_per_micro_batch,
                                            config.start_sft.tokens_per_micro_batch,
                                            config.dream.tokens_per_micro_batch});
  const std::size_t dreamed = config.dream.iterations * episodes * config.max_steps / 2;
  return {{{"program and libraries", kProgramBytes},
           // policy: weights, gradients of each thread, two moments, best, packed for sampling
           {"policy and optimiser", model * (6 + config.threads)},
           {"experience model", model * 3},
           {"caches of both engines", 2 * cache},
           {"activations", config.threads * micro_batch * activation_bytes_per_token(shape)},
           {"transitions", (2 * offline_steps + dreamed) * kTransitionBytes}}};
}

std::size_t peak_resident_bytes() {
  std::size_t kilobytes = 0;
  if (!std::filesystem::exists("/proc/self/status")) {
    return 0;
  }
  for_each_line("/proc/self/status", [&](std::size_t, std::string_view line) {
    if (!consume_prefix(line, "VmHWM:")) {
      return true;
    }
    line = trim(line);
    std::from_chars(line.data(), line.data() + line.size(), kilobytes);
    return false;
  });
  return kilobytes << 10U;
}

void restart_peak_resident_bytes() {
  std::ofstream("/proc/self/clear_refs") << 5;  // 5 = reset VmHWM (proc(5))
}

std::string bytes_text(std::size_t bytes) {
  const double mebibytes = static_cast<double>(bytes) / (1 << 20U);
  return mebibytes < 1024 ? fmt::format("{:.0f} MiB", mebibytes)
                          : fmt::format("{:.2f} GiB", mebibytes / 1024);
}

}  // namespace dreamgym

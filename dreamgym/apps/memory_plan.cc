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
// Of a prompted dream: its rules, and what a token of a pretrained vocabulary spells.
constexpr std::size_t kRuleTokens = 600;
constexpr std::size_t kBytesPerToken = 4;

// Of keys and values of all layers.
std::size_t cached_bytes_per_token(const TransformerConfig& shape, std::size_t bytes_per_number) {
  return static_cast<std::size_t>(shape.num_layers * 2 * shape.num_kv_heads * shape.head_dim) *
         bytes_per_number;
}

std::size_t bytes_of(const std::string& format) {
  return format == "int8" ? 1 : format == "fp32" ? sizeof(float) : 2;
}

std::size_t num_low_rank(const TransformerConfig& shape, const PolicyConfig& policy) {
  std::size_t count = 0;
  for (const auto& [name, size] : parameter_shapes(shape)) {
    for (const std::string& target : policy.lora_targets) {
      if (size.size() == 2 && name.ends_with("." + target + ".weight")) {
        count += policy.lora_rank * static_cast<std::size_t>(size[0] + size[1]);
      }
    }
  }
  return count;
}

// Of a question to a prompted model, with its answer.
std::size_t prompt_tokens(const ExperimentConfig& config) {
  const PromptedOptions& prompt = config.dream_model.prompt;
  const std::size_t demonstrations = config.experience.num_demonstrations * prompt.max_demonstration_bytes;
  return kRuleTokens + (prompt.history_bytes + demonstrations) / kBytesPerToken + prompt.max_reply_tokens;
}

// Weights, the packed copy that samples, and of what is trained: the sum of gradients, two moments, the
// best so far; what each thread holds of gradients and logits; one more copy of all while a policy is
// handed over or saved.
std::size_t policy_bytes(const ExperimentConfig& config, const TransformerConfig& shape) {
  const auto parameters = static_cast<std::size_t>(num_parameters(shape));
  const std::size_t low_rank = num_low_rank(shape, config.policy);
  const std::size_t trained = low_rank > 0 ? low_rank : parameters;
  return parameters * (2 * sizeof(float) + bytes_of(config.policy.weights)) +
         trained * sizeof(float) * 4 +
         config.threads * training_bytes_per_thread(shape, low_rank);
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
                       std::size_t offline_steps,
                       const TransformerConfig* policy,
                       const TransformerConfig* dreamer) {
  const TransformerConfig& acting = policy != nullptr ? *policy : shape;
  const std::size_t model = static_cast<std::size_t>(num_parameters(shape)) * sizeof(float);
  const std::size_t episodes = config.dream.tasks_per_iteration * config.dream.group_size;
  const auto cache = [&](const TransformerConfig& of, std::size_t bytes_per_number, std::size_t thought_tokens) {
    const std::size_t context = std::min<std::size_t>(
        static_cast<std::size_t>(of.max_position), 64 + (kTokensPerStep + thought_tokens) * config.max_steps);
    return std::min(config.cache_megabytes << 20U,
                    episodes * context * cached_bytes_per_token(of, bytes_per_number));
  };
  // As read, and packed to be computed with; a prompt has rules and demonstrations beside the episode.
  const std::size_t dreaming =
      dreamer == nullptr
          ? model * 2 + model / sizeof(float) * bytes_of(config.dream_model.weights)
          : static_cast<std::size_t>(num_parameters(*dreamer)) *
                (sizeof(float) + bytes_of(config.dream_model.weights));
  const std::size_t dream_cache =
      dreamer == nullptr ? cache(shape, bytes_of(config.dream_model.cache), 0)
                         : std::min(config.cache_megabytes << 20U,
                                    episodes * prompt_tokens(config) *
                                        cached_bytes_per_token(*dreamer, bytes_of(config.dream_model.cache)));
  const std::size_t activations =
      std::max(activation_bytes_per_token(shape),
               activation_bytes_per_token(acting, config.policy.recompute));
  const std::size_t micro_batch = std::max({config.experience_sft.tokens_per_micro_batch,
                                            config.start_sft.tokens_per_micro_batch,
                                            config.dream.tokens_per_micro_batch});
  const std::size_t dreamed = config.dream.iterations * episodes * config.max_steps / 2;
  return {{{"program and libraries", kProgramBytes},
           {"policy and optimiser", policy_bytes(config, acting)},
           {"experience model", dreaming},
           {"caches of both engines",
            cache(acting,
                  bytes_of(config.policy.cache),
                  config.policy.thinks ? config.policy.max_thought_tokens : 0) +
                dream_cache},
           {"activations", config.threads * micro_batch * activations},
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

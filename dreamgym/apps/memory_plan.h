// How much memory a run will need at its peak, said before it starts.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "dreamgym/config/experiment_config.h"
#include "dreamgym/llm/checkpoint/transformer_config.h"

namespace dreamgym {

struct MemoryPlan {
  std::vector<std::pair<std::string, std::size_t>> parts;  ///< name, bytes
  [[nodiscard]] std::size_t total_bytes() const;
};

/// @param shape         of the experience model.
/// @param offline_steps transitions of the offline data.
/// @param policy        shape of the policies' model; null = the same.
/// @param dreamer       shape of the pretrained model that dreams; null = the experience model does.
MemoryPlan plan_memory(const ExperimentConfig& config,
                       const TransformerConfig& shape,
                       std::size_t offline_steps,
                       const TransformerConfig* policy = nullptr,
                       const TransformerConfig* dreamer = nullptr);

/// Largest resident size of this process since its start or the last restart, bytes; 0 where the
/// system does not say.
std::size_t peak_resident_bytes();
/// Lets the peak be measured anew, from the present size on. Where the system does not allow it the
/// peak stays that since the start.
void restart_peak_resident_bytes();

/// "1.3 GiB".
std::string bytes_text(std::size_t bytes);

}  // namespace dreamgym

// Where measured quantities go. Names are "room/quantity_unit"; docs/metrics.md explains each.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace dreamgym {

/// Thread safety: implementations take calls from one thread at a time.
class MetricsSink {
 public:
  virtual ~MetricsSink() = default;
  /// The values measured at one step of a phase, e.g. ("dream", 12, {{"train/loss", 0.3}}).
  virtual void record(std::string_view phase,
                      std::uint64_t step,
                      const std::map<std::string, double>& values) = 0;
};

}  // namespace dreamgym

#include "dreamgym/replay/saturation.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "dreamgym/replay/record.h"

namespace dreamgym {

ExperienceVariety measure_variety(std::span<const Trajectory> trajectories) {
  std::vector<std::string> contents;
  for (const Trajectory& trajectory : trajectories) {
    for (StoredTransition& record : to_records(trajectory)) {
      contents.push_back(std::move(record.id));
    }
  }
  // In order, so that the sum of the logarithms is the same on every machine.
  std::sort(contents.begin(), contents.end());
  ExperienceVariety variety;
  variety.transitions = contents.size();
  const auto total = static_cast<double>(contents.size());
  for (std::size_t begin = 0; begin < contents.size();) {
    std::size_t end = begin;
    while (end < contents.size() && contents[end] == contents[begin]) {
      ++end;
    }
    const double share = static_cast<double>(end - begin) / total;
    variety.entropy_nats -= share * std::log(share);
    ++variety.distinct;
    begin = end;
  }
  if (variety.transitions > 0) {
    variety.effective_share = std::exp(variety.entropy_nats) / total;
  }
  return variety;
}

}  // namespace dreamgym

#include "dreamgym/train/iteration_times.h"

#include <algorithm>

namespace dreamgym {

double IterationTimes::rest() const {
  return std::max(0.0, wall - generation - environment - retrieval - update);
}

double IterationTimes::overhead_share() const {
  return wall > 0 ? std::clamp(1.0 - (generation + update) / wall, 0.0, 1.0) : 0.0;
}

IterationTimes& IterationTimes::operator+=(const IterationTimes& other) {
  generation += other.generation;
  environment += other.environment;
  retrieval += other.retrieval;
  update += other.update;
  validation += other.validation;
  wall += other.wall;
  return *this;
}

std::map<std::string, double> metrics_of(const IterationTimes& times) {
  std::map<std::string, double> out = {{"time/iteration_seconds", times.wall},
                                       {"time/generation_seconds", times.generation},
                                       {"time/environment_seconds", times.environment},
                                       {"time/retrieval_seconds", times.retrieval},
                                       {"time/update_seconds", times.update},
                                       {"time/rest_seconds", times.rest()},
                                       {"time/overhead_share", times.overhead_share()}};
  if (times.validation > 0) {
    out["time/validation_seconds"] = times.validation;
  }
  return out;
}

}  // namespace dreamgym

// An estimate as the verbs print it in JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "dreamgym/eval/statistics.h"

namespace dreamgym {

inline nlohmann::ordered_json estimate_json(const Estimate& estimate) {
  return {{"value", estimate.value}, {"low", estimate.low}, {"high", estimate.high}};
}

}  // namespace dreamgym

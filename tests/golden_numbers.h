// Numbers a reference script wrote (tests/golden/math/make_numbers.py), and how to hold ours
// against them. Tolerance: both sides compute in double, in another order.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "dreamgym/base/file.h"

namespace dreamgym {

/// The cases of tests/golden/math/<name>.json.
inline nlohmann::json golden_numbers(const std::string& name) {
  return nlohmann::json::parse(
      read_file(Path(DREAMGYM_SOURCE_DIR) / "tests/golden/math" / (name + ".json")));
}

/// Numbers, or a mask written as 0 and 1.
template <class T>
std::vector<T> list_of(const nlohmann::json& values) {
  std::vector<T> out;
  for (const nlohmann::json& value : values) {
    out.push_back(static_cast<T>(value.get<double>()));
  }
  return out;
}

inline void expect_close(double actual, double expected, const std::string& where) {
  EXPECT_NEAR(actual, expected, 1e-11 * (1.0 + std::abs(expected))) << where;
}

inline void expect_close(const std::vector<double>& actual,
                         const nlohmann::json& expected,
                         const std::string& where) {
  ASSERT_EQ(actual.size(), expected.size()) << where;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    expect_close(actual[i], expected[i].get<double>(), where + ", entry " + std::to_string(i));
  }
}

}  // namespace dreamgym

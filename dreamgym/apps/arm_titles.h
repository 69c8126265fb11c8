// The arms of the comparison: their names, how a table calls them, which are compared in pairs.
//
// Thread safety: values.
#pragma once

#include <string>
#include <vector>

namespace dreamgym {

struct ArmTitle {
  std::string name;   ///< of its model and its evaluation
  std::string title;  ///< in tables
  /// Stages whose cost is its own, e.g. {"experience", "start", "dream", "s2r"}. Every policy that
  /// learns at all begins with the experience model's weights, which have read the offline data.
  std::vector<std::string> stages;
};

/// In the order of the table.
const std::vector<ArmTitle>& arm_titles();

struct ArmPair {
  std::string a;
  std::string b;
};
const std::vector<ArmPair>& arm_pairs();

}  // namespace dreamgym

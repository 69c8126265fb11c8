// One list of fields drives parsing, --help, unknown-key errors and the saved copy.
//
// A configuration is a plain struct in the room that uses it; here visit_fields() names its fields:
//   template <class Field> void visit_fields(GrpoConfig& config, Field&& field) {
//     field("group_size", config.group_size, "episodes per task", at_least(2));
//     field.section("loss", config.loss);
//   }
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace dreamgym {

/// Closed interval a number must lie in.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

/// One of the values a choice has, by its name.
template <class Enum>
struct Named {
  const char* name;
  Enum value;
};

inline Range at_least(double low) { return {low, std::numeric_limits<double>::infinity()}; }
inline Range between(double low, double high) { return {low, high}; }
inline Range any_value() { return {}; }

}  // namespace dreamgym

// The first thing that is wrong with what is checked; a base of the worlds' step checks.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace dreamgym {

/// Thread safety: none.
class FirstFault {
 public:
  /// In words; "" as long as nothing is wrong.
  [[nodiscard]] const std::string& first_fault() const { return first_; }

 protected:
  /// Keeps the text if `wrong` and nothing was wrong before.
  template <class... Args>
  void blame(bool wrong, fmt::format_string<Args...> text, Args&&... args) {
    if (wrong && first_.empty()) {
      first_ = fmt::format(text, std::forward<Args>(args)...);
    }
  }

 private:
  std::string first_;
};

}  // namespace dreamgym

// A pattern as a deterministic automaton over bytes, built as far as it is walked.
//
// Thread safety: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "dreamgym/llm/grammar/pattern.h"

namespace dreamgym {

class ByteAutomaton {
 public:
  using State = std::uint32_t;
  /// No string of the pattern goes this way.
  static constexpr State kDead = UINT32_MAX;

  /// @throws Error kUnsupported for a pattern too large to be walked.
  explicit ByteAutomaton(const Pattern& pattern);

  [[nodiscard]] State start() const { return 0; }
  State next(State state, unsigned char byte);
  /// After several bytes.
  State next(State state, std::string_view bytes);
  /// Whether what led here is a string of the pattern.
  [[nodiscard]] bool accepts(State state) const { return states_[state].accepts; }
  /// Whether a longer string of the pattern begins with what led here.
  bool continues(State state);

 private:
  using Place = std::uint32_t;  // of the nondeterministic automaton
  struct Step {
    unsigned char low;
    unsigned char high;
    Place to;
  };
  struct Node {
    std::vector<Step> steps;
    std::vector<Place> silent;
  };
  struct DeterministicState {
    std::vector<Place> places;  // ascending
    std::array<State, 256> next{};
    bool accepts = false;
    bool expanded = false;
  };

  Place add_node();
  Place build(const Pattern& pattern, Place from);
  Place build_repeat(const Pattern& pattern, Place from);
  State state_of(std::vector<Place> places);
  void expand(State state);

  std::vector<Node> nodes_;
  Place end_ = 0;
  std::vector<DeterministicState> states_;
  std::map<std::vector<Place>, State> numbers_;
};

}  // namespace dreamgym

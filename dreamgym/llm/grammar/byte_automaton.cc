#include "dreamgym/llm/grammar/byte_automaton.h"

#include <algorithm>

#include <fmt/format.h>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

constexpr std::size_t kMostNodes = 2'000'000;

}  // namespace

ByteAutomaton::ByteAutomaton(const Pattern& pattern) {
  const Place begin = add_node();
  end_ = build(pattern, begin);
  (void)state_of({begin});
}

ByteAutomaton::State ByteAutomaton::next(State state, unsigned char byte) {
  if (state == kDead) {
    return kDead;
  }
  if (!states_[state].expanded) {
    expand(state);
  }
  return states_[state].next[byte];
}

ByteAutomaton::State ByteAutomaton::next(State state, std::string_view bytes) {
  for (const char c : bytes) {
    state = next(state, static_cast<unsigned char>(c));
  }
  return state;
}

bool ByteAutomaton::continues(State state) {
  if (!states_[state].expanded) {
    expand(state);
  }
  return std::ranges::any_of(states_[state].next, [](State to) { return to != kDead; });
}

ByteAutomaton::Place ByteAutomaton::add_node() {
  if (nodes_.size() == kMostNodes) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the grammar has more than {} places", kMostNodes),
                "bound texts and lists more tightly (maxLength, maxItems)");
  }
  nodes_.emplace_back();
  return static_cast<Place>(nodes_.size() - 1);
}

// Adds the pattern after `from` and says where it ends. Every part ends where nothing leaves yet.
ByteAutomaton::Place ByteAutomaton::build(const Pattern& pattern, Place from) {
  switch (pattern.kind) {
    case Pattern::Kind::kBytes: {
      const Place to = add_node();
      nodes_[from].steps.push_back({pattern.low, pattern.high, to});
      return to;
    }
    case Pattern::Kind::kSequence:
      for (const PatternPtr& part : pattern.parts) {
        from = build(*part, from);
      }
      return from;
    case Pattern::Kind::kAnyOf: {
      const Place to = add_node();
      for (const PatternPtr& part : pattern.parts) {
        const Place begin = add_node();
        nodes_[from].silent.push_back(begin);
        const Place part_end = build(*part, begin);
        nodes_[part_end].silent.push_back(to);
      }
      return to;
    }
    case Pattern::Kind::kRepeat:
      return build_repeat(pattern, from);
  }
  return from;
}

ByteAutomaton::Place ByteAutomaton::build_repeat(const Pattern& pattern, Place from) {
  const Pattern& part = *pattern.parts.front();
  for (std::size_t i = 0; i < pattern.at_least; ++i) {
    from = build(part, from);
  }
  if (pattern.at_most == Pattern::kUnlimited) {
    const Place loop = add_node();
    nodes_[from].silent.push_back(loop);
    const Place around = build(part, loop);
    nodes_[around].silent.push_back(loop);
    const Place to = add_node();
    nodes_[loop].silent.push_back(to);
    return to;
  }
  const Place to = add_node();
  for (std::size_t i = pattern.at_least; i < pattern.at_most; ++i) {
    nodes_[from].silent.push_back(to);
    const Place begin = add_node();
    nodes_[from].silent.push_back(begin);
    from = build(part, begin);
  }
  nodes_[from].silent.push_back(to);
  return to;
}

// With everything that can be reached in silence.
ByteAutomaton::State ByteAutomaton::state_of(std::vector<Place> places) {
  std::ranges::sort(places);
  places.erase(std::ranges::unique(places).begin(), places.end());
  std::vector<Place> open = places;
  while (!open.empty()) {
    const Place place = open.back();
    open.pop_back();
    for (const Place to : nodes_[place].silent) {
      const auto spot = std::ranges::lower_bound(places, to);
      if (spot == places.end() || *spot != to) {
        places.insert(spot, to);
        open.push_back(to);
      }
    }
  }
  // Places without a step of their own only led elsewhere.
  const bool accepts = std::ranges::binary_search(places, end_);
  std::erase_if(places,
                [&](Place place) { return nodes_[place].steps.empty() && place != end_; });
  const auto [found, is_new] = numbers_.try_emplace(places, static_cast<State>(states_.size()));
  if (is_new) {
    DeterministicState state;
    state.places = std::move(places);
    state.accepts = accepts;
    states_.push_back(std::move(state));
  }
  return found->second;
}

void ByteAutomaton::expand(State state) {
  std::array<std::vector<Place>, 256> reached;
  for (const Place place : states_[state].places) {
    for (const Step& step : nodes_[place].steps) {
      for (unsigned byte = step.low; byte <= step.high; ++byte) {
        reached[byte].push_back(step.to);
      }
    }
  }
  std::array<State, 256> next{};
  for (std::size_t byte = 0; byte < reached.size(); ++byte) {
    const bool as_before = byte > 0 && reached[byte] == reached[byte - 1];
    next[byte] = reached[byte].empty() ? kDead
                 : as_before           ? next[byte - 1]
                                       : state_of(reached[byte]);
  }
  states_[state].next = next;
  states_[state].expanded = true;
}

}  // namespace dreamgym

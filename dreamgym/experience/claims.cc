#include "dreamgym/experience/claims.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dreamgym {
namespace {

using Thing = std::pair<std::string, std::string>;  // name, number

constexpr std::array<std::string_view, 9> kCounts = {
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"};

// Runs of letters and runs of digits, in lower case.
std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> pieces;
  bool inside = false;
  for (const char raw : text) {
    const auto c = static_cast<unsigned char>(raw);
    if (std::isalnum(c) == 0) {
      inside = false;
      continue;
    }
    const bool same_kind =
        inside && (std::isdigit(c) != 0) == (std::isdigit(static_cast<unsigned char>(pieces.back().back())) != 0);
    if (!same_kind) {
      pieces.emplace_back();
    }
    pieces.back() += static_cast<char>(std::tolower(c));
    inside = true;
  }
  return pieces;
}

bool is_number(const std::string& piece) { return std::isdigit(static_cast<unsigned char>(piece.front())) != 0; }

void add_things(std::string_view text, std::set<Thing>& things) {
  const std::vector<std::string> pieces = pieces_of(text);
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    if (is_number(pieces[i]) && !is_number(pieces[i - 1])) {
      things.emplace(pieces[i - 1], pieces[i]);
    }
  }
}

bool same_name(std::string_view word, std::string_view name) {
  return word == name || (word.ends_with('s') && word.substr(0, word.size() - 1) == name);
}

bool wants_what_the_task_names(const std::string& want, const std::set<Thing>& things, std::string_view instruction) {
  const std::vector<std::string> asked = pieces_of(instruction);
  return std::ranges::all_of(pieces_of(want), [&](const std::string& word) {
    const bool is_name = std::ranges::any_of(things, [&](const Thing& thing) { return thing.first == word; });
    return !is_name || std::ranges::any_of(asked, [&](const std::string& one) { return same_name(one, word); });
  });
}

bool has_as_many(const std::string& got, const std::set<Thing>& here) {
  const std::vector<std::string> words = pieces_of(got);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const auto* count = std::ranges::find(kCounts, words[i]);
    if (count == kCounts.end()) {
      continue;
    }
    const auto there = std::ranges::count_if(here, [&](const Thing& thing) { return same_name(words[i + 1], thing.first); });
    if (there < count - kCounts.begin() + 2) {
      return false;
    }
  }
  return true;
}

// Of the kinds that a first look finds.
bool all_found(const ReasoningTrace& trace, const std::function<bool(const std::string&)>& holds) {
  const auto find = trace.find(kFindField);
  return !find || *find == kNothing || std::ranges::all_of(pieces_of(*find), holds);
}

}  // namespace

bool claims_are_borne_out(const ReasoningTrace& trace, std::string_view action, std::string_view instruction) {
  std::set<Thing> things;
  add_things(action, things);
  for (const auto& [key, value] : trace.fields) {
    add_things(value, things);
  }
  if (const auto want = trace.find("want"); want && !wants_what_the_task_names(*want, things, instruction)) {
    return false;
  }
  const auto got = trace.find("got");
  const auto here = trace.find("here");
  if (!got || !here) {
    return true;
  }
  std::set<Thing> listed;
  add_things(*here, listed);
  return has_as_many(*got, listed);
}

bool finds_are_asked_for(const ReasoningTrace& trace, std::string_view instruction) {
  return all_found(trace, [asked = pieces_of(instruction)](const std::string& kind) {
    return std::ranges::any_of(asked, [&](const std::string& word) { return same_name(word, kind); });
  });
}

bool finds_are_shown(const ReasoningTrace& trace, std::string_view observation) {
  return all_found(trace, [shown = pieces_of(observation)](const std::string& kind) {
    return std::ranges::find(shown, kind) != shown.end();
  });
}

bool success_is_borne_out(const ReasoningTrace& trace, std::string_view action, std::string_view instruction) {
  return wanted_is_reached(trace) && claims_are_borne_out(trace, action, instruction);
}

}  // namespace dreamgym

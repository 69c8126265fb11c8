#include "dreamgym/llm/grammar/shortest_end.h"

#include <algorithm>
#include <compare>
#include <set>
#include <utility>
#include <vector>

namespace dreamgym {
namespace {

// A pattern still to be written; of a repeat, how often its part already is.
struct Open {
  const Pattern* pattern = nullptr;
  std::size_t done = 0;
  auto operator<=>(const Open&) const = default;
};
using Way = std::vector<Open>;  // what is still open, the next one last

// Beyond this a count says nothing new.
std::size_t counted(const Pattern& repeat, std::size_t done) {
  return repeat.at_most == Pattern::kUnlimited ? std::min(done, repeat.at_least) : done;
}

// The ways on from here whose next part is a byte; the byte is then checked and taken.
class Walk {
 public:
  explicit Walk(const Pattern& pattern) : ways_{{{&pattern, 0}}} {}

  void take(unsigned char byte) {
    seen_.clear();
    next_.clear();
    for (const Way& way : ways_) {
      follow(way, byte);
    }
    ways_.swap(next_);
  }
  [[nodiscard]] const std::set<Way>& ways() const { return ways_; }

 private:
  void follow(Way way, unsigned char byte) {
    if (way.empty() || !seen_.insert(way).second) {
      return;
    }
    const Open open = way.back();
    const Pattern& pattern = *open.pattern;
    way.pop_back();
    switch (pattern.kind) {
      case Pattern::Kind::kBytes:
        if (byte >= pattern.low && byte <= pattern.high) {
          next_.insert(std::move(way));
        }
        return;
      case Pattern::Kind::kSequence:
        for (auto part = pattern.parts.rbegin(); part != pattern.parts.rend(); ++part) {
          way.push_back({part->get(), 0});
        }
        follow(std::move(way), byte);
        return;
      case Pattern::Kind::kAnyOf:
        for (const PatternPtr& part : pattern.parts) {
          Way one = way;
          one.push_back({part.get(), 0});
          follow(std::move(one), byte);
        }
        return;
      case Pattern::Kind::kRepeat:
        if (open.done >= pattern.at_least) {
          follow(way, byte);
        }
        if (open.done < pattern.at_most) {
          way.push_back({&pattern, counted(pattern, open.done + 1)});
          way.push_back({pattern.parts.front().get(), 0});
          follow(std::move(way), byte);
        }
        return;
    }
  }

  std::set<Way> ways_;
  std::set<Way> next_;
  std::set<Way> seen_;
};

PatternPtr shortest(const Pattern& pattern, std::size_t done) {
  std::vector<PatternPtr> parts;
  for (const PatternPtr& part : pattern.parts) {
    parts.push_back(shortest(*part, 0));
  }
  switch (pattern.kind) {
    case Pattern::Kind::kBytes:
      return pattern::bytes(pattern.low, pattern.high);
    case Pattern::Kind::kSequence:
      return pattern::sequence(std::move(parts));
    case Pattern::Kind::kAnyOf:
      return pattern::any_of(std::move(parts));
    case Pattern::Kind::kRepeat: {
      const std::size_t missing = pattern.at_least - std::min(done, pattern.at_least);
      return pattern::repeat(parts.front(), missing, missing);
    }
  }
  return nullptr;
}

}  // namespace

PatternPtr shortest_end(const Pattern& pattern, std::string_view said) {
  Walk walk(pattern);
  for (const char c : said) {
    walk.take(static_cast<unsigned char>(c));
  }
  std::vector<PatternPtr> ends;
  for (const Way& way : walk.ways()) {
    std::vector<PatternPtr> parts;
    for (auto open = way.rbegin(); open != way.rend(); ++open) {
      parts.push_back(shortest(*open->pattern, open->done));
    }
    ends.push_back(pattern::sequence(std::move(parts)));
  }
  return ends.empty() ? nullptr : pattern::any_of(std::move(ends));
}

std::size_t longest_text(const Pattern& pattern) {
  std::size_t longest = 0;
  std::size_t sum = 0;
  for (const PatternPtr& part : pattern.parts) {
    const std::size_t of_part = longest_text(*part);
    if (of_part == Pattern::kUnlimited) {
      return Pattern::kUnlimited;
    }
    longest = std::max(longest, of_part);
    sum += of_part;
  }
  switch (pattern.kind) {
    case Pattern::Kind::kBytes:
      return 1;
    case Pattern::Kind::kSequence:
      return sum;
    case Pattern::Kind::kAnyOf:
      return longest;
    case Pattern::Kind::kRepeat:
      return longest == 0                               ? 0
             : pattern.at_most == Pattern::kUnlimited ? Pattern::kUnlimited
                                                      : longest * pattern.at_most;
  }
  return 0;
}

}  // namespace dreamgym

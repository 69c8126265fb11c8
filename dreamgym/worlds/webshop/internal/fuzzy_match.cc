#include "dreamgym/worlds/webshop/internal/fuzzy_match.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/internal/python_text.h"

namespace dreamgym::webshop {
namespace {

/// Ratcliff-Obershelp matching: the longest common block, then left and right of it.
class SequenceMatcher {
 public:
  SequenceMatcher(std::u32string_view a, std::u32string_view b) : a_(a), b_(b) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      places_[b[j]].push_back(j);
    }
    constexpr std::size_t kAutoJunk = 200;
    if (b.size() >= kAutoJunk) {
      const std::size_t most = b.size() / 100 + 1;
      std::erase_if(places_, [&](const auto& item) { return item.second.size() > most; });
    }
  }

  [[nodiscard]] std::size_t count_matches() const {
    std::size_t matches = 0;
    std::vector<Range> queue = {{0, a_.size(), 0, b_.size()}};
    while (!queue.empty()) {
      const Range range = queue.back();
      queue.pop_back();
      const Block block = longest_block(range);
      if (block.size == 0) {
        continue;
      }
      matches += block.size;
      if (range.a_begin < block.a && range.b_begin < block.b) {
        queue.push_back({range.a_begin, block.a, range.b_begin, block.b});
      }
      if (block.a + block.size < range.a_end && block.b + block.size < range.b_end) {
        queue.push_back({block.a + block.size, range.a_end, block.b + block.size, range.b_end});
      }
    }
    return matches;
  }

 private:
  struct Range {
    std::size_t a_begin, a_end, b_begin, b_end;
  };
  struct Block {
    std::size_t a, b, size;
  };

  [[nodiscard]] Block longest_block(const Range& range) const {
    Block best{range.a_begin, range.b_begin, 0};
    // [j + 1] length of the common block that ends with the row before and with b[j].
    std::vector<std::size_t> before(b_.size() + 1, 0);
    std::vector<std::size_t> now(b_.size() + 1, 0);
    for (std::size_t i = range.a_begin; i < range.a_end; ++i) {
      std::ranges::fill(now, 0);
      if (const auto found = places_.find(a_[i]); found != places_.end()) {
        for (const std::size_t j : found->second) {
          if (j < range.b_begin) {
            continue;
          }
          if (j >= range.b_end) {
            break;
          }
          const std::size_t size = before[j] + 1;
          now[j + 1] = size;
          if (size > best.size) {
            best = {i + 1 - size, j + 1 - size, size};
          }
        }
      }
      std::swap(before, now);
    }
    // What is too frequent to begin a block may still prolong one.
    while (best.a > range.a_begin && best.b > range.b_begin && a_[best.a - 1] == b_[best.b - 1]) {
      --best.a;
      --best.b;
      ++best.size;
    }
    while (best.a + best.size < range.a_end && best.b + best.size < range.b_end &&
           a_[best.a + best.size] == b_[best.b + best.size]) {
      ++best.size;
    }
    return best;
  }

  std::u32string_view a_;
  std::u32string_view b_;
  std::unordered_map<char32_t, std::vector<std::size_t>> places_;
};

int ratio(std::string_view first, std::string_view second) {
  if (first == second) {
    return 100;
  }
  if (first.empty() || second.empty()) {
    return 0;
  }
  // The default rounding mode is Python's: halves to even.
  return static_cast<int>(std::nearbyint(100 * sequence_ratio(first, second)));
}

/// Latin-1's upper half away, everything but word characters to blanks, lower case; the words.
std::set<std::string> tokens(std::string_view text) {
  std::string clean;
  for (const char32_t c : decode_utf8(text)) {
    if (c >= 0x80 && c <= 0xff) {
      continue;
    }
    append_utf8(clean, is_python_word(c) ? c : U' ');
  }
  const std::vector<std::string> list = words(python_lower(clean));
  return {list.begin(), list.end()};
}

std::string joined(const std::set<std::string>& words_of_text) {
  return join({words_of_text.begin(), words_of_text.end()}, " ");
}

}  // namespace

double sequence_ratio(std::string_view first, std::string_view second) {
  const std::u32string a = decode_utf8(first);
  const std::u32string b = decode_utf8(second);
  if (a.empty() && b.empty()) {
    return 1;
  }
  return 2.0 * static_cast<double>(SequenceMatcher(a, b).count_matches()) /
         static_cast<double>(a.size() + b.size());
}

int token_set_ratio(std::string_view first, std::string_view second) {
  const std::set<std::string> a = tokens(first);
  const std::set<std::string> b = tokens(second);
  if (a.empty() || b.empty()) {
    return 0;
  }
  std::set<std::string> both;
  std::set<std::string> only_a;
  std::set<std::string> only_b;
  std::ranges::set_intersection(a, b, std::inserter(both, both.end()));
  std::ranges::set_difference(a, b, std::inserter(only_a, only_a.end()));
  std::ranges::set_difference(b, a, std::inserter(only_b, only_b.end()));
  const std::string common = joined(both);
  const std::string with_a(trim(common + " " + joined(only_a)));
  const std::string with_b(trim(common + " " + joined(only_b)));
  return std::max({ratio(common, with_a), ratio(common, with_b), ratio(with_a, with_b)});
}

}  // namespace dreamgym::webshop

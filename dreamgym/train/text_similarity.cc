#include "dreamgym/train/text_similarity.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace dreamgym {
namespace {

constexpr std::size_t kNumBytes = 256;

std::size_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

/// a[a_begin, a_end) against b[b_begin, b_end).
struct Window {
  std::size_t a_begin, a_end, b_begin, b_end;
};

struct Block {
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t size = 0;
};

/// Longest common block. lengths[j + 1] holds the length of the match that ends at a[i], b[j].
Block longest_block(std::string_view a,
                    std::string_view b,
                    const Window& window,
                    std::vector<std::size_t>& lengths) {
  std::fill(lengths.begin() + static_cast<std::ptrdiff_t>(window.b_begin),
            lengths.begin() + static_cast<std::ptrdiff_t>(window.b_end) + 1,
            std::size_t{0});
  Block best;
  for (std::size_t i = window.a_begin; i < window.a_end; ++i) {
    std::size_t diagonal = 0;  // of the row before, one column to the left
    for (std::size_t j = window.b_begin; j < window.b_end; ++j) {
      const std::size_t above = lengths[j + 1];
      lengths[j + 1] = a[i] == b[j] ? diagonal + 1 : 0;
      diagonal = above;
      if (lengths[j + 1] > best.size) {
        best.size = lengths[j + 1];
        best.a = i + 1 - best.size;
        best.b = j + 1 - best.size;
      }
    }
  }
  return best;
}

double ratio(std::size_t matching, std::size_t total) {
  return total == 0 ? 1.0 : 2.0 * static_cast<double>(matching) / static_cast<double>(total);
}

}  // namespace

double matching_ratio(std::string_view a, std::string_view b) {
  std::size_t matching = 0;
  std::vector<std::size_t> lengths(b.size() + 1, 0);
  std::vector<Window> windows = {{0, a.size(), 0, b.size()}};
  while (!windows.empty()) {
    const Window window = windows.back();
    windows.pop_back();
    if (window.a_begin == window.a_end || window.b_begin == window.b_end) {
      continue;
    }
    const Block block = longest_block(a, b, window, lengths);
    if (block.size > 0) {
      matching += block.size;
      windows.push_back({window.a_begin, block.a, window.b_begin, block.b});
      windows.push_back({block.a + block.size, window.a_end, block.b + block.size, window.b_end});
    }
  }
  return ratio(matching, a.size() + b.size());
}

bool is_similar(std::string_view a, std::string_view b, double threshold) {
  if (a == b) {
    return threshold <= 1.0;
  }
  const std::size_t total = a.size() + b.size();
  if (ratio(std::min(a.size(), b.size()), total) < threshold) {
    return false;
  }
  std::array<std::size_t, kNumBytes> in_a{};
  std::array<std::size_t, kNumBytes> in_b{};
  for (std::size_t i = 0; i < a.size(); ++i) {
    ++in_a[byte_at(a, i)];
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    ++in_b[byte_at(b, i)];
  }
  std::size_t shared = 0;
  for (std::size_t byte = 0; byte < kNumBytes; ++byte) {
    shared += std::min(in_a[byte], in_b[byte]);
  }
  return ratio(shared, total) >= threshold && matching_ratio(a, b) >= threshold;
}

}  // namespace dreamgym

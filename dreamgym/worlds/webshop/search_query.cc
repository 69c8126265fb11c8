// SearchIndex::search(): term by term over windows of documents, with MaxScore pruning.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <map>

#include "dreamgym/worlds/webshop/analyzer.h"
#include "dreamgym/worlds/webshop/search_index.h"

namespace dreamgym::webshop {

class QueryRun {
  [[nodiscard]] auto better() const {
    return [this](const SearchHit& a, const SearchHit& b) {
      return a.score != b.score ? a.score > b.score
                                : index_.id_ranks_[a.document] < index_.id_ranks_[b.document];
    };
  }

 public:
  QueryRun(const SearchIndex& index, std::string_view query, std::size_t count)
      : index_(index), count_(count) {
    std::map<std::uint32_t, std::uint32_t> repeats;
    for_each_term(query, [&](const std::string& term) {
      if (const auto found = index.terms_.find(term)) {
        ++repeats[*found];
      }
    });
    for (const auto& [term, times] : repeats) {
      cursors_.push_back(make_cursor(index.table_[term], times));
    }
    std::ranges::sort(cursors_, {}, &Cursor::most);
    double sum = 0;
    for (const Cursor& cursor : cursors_) {
      sum += static_cast<double>(cursor.most);
      bounds_.push_back(sum * kSafety);
    }
  }

  std::vector<SearchHit> run() {
    if (count_ == 0) {
      return {};
    }
    while (next_window()) {
      for (std::size_t i = first_essential_; i < cursors_.size(); ++i) {
        add_window(cursors_[i]);
      }
      settle_window();
      while (first_essential_ < cursors_.size() && bounds_[first_essential_] < threshold_) {
        ++first_essential_;
      }
    }
    std::ranges::sort_heap(best_, better());
    return std::move(best_);
  }

 private:
  static constexpr std::uint32_t kWindow = 4096;  // documents; its sums stay in the first cache
  static constexpr double kSafety = 1.00001;      // bounds hold in spite of rounding
  static constexpr std::uint32_t kNone = ~0U;

  struct Cursor {
    const std::uint32_t* document = nullptr;
    const std::uint32_t* end = nullptr;
    const std::uint16_t* frequency = nullptr;
    float weight = 0;
    float most = 0;  ///< no document gets more from this term

    [[nodiscard]] std::uint32_t current() const { return document == end ? kNone : *document; }
  };

  [[nodiscard]] Cursor make_cursor(const SearchIndex::Term& term, std::uint32_t times) const {
    const auto total = static_cast<double>(index_.num_documents());
    const double count = term.count;
    const auto idf = static_cast<float>(std::log(1 + (total - count + 0.5) / (count + 0.5)));
    const float weight = static_cast<float>(times) * idf;
    const std::string_view postings = index_.postings_.get(
        term.begin, std::uint64_t{term.count} * (sizeof(std::uint32_t) + sizeof(std::uint16_t)));
    const auto* documents = reinterpret_cast<const std::uint32_t*>(postings.data());
    return {.document = documents,
            .end = documents + term.count,
            .frequency = reinterpret_cast<const std::uint16_t*>(documents + term.count),
            .weight = weight,
            .most = weight - weight / (1.0F + term.best_ratio)};
  }

  [[nodiscard]] float share(const Cursor& cursor, std::uint32_t document) const {
    const float inverse = index_.inverse_norms_[index_.norms_[document]];
    return cursor.weight - cursor.weight / (1.0F + static_cast<float>(*cursor.frequency) * inverse);
  }

  /// Goes to the next window with a document of an essential term.
  bool next_window() {
    std::uint32_t first = kNone;
    for (std::size_t i = first_essential_; i < cursors_.size(); ++i) {
      first = std::min(first, cursors_[i].current());
    }
    begin_ = first / kWindow * kWindow;
    return first != kNone;
  }

  void add_window(Cursor& cursor) {
    const std::uint64_t end = std::uint64_t{begin_} + kWindow;
    while (cursor.document != cursor.end && *cursor.document < end) {
      const std::uint32_t place = *cursor.document - begin_;
      touched_[place / 64] |= std::uint64_t{1} << (place % 64);
      sums_[place] += static_cast<double>(share(cursor, *cursor.document));
      ++cursor.document;
      ++cursor.frequency;
    }
  }

  /// Completes the window's candidates with the terms that are not essential, and empties it.
  void settle_window() {
    for (std::size_t word = 0; word < touched_.size(); ++word) {
      while (touched_[word] != 0) {
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(touched_[word]));
        touched_[word] &= touched_[word] - 1;
        const std::uint32_t place = static_cast<std::uint32_t>(word) * 64 + bit;
        settle(begin_ + place, sums_[place]);
        sums_[place] = 0;
      }
    }
  }

  void settle(std::uint32_t document, double sum) {
    for (std::size_t i = first_essential_; i-- > 0;) {
      if (sum + bounds_[i] < threshold_) {
        return;
      }
      Cursor& cursor = cursors_[i];
      seek(cursor, document);
      if (cursor.current() == document) {
        sum += static_cast<double>(share(cursor, document));
      }
    }
    keep({.document = document, .score = static_cast<float>(sum)});
  }

  /// Moves to the first document that is not before the given one: strides, then halves.
  static void seek(Cursor& cursor, std::uint32_t document) {
    std::ptrdiff_t stride = 1;
    const std::uint32_t* low = cursor.document;
    while (cursor.end - low > stride && low[stride] < document) {
      low += stride;
      stride *= 2;
    }
    const std::uint32_t* const found = std::lower_bound(
        low, low + std::min<std::ptrdiff_t>(stride + 1, cursor.end - low), document);
    cursor.frequency += found - cursor.document;
    cursor.document = found;
  }

  void keep(const SearchHit& hit) {
    if (best_.size() == count_) {
      if (!better()(hit, best_.front())) {
        return;
      }
      std::ranges::pop_heap(best_, better());
      best_.pop_back();
    }
    best_.push_back(hit);
    std::ranges::push_heap(best_, better());
    if (best_.size() == count_) {
      threshold_ = static_cast<double>(best_.front().score);
    }
  }

  const SearchIndex& index_;
  std::size_t count_;
  std::vector<Cursor> cursors_;  ///< least promising first
  std::vector<double> bounds_;   ///< [i] most that cursors 0..i give together
  /// Cursors from here on: a document with none of these can't reach the threshold.
  std::size_t first_essential_ = 0;
  double threshold_ = 0;         ///< what a document must reach
  std::vector<SearchHit> best_;  ///< heap, worst in front
  std::uint32_t begin_ = 0;      ///< of the window
  std::array<double, kWindow> sums_{};
  std::array<std::uint64_t, kWindow / 64> touched_{};
};

std::vector<SearchHit> SearchIndex::search(std::string_view query, std::size_t count) const {
  return QueryRun(*this, query, count).run();
}

}  // namespace dreamgym::webshop

// Ranked search over the catalogue's texts: Lucene's BM25 in Lucene's arithmetic.
//
// k1 = 0.9, b = 0.4; document lengths go through Lucene's lossy byte (SmallFloat.intToByte4); each
// term's share is float32 `w - w / (1 + f * inv)`, w = idf times how often the query says it;
// shares are summed in double and rounded to float. Equal scores are ordered by document id as
// text. Only documents that can reach the best k are scored in full (MaxScore); the result does not
// depend on that. Source: Lucene 8.11 BM25Similarity, Anserini 0.14 (behaviour).
// Thread safety: an index never changes; search() is reentrant.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dreamgym::webshop {

struct SearchHit {
  std::uint32_t document = 0;  ///< in the order of adding
  float score = 0;
  bool operator==(const SearchHit&) const = default;
};

class SearchIndex {
 public:
  /// The best `count` documents, best first; none if no term of the query is known.
  [[nodiscard]] std::vector<SearchHit> search(std::string_view query, std::size_t count) const;

  [[nodiscard]] std::size_t num_documents() const { return norms_.size(); }
  [[nodiscard]] std::size_t num_terms() const { return terms_.size(); }
  [[nodiscard]] std::uint64_t num_tokens() const { return num_tokens_; }

 private:
  friend class SearchIndexBuilder;
  friend class QueryRun;

  struct Term {
    std::uint64_t begin = 0;  ///< its postings in documents_ and frequencies_
    std::uint32_t count = 0;
    float best_ratio = 0;  ///< largest frequency * inverse_norms_[norm] among them
  };

  std::unordered_map<std::string, std::uint32_t> terms_;  ///< to an index into table_
  std::vector<Term> table_;
  std::vector<std::uint32_t> documents_;    ///< [postings] ascending within a term
  std::vector<std::uint16_t> frequencies_;  ///< [postings]
  std::vector<std::uint8_t> norms_;         ///< [documents] length as Lucene's byte
  std::vector<std::uint32_t> id_ranks_;     ///< [documents] place of its id among all, sorted
  std::array<float, 256> inverse_norms_{};  ///< by norm byte
  std::uint64_t num_tokens_ = 0;
};

/// Collects documents, then makes the index.
/// Thread safety: none.
class SearchIndexBuilder {
 public:
  /// @param id  breaks ties; distinct.
  void add(std::string id, std::string_view text);
  /// The builder is empty afterwards.
  SearchIndex build();

 private:
  struct Entry {
    std::uint32_t term = 0;
    std::uint16_t frequency = 0;
  };

  SearchIndex index_;
  std::vector<Entry> entries_;  ///< document after document
  std::vector<std::uint64_t> ends_;
  std::vector<std::string> ids_;
};

/// Lucene's SmallFloat.intToByte4: exact up to 40, then four significant bits.
std::uint8_t length_to_byte(std::uint32_t length);
std::uint32_t byte_to_length(std::uint8_t byte);

}  // namespace dreamgym::webshop

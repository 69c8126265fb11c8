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
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/webshop/internal/section_file.h"
#include "dreamgym/worlds/webshop/internal/string_table.h"

namespace dreamgym::webshop {

struct SearchHit {
  std::uint32_t document = 0;  ///< in the order of adding
  float score = 0;
  bool operator==(const SearchHit&) const = default;
};

class SearchIndex {
 public:
  /// Over what SearchIndexBuilder::write() wrote.
  explicit SearchIndex(std::shared_ptr<const SectionFile> file);

  /// The best `count` documents, best first; none if no term of the query is known.
  /// @throws Error kCorrupt if the file it is read from is damaged.
  [[nodiscard]] std::vector<SearchHit> search(std::string_view query, std::size_t count) const;

  [[nodiscard]] std::size_t num_documents() const { return norms_.size(); }
  [[nodiscard]] std::size_t num_terms() const { return terms_.size(); }
  [[nodiscard]] std::uint64_t num_tokens() const { return num_tokens_; }

 private:
  friend class SearchIndexBuilder;
  friend class QueryRun;

  /// Stored as it is.
  struct Term {
    std::uint64_t begin = 0;  ///< of its postings: documents (4 bytes each), frequencies (2)
    std::uint32_t count = 0;
    float best_ratio = 0;  ///< largest frequency * inverse_norms_[norm] among them
  };

  std::shared_ptr<const SectionFile> file_;
  StringTable terms_;
  std::span<const Term> table_;              ///< [terms]
  SectionBytes postings_;                    ///< documents ascend within a term
  std::span<const std::uint8_t> norms_;      ///< [documents] length as Lucene's byte
  std::span<const std::uint32_t> id_ranks_;  ///< [documents] place of its id among all, sorted
  std::array<float, 256> inverse_norms_{};   ///< by norm byte
  std::uint64_t num_tokens_ = 0;
};

/// Collects documents, then writes the index. Memory: some 3 bytes a posting, and 96 MiB while
/// writing. Thread safety: none.
class SearchIndexBuilder {
 public:
  /// @param id  breaks ties; distinct.
  void add(std::string id, std::string_view text);
  /// Sections of the index.
  void write(SectionWriter& writer) const;
  /// An index in memory.
  [[nodiscard]] SearchIndex build() const;

 private:
  template <class Visit>
  void for_each_document(const Visit& visit) const;
  std::vector<SearchIndex::Term> write_postings(SectionWriter& writer) const;
  [[nodiscard]] std::vector<std::uint32_t> id_ranks() const;

  StringTableBuilder terms_;
  std::vector<std::uint32_t> counts_;  ///< [terms] documents that have it
  std::vector<std::string> blocks_;    ///< terms and frequencies, document after document
  std::vector<std::uint8_t> norms_;
  std::vector<std::string> ids_;
  std::uint64_t num_tokens_ = 0;
};

/// Lucene's SmallFloat.intToByte4: exact up to 40, then four significant bits.
std::uint8_t length_to_byte(std::uint32_t length);
std::uint32_t byte_to_length(std::uint8_t byte);

}  // namespace dreamgym::webshop

#include "dreamgym/worlds/webshop/search_index.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "dreamgym/worlds/webshop/analyzer.h"
#include "dreamgym/worlds/webshop/internal/record_codec.h"
#include "dreamgym/worlds/webshop/internal/section_ids.h"

namespace dreamgym::webshop {
namespace {

constexpr float kK1 = 0.9F;
constexpr float kB = 0.4F;
constexpr std::uint32_t kExactLengths = 24;
constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;
constexpr std::uint64_t kPostingsAtOnce = std::uint64_t{16} << 20U;
constexpr std::size_t kPostingBytes = sizeof(std::uint32_t) + sizeof(std::uint16_t);

std::uint32_t to_four_bits(std::uint32_t value) {
  const int bits = std::bit_width(value);
  if (bits < 4) {
    return value;
  }
  const int shift = bits - 4;
  return ((value >> shift) & 7U) | (static_cast<std::uint32_t>(shift + 1) << 3U);
}

std::uint32_t from_four_bits(std::uint32_t code) {
  const std::uint32_t mantissa = code & 7U;
  const std::uint32_t exponent = code >> 3U;
  return exponent == 0 ? mantissa : (mantissa | 8U) << (exponent - 1);
}

std::array<float, 256> inverse_norms(std::uint64_t num_tokens, std::size_t num_documents) {
  const auto average =
      static_cast<float>(static_cast<double>(num_tokens) /
                         static_cast<double>(std::max<std::size_t>(num_documents, 1)));
  std::array<float, 256> inverse{};
  for (std::size_t i = 0; i < inverse.size(); ++i) {
    const auto length = static_cast<float>(byte_to_length(static_cast<std::uint8_t>(i)));
    inverse[i] = 1.0F / (kK1 * ((1.0F - kB) + kB * length / average));
  }
  return inverse;
}

}  // namespace

std::uint8_t length_to_byte(std::uint32_t length) {
  return static_cast<std::uint8_t>(
      length < kExactLengths ? length : kExactLengths + to_four_bits(length - kExactLengths));
}

std::uint32_t byte_to_length(std::uint8_t byte) {
  return byte < kExactLengths ? byte : kExactLengths + from_four_bits(byte - kExactLengths);
}

SearchIndex::SearchIndex(std::shared_ptr<const SectionFile> file)
    : file_(std::move(file)),
      terms_(*file_, section_ids::kTerms),
      table_(file_->values<Term>(section_ids::kTermTable)),
      postings_(file_->section(section_ids::kPostings)),
      norms_(file_->values<std::uint8_t>(section_ids::kNorms)),
      id_ranks_(file_->values<std::uint32_t>(section_ids::kIdRanks)),
      num_tokens_(file_->values<std::uint64_t>(section_ids::kNumTokens).front()) {
  inverse_norms_ = inverse_norms(num_tokens_, norms_.size());
}

void SearchIndexBuilder::add(std::string id, std::string_view text) {
  std::vector<std::uint32_t> terms;
  for_each_term(text, [&](const std::string& word) { terms.push_back(terms_.add(word)); });
  counts_.resize(terms_.size());
  const auto length = static_cast<std::uint32_t>(terms.size());
  std::ranges::sort(terms);
  ByteWriter record;
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < terms.size();) {
    constexpr std::size_t kMost = std::numeric_limits<std::uint16_t>::max();
    std::size_t end = i;
    while (end < terms.size() && terms[end] == terms[i]) {
      ++end;
    }
    record.number(terms[i] - before + 1);
    record.number(std::min(end - i, kMost));
    before = terms[i];
    ++counts_[terms[i]];
    i = end;
  }
  record.number(0);
  if (blocks_.empty() || blocks_.back().size() + record.bytes().size() > kBlockBytes) {
    blocks_.emplace_back().reserve(kBlockBytes);
  }
  blocks_.back() += record.bytes();
  norms_.push_back(length_to_byte(length));
  num_tokens_ += length;
  ids_.push_back(std::move(id));
}

/// Calls visit(document, term, frequency), documents and terms ascending.
template <class Visit>
void SearchIndexBuilder::for_each_document(const Visit& visit) const {
  std::uint32_t document = 0;
  for (const std::string& block : blocks_) {
    ByteReader reader(block);
    while (!reader.at_end()) {
      std::uint32_t term = 0;
      for (std::uint64_t step = reader.number(); step != 0; step = reader.number()) {
        term += static_cast<std::uint32_t>(step - 1);
        visit(document, term, static_cast<std::uint16_t>(reader.number()));
      }
      ++document;
    }
  }
}

void SearchIndexBuilder::write(SectionWriter& writer) const {
  terms_.write(writer, section_ids::kTerms);
  writer.begin(section_ids::kPostings, CheckTime::kOnTouch);
  const std::vector<SearchIndex::Term> table = write_postings(writer);
  writer.end();
  writer.write_all(section_ids::kTermTable, table);
  writer.write_all(section_ids::kNorms, norms_);
  writer.write_all(section_ids::kIdRanks, id_ranks());
  writer.write_all(section_ids::kNumTokens, std::vector{num_tokens_});
}

/// As many terms at once as fit into the memory allowed; each time all documents are gone through.
std::vector<SearchIndex::Term> SearchIndexBuilder::write_postings(SectionWriter& writer) const {
  const std::array<float, 256> inverse = inverse_norms(num_tokens_, norms_.size());
  std::vector<SearchIndex::Term> table(terms_.size());
  std::string postings;
  std::vector<std::uint32_t> filled;
  std::uint64_t written = 0;
  for (std::uint32_t first = 0; first < table.size();) {
    std::uint32_t last = first;
    std::uint64_t size_bytes = 0;
    while (last < table.size() && (last == first || size_bytes < kPostingsAtOnce * kPostingBytes)) {
      table[last].begin = written + size_bytes;
      table[last].count = counts_[last];
      const std::uint64_t term_bytes = counts_[last] * kPostingBytes;
      size_bytes += term_bytes + term_bytes % sizeof(std::uint32_t);
      ++last;
    }
    postings.assign(size_bytes, '\0');
    filled.assign(last - first, 0);
    for_each_document([&](std::uint32_t document, std::uint32_t term, std::uint16_t frequency) {
      if (term < first || term >= last) {
        return;
      }
      SearchIndex::Term& entry = table[term];
      char* const begin = postings.data() + (entry.begin - written);
      const std::uint32_t place = filled[term - first]++;
      std::memcpy(begin + place * sizeof(document), &document, sizeof(document));
      std::memcpy(begin + entry.count * sizeof(document) + place * sizeof(frequency),
                  &frequency,
                  sizeof(frequency));
      entry.best_ratio =
          std::max(entry.best_ratio, static_cast<float>(frequency) * inverse[norms_[document]]);
    });
    writer.write(postings);
    written += size_bytes;
    first = last;
  }
  return table;
}

std::vector<std::uint32_t> SearchIndexBuilder::id_ranks() const {
  std::vector<std::uint32_t> by_id(ids_.size());
  std::iota(by_id.begin(), by_id.end(), 0U);
  std::ranges::sort(by_id, {}, [&](std::uint32_t i) -> const std::string& { return ids_[i]; });
  std::vector<std::uint32_t> ranks(ids_.size());
  for (std::size_t i = 0; i < by_id.size(); ++i) {
    ranks[by_id[i]] = static_cast<std::uint32_t>(i);
  }
  return ranks;
}

SearchIndex SearchIndexBuilder::build() const {
  std::string bytes;
  SectionWriter writer([&](std::string_view piece) { bytes += piece; }, "");
  write(writer);
  writer.finish();
  return SearchIndex(std::make_shared<const SectionFile>(std::move(bytes)));
}

}  // namespace dreamgym::webshop

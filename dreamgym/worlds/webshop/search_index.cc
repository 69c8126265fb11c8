#include "dreamgym/worlds/webshop/search_index.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "dreamgym/worlds/webshop/analyzer.h"

namespace dreamgym::webshop {
namespace {

constexpr float kK1 = 0.9F;
constexpr float kB = 0.4F;
constexpr std::uint32_t kExactLengths = 24;

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

}  // namespace

std::uint8_t length_to_byte(std::uint32_t length) {
  return static_cast<std::uint8_t>(
      length < kExactLengths ? length : kExactLengths + to_four_bits(length - kExactLengths));
}

std::uint32_t byte_to_length(std::uint8_t byte) {
  return byte < kExactLengths ? byte : kExactLengths + from_four_bits(byte - kExactLengths);
}

void SearchIndexBuilder::add(std::string id, std::string_view text) {
  std::vector<std::uint32_t> terms;
  for_each_term(text, [&](const std::string& word) {
    const auto next = static_cast<std::uint32_t>(index_.terms_.size());
    terms.push_back(index_.terms_.try_emplace(word, next).first->second);
  });
  const auto length = static_cast<std::uint32_t>(terms.size());
  std::ranges::sort(terms);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    constexpr std::uint16_t kMost = std::numeric_limits<std::uint16_t>::max();
    if (i == 0 || terms[i] != terms[i - 1]) {
      entries_.push_back({terms[i], 1});
    } else if (entries_.back().frequency < kMost) {
      ++entries_.back().frequency;
    }
  }
  index_.norms_.push_back(length_to_byte(length));
  index_.num_tokens_ += length;
  ends_.push_back(entries_.size());
  ids_.push_back(std::move(id));
}

SearchIndex SearchIndexBuilder::build() {
  SearchIndex index = std::move(index_);
  const std::size_t num_documents = index.norms_.size();
  const auto average =
      static_cast<float>(static_cast<double>(index.num_tokens_) /
                         static_cast<double>(std::max<std::size_t>(num_documents, 1)));
  for (std::size_t i = 0; i < index.inverse_norms_.size(); ++i) {
    const auto length = static_cast<float>(byte_to_length(static_cast<std::uint8_t>(i)));
    index.inverse_norms_[i] = 1.0F / (kK1 * ((1.0F - kB) + kB * length / average));
  }

  index.table_.resize(index.terms_.size());
  for (const Entry& entry : entries_) {
    ++index.table_[entry.term].count;
  }
  std::uint64_t begin = 0;
  for (SearchIndex::Term& term : index.table_) {
    term.begin = begin;
    begin += term.count;
  }
  index.documents_.resize(entries_.size());
  index.frequencies_.resize(entries_.size());
  std::vector<std::uint32_t> filled(index.table_.size(), 0);
  std::size_t entry = 0;
  for (std::size_t document = 0; document < num_documents; ++document) {
    const float inverse = index.inverse_norms_[index.norms_[document]];
    for (; entry < ends_[document]; ++entry) {
      const Entry& from = entries_[entry];
      SearchIndex::Term& term = index.table_[from.term];
      const std::uint64_t to = term.begin + filled[from.term]++;
      index.documents_[to] = static_cast<std::uint32_t>(document);
      index.frequencies_[to] = from.frequency;
      term.best_ratio = std::max(term.best_ratio, static_cast<float>(from.frequency) * inverse);
    }
  }

  std::vector<std::uint32_t> by_id(num_documents);
  std::iota(by_id.begin(), by_id.end(), 0U);
  std::ranges::sort(by_id, {}, [&](std::uint32_t i) -> const std::string& { return ids_[i]; });
  index.id_ranks_.resize(num_documents);
  for (std::size_t i = 0; i < num_documents; ++i) {
    index.id_ranks_[by_id[i]] = static_cast<std::uint32_t>(i);
  }
  *this = {};
  return index;
}

}  // namespace dreamgym::webshop

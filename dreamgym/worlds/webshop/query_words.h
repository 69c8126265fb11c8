// Search queries made of an instruction's own words, for agents that choose rather than write.
// Thread safety: pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dreamgym::webshop {

/// The instruction without its ", and price lower than 50.00 dollars".
std::string_view without_price_limit(std::string_view instruction);
/// That limit in dollars, if the instruction names one.
std::optional<double> price_limit(std::string_view instruction);

/// Lower-cased words that say what is wanted: without filler ("i am looking for"), price and
/// punctuation, in order, each once.
std::vector<std::string> content_words(std::string_view instruction);

/// One to three distinct queries, the most complete one first: all content words, those of the
/// first clause, the rest. Never empty.
std::vector<std::string> suggest_queries(std::string_view instruction);

}  // namespace dreamgym::webshop

// What an observation says, read back from its text: for whoever sees only what an agent sees.
//
// Reads the modes "text" and "text_rich", and the pages of ReAct logs; the text may be dreamed, so nothing is taken for granted.
// Thread safety: pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/webshop/page.h"

namespace dreamgym::webshop {

struct ShownProduct {
  std::string asin{};  ///< as shown, upper case
  std::string title{};
  std::string price{};  ///< as shown, "$34.0" or "$10.0 to $20.0"
};

/// An option's values as they stand together on an item page.
struct ShownOption {
  std::string name{};  ///< "" where the text does not tell it from a value
  std::vector<std::string> values{};
};

struct PageView {
  PageKind kind = PageKind::kSearch;
  std::string instruction{};
  std::size_t page_number = 0;           ///< of a results page
  bool has_previous = false;             ///< "< Prev" is there
  std::vector<ShownProduct> products{};  ///< of a results page
  std::string title{};                   ///< of an item page
  std::string price{};                   ///< of an item page, as shown
  std::vector<ShownOption> options{};    ///< of an item page
  std::vector<std::string> body{};       ///< of a sub page
  std::string bought_asin{};             ///< of a done page, as shown
  std::string bought_options{};          ///< of a done page: a JSON object, values by option name
};

/// The page (those of ReAct logs have no instruction), or a search page without instruction if the text is none of ours.
PageView read_page(std::string_view observation);
/// The page after an action: a ReAct log answers a choice with "You have clicked black." alone, and the page
/// stays as it was.
PageView read_next_page(const PageView& before, std::string_view observation);

/// Lower-cased names of what can be clicked there, each once.
std::vector<std::string> clickable_names(const PageView& page);

/// Of a price as shown, dollars: "$34.0" or the ends of "$10.0 to $20.0"; 0 if it is none.
double lowest_price(std::string_view shown);
double highest_price(std::string_view shown);

/// Lower-cased words without marks at their ends: "X-Large, (Pack of 2)" to x-large pack of 2.
std::vector<std::string> plain_words(std::string_view text);
/// Adds them, and the halves of hyphenated words, as instructions write either.
void add_words_of(std::string_view text, std::set<std::string>& words);

/// The option's value whose words stand in `asked` (words of an instruction, in order) one after
/// the other; the longest one.
std::optional<std::string> asked_value(const ShownOption& option,
                                       const std::vector<std::string>& asked);

}  // namespace dreamgym::webshop

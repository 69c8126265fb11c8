// The shop as a list of clean elements: short states and plain actions for small language models.
//
//   search page                                     search wireless mouse black
//   page 1: item 1 silent mouse $12, item 2 mouse pad $62 too dear
//                                                   open item 1, next page, previous page
//   item 1 silent mouse $12; color: black, white    choose black, read features, read description,
//                                                   buy, back
//   chosen: black                                   (the item's elements stay)
//   features: two buttons, silent clicks            back
//   back at item 1 | back at page 1                 (what was shown there before)
//   bought item 1 with black                        new search (everywhere but on the search page)
//   nothing happens
//
// Products are numbered as the episode first shows them; a title is cut to eight words, those that the
// instruction names first; options show at most eight values; prices are whole dollars, rounded up,
// with "too dear" above the instruction's limit.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/env/state_mapper.h"
#include "dreamgym/worlds/webshop/page_reader.h"
#include "dreamgym/worlds/webshop/session.h"

namespace dreamgym::webshop {

/// Pieces of abstract states.
namespace abstract {
inline constexpr std::string_view kSearchPage = "search page";
inline constexpr std::string_view kNothing = "nothing happens";
inline constexpr std::string_view kBackAt = "back at ";
inline constexpr std::string_view kPage = "page ";
inline constexpr std::string_view kChosen = "chosen: ";
inline constexpr std::string_view kBought = "bought ";
inline constexpr std::string_view kWith = " with ";
inline constexpr std::string_view kItem = "item ";
inline constexpr std::string_view kTooDear = " too dear";
}  // namespace abstract

/// The shop's terms for an abstract action: "open item 1" to {click, 1}, "buy" to {click, buy
/// now}. An empty name if it is no abstract action.
ParsedAction parse_abstract_action(std::string_view action);
/// The abstract action for the shop's: {click, 1} on a results page to "open item 1".
std::string abstract_action(const ParsedAction& action, PageKind page);

/// Reads pages in the modes "text" and "text_rich", and those of ReAct logs.
/// Thread safety: none.
class AbstractState final : public StateMapper {
 public:
  std::string reset(std::string_view instruction, std::string_view observation) override;
  [[nodiscard]] Action to_world(std::string_view action) const override;
  [[nodiscard]] Action from_world(std::string_view action) const override;
  std::string observe(std::string_view world_action,
                      bool action_valid,
                      std::string_view observation) override;

 private:
  std::string number_of(const std::string& asin);
  std::string show_results();
  std::string show_item();
  std::string show_options();
  std::string show_sub_page(const std::string& name) const;
  std::string choose(const std::string& value);
  /// The clean text of a value of the item's, by the shop's.
  [[nodiscard]] std::optional<std::string> clean_of(const std::string& value) const;
  [[nodiscard]] std::string show_chosen() const;
  [[nodiscard]] std::string show_price(std::string_view price) const;
  [[nodiscard]] std::string clean_title(std::string_view title) const;
  [[nodiscard]] std::string clean_words(const std::vector<std::string>& words,
                                        std::size_t most) const;

  std::string instruction_;
  std::set<std::string> wanted_;    ///< content words of the instruction
  std::vector<std::string> asked_;  ///< all its words, in order
  double limit_ = 0;                ///< dollars
  PageView page_;
  std::map<std::string, std::string> number_of_;  ///< by asin, lower case
  std::map<std::string, std::string> asin_of_;    ///< by number
  std::string item_;                              ///< number of the item looked at
  std::map<std::string, std::string> values_;     ///< the shop's text of the item's clean values
  std::map<std::string, std::string> option_of_;  ///< name of the option, by clean value
  std::map<std::string, std::string> chosen_;     ///< clean value by option
};

}  // namespace dreamgym::webshop

#include "dreamgym/worlds/webshop/abstract_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/query_words.h"

namespace dreamgym::webshop {
namespace {

constexpr std::size_t kTitleWords = 8;
constexpr std::size_t kValueWords = 6;
constexpr std::size_t kMostValues = 8;  // shown of an option
constexpr std::size_t kBodyWords = 8;   // of a bullet or a sentence
constexpr std::size_t kMostBullets = 6;

struct Phrase {
  std::string_view abstract;
  std::string_view clicked;
};
constexpr Phrase kPhrases[] = {{"next page", "next >"},
                               {"previous page", "< prev"},
                               {"back", "< prev"},
                               {"new search", "back to search"},
                               {"buy", "buy now"},
                               {"read features", "features"},
                               {"read description", "description"},
                               {"read reviews", "reviews"},
                               {"read attributes", "attributes"}};

/// Words without the marks that separate elements.
std::vector<std::string> element_words(std::string_view text) {
  std::vector<std::string> out;
  for (std::string& word : plain_words(text)) {
    std::erase_if(word, [](char c) { return c == ',' || c == ';' || c == ':' || c == '$'; });
    if (!word.empty()) {
      out.push_back(std::move(word));
    }
  }
  return out;
}

std::string shop_text(const ParsedAction& action) {
  return fmt::format("{}[{}]", action.name, action.argument);
}

}  // namespace

ParsedAction parse_abstract_action(std::string_view action) {
  for (const Phrase& phrase : kPhrases) {
    if (action == phrase.abstract) {
      return {"click", std::string(phrase.clicked)};
    }
  }
  for (const auto& [prefix, name] : {std::pair<std::string_view, const char*>{"search ", "search"},
                                     {"open item ", "click"},
                                     {"choose ", "click"}}) {
    std::string_view rest = action;
    if (consume_prefix(rest, prefix) && !trim(rest).empty()) {
      return {name, to_lower(rest)};
    }
  }
  return {};
}

std::string abstract_action(const ParsedAction& action, PageKind page) {
  if (action.name == "search") {
    return "search " + action.argument;
  }
  if (action.argument == "< prev") {
    return page == PageKind::kResults ? "previous page" : "back";
  }
  for (const Phrase& phrase : kPhrases) {
    if (action.argument == phrase.clicked) {
      return std::string(phrase.abstract);
    }
  }
  return (page == PageKind::kResults ? "open item " : "choose ") + action.argument;
}

std::string AbstractState::reset(std::string_view instruction, std::string_view observation) {
  *this = AbstractState();
  instruction_ = instruction;
  for (const std::string& word : content_words(instruction_)) {
    add_words_of(word, wanted_);
  }
  asked_ = plain_words(without_price_limit(instruction_));
  limit_ = price_limit(instruction_).value_or(HUGE_VAL);
  page_ = read_page(observation);
  if (page_.kind != PageKind::kSearch || page_.instruction.empty()) {
    throw Error(ErrorKind::kParse,
                fmt::format("first page of an episode: expected the shop's search page as text, got "
                            "\"{}\"",
                            shorten(observation, 80)),
                "logs of urls only have no pages that could be shown to a model");
  }
  return std::string(abstract::kSearchPage);
}

Action AbstractState::to_world(std::string_view action) const {
  ParsedAction parsed = parse_abstract_action(action);
  if (parsed.name.empty()) {
    return std::string(action);
  }
  const auto& names = action.starts_with("open ") ? asin_of_ : values_;
  if (const auto found = names.find(parsed.argument);
      found != names.end() && parsed.name == "click") {
    parsed.argument = found->second;
  }
  return shop_text(parsed);
}

Action AbstractState::from_world(std::string_view action) const {
  ParsedAction parsed = parse_action(action);
  if (parsed.argument.empty() || (parsed.name != "click" && parsed.name != "search")) {
    return std::string(action);
  }
  if (parsed.name == "click") {
    if (const auto number = number_of_.find(parsed.argument); number != number_of_.end()) {
      parsed.argument = number->second;
    }
    if (const auto clean = clean_of(parsed.argument); clean && page_.kind == PageKind::kItem) {
      parsed.argument = *clean;
    }
  }
  return abstract_action(parsed, page_.kind);
}

std::string AbstractState::observe(std::string_view world_action,
                                   bool action_valid,
                                   std::string_view observation) {
  if (!action_valid) {
    return std::string(abstract::kNothing);
  }
  const ParsedAction action = parse_action(world_action);
  const PageView before = std::exchange(page_, read_next_page(page_, observation));
  const bool turned_back = action.argument == "< prev";
  switch (page_.kind) {
    case PageKind::kSearch:
      return std::string(abstract::kSearchPage);
    case PageKind::kResults:
      return turned_back && before.kind == PageKind::kItem
                 ? fmt::format("{}{}{}", abstract::kBackAt, abstract::kPage, page_.page_number)
                 : show_results();
    case PageKind::kItem:
      if (before.kind == PageKind::kItem) {
        return choose(action.argument);
      }
      if (before.kind == PageKind::kSubPage) {
        return fmt::format("{}{}{}", abstract::kBackAt, abstract::kItem, item_);
      }
      item_ = number_of(action.argument);
      return show_item();
    case PageKind::kSubPage:
      return show_sub_page(action.argument);
    case PageKind::kDone:
      break;
  }
  const std::string chosen = show_chosen();
  return fmt::format("{}{}{}{}",
                     abstract::kBought,
                     abstract::kItem,
                     item_,
                     chosen.empty() ? "" : fmt::format("{}{}", abstract::kWith, chosen));
}

std::string AbstractState::number_of(const std::string& asin) {
  const auto known = number_of_.find(to_lower(asin));
  if (known != number_of_.end()) {
    return known->second;
  }
  std::string text = fmt::format("{}", asin_of_.size() + 1);
  number_of_[to_lower(asin)] = text;
  asin_of_[text] = to_lower(asin);
  return text;
}

std::string AbstractState::show_results() {
  std::vector<std::string> shown;
  for (const ShownProduct& product : page_.products) {
    shown.push_back(fmt::format("{}{} {} {}",
                                abstract::kItem,
                                number_of(product.asin),
                                clean_title(product.title),
                                show_price(product.price)));
  }
  return fmt::format("{}{}: {}",
                     abstract::kPage,
                     page_.page_number,
                     shown.empty() ? "nothing" : join(shown, ", "));
}

std::string AbstractState::show_item() {
  return fmt::format("{}{} {} {}{}",
                     abstract::kItem,
                     item_,
                     clean_title(page_.title),
                     show_price(page_.price),
                     show_options());
}

std::string AbstractState::show_options() {
  values_.clear();
  option_of_.clear();
  chosen_.clear();
  std::string text;
  for (const ShownOption& option : page_.options) {
    const std::string name = option.name.empty()
                                 ? std::string("option")
                                 : join(element_words(option.name), " ");
    const auto asked = asked_value(option, asked_);
    std::vector<std::string> shown;
    for (const std::string& value : option.values) {
      const std::string clean = clean_words(element_words(value), kValueWords);
      const bool is_asked = asked && value == *asked;
      const std::size_t room = kMostValues - (asked && !is_asked ? 1 : 0);
      if (clean.empty() || values_.contains(clean) || (!is_asked && shown.size() >= room)) {
        continue;
      }
      if (is_asked && shown.size() >= kMostValues) {
        shown.pop_back();
      }
      values_[clean] = value;
      option_of_[clean] = name;
      shown.push_back(clean);
    }
    if (!shown.empty()) {
      text += fmt::format("; {}: {}", name, join(shown, ", "));
    }
  }
  return text;
}

std::string AbstractState::choose(const std::string& value) {
  if (const auto clean = clean_of(value)) {
    chosen_[option_of_.at(*clean)] = *clean;
  }
  return std::string(abstract::kChosen) + show_chosen();
}

std::optional<std::string> AbstractState::clean_of(const std::string& value) const {
  const auto found =
      std::ranges::find_if(values_, [&](const auto& known) { return known.second == value; });
  return found == values_.end() ? std::nullopt : std::optional(found->first);
}

std::string AbstractState::show_chosen() const {
  std::vector<std::string> chosen;
  for (const auto& [option, clean] : chosen_) {
    chosen.push_back(clean);
  }
  return join(chosen, ", ");
}

std::string AbstractState::show_sub_page(const std::string& name) const {
  std::vector<std::string> shown;
  for (const std::string& field : page_.body) {
    const std::string clean = clean_words(element_words(field), kBodyWords);
    if (!clean.empty() && shown.size() < kMostBullets) {
      shown.push_back(clean);
    }
  }
  return fmt::format("{}: {}", name, shown.empty() ? "nothing" : join(shown, ", "));
}

std::string AbstractState::show_price(std::string_view price) const {
  const double low = lowest_price(price);
  return fmt::format("${:.0f}{}", std::ceil(low), low > limit_ ? abstract::kTooDear : "");
}

std::string AbstractState::clean_title(std::string_view title) const {
  std::vector<std::string> words = element_words(title);
  if (words.size() > 2 && !wanted_.contains(words.front())) {
    words.erase(words.begin());  // the maker
  }
  return clean_words(words, kTitleWords);
}

std::string AbstractState::clean_words(const std::vector<std::string>& words,
                                       std::size_t most) const {
  if (words.size() <= most) {
    return join(words, " ");
  }
  const auto is_wanted = [&](const std::string& word) { return wanted_.contains(word); };
  auto room = most - std::min(most,
                              static_cast<std::size_t>(std::ranges::count_if(words, is_wanted)));
  std::vector<std::string> kept;
  for (const std::string& word : words) {
    if (kept.size() < most && (is_wanted(word) || room > 0)) {
      room -= is_wanted(word) ? 0 : 1;
      kept.push_back(word);
    }
  }
  return join(kept, " ");
}

}  // namespace dreamgym::webshop

#include "dreamgym/worlds/webshop/episode_reader.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/base/number.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/abstract_state.h"
#include "dreamgym/worlds/webshop/query_words.h"

namespace dreamgym::webshop {
namespace {

std::vector<std::string> split_at(std::string_view text, std::string_view separator) {
  std::vector<std::string> pieces;
  for (;;) {
    const std::size_t end = text.find(separator);
    pieces.emplace_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos) {
      return pieces;
    }
    text.remove_prefix(end + separator.size());
  }
}

/// "item 1 silent mouse $12 too dear".
ShownProduct read_product(std::string_view text) {
  consume_prefix(text, abstract::kItem);
  const std::size_t blank = std::min(text.find(' '), text.size());
  const std::size_t dollar = std::min(text.rfind('$'), text.size());
  ShownProduct product{.asin = std::string(text.substr(0, blank)),
                       .price = std::string(text.substr(dollar))};
  if (blank < dollar) {
    product.title = trim(text.substr(blank, dollar - blank));
  }
  return product;
}

}  // namespace

void EpisodeReader::reset(std::string_view instruction, std::string_view observation) {
  *this = EpisodeReader();
  instruction_ = instruction;
  text_ = observation;
  abstract_ = observation == abstract::kSearchPage;
  page_ = abstract_ ? PageView{.instruction = instruction_} : read_page(observation);
}

void EpisodeReader::observe(std::string_view action, std::string_view observation) {
  shows_contents_ = true;
  if (abstract_) {
    nothing_happened_ = observation == abstract::kNothing;
    if (!nothing_happened_) {
      observe_abstract(action, observation);
    }
  } else {
    nothing_happened_ = observation == text_;
    page_ = read_next_page(page_, observation);
  }
  text_ = observation;
}

void EpisodeReader::observe_abstract(std::string_view action, std::string_view observation) {
  std::string_view rest = observation;
  if (observation == abstract::kSearchPage) {
    results_.clear();
    page_ = {.instruction = instruction_};
  } else if (consume_prefix(rest, abstract::kBackAt)) {
    shows_contents_ = false;
    read_again(rest);
  } else if (consume_prefix(rest, abstract::kPage)) {
    if (parse(action).name == "search") {
      results_.clear();
    }
    read_results(rest);
  } else if (rest.starts_with(abstract::kItem)) {
    read_item(rest);
  } else if (consume_prefix(rest, abstract::kChosen)) {
    page_ = item_page_;
  } else if (consume_prefix(rest, abstract::kBought)) {
    read_purchase(rest);
  } else if (const std::size_t colon = rest.find(": "); colon != std::string_view::npos) {
    page_ = {.kind = PageKind::kSubPage,
             .instruction = instruction_,
             .body = split_at(rest.substr(colon + 2), ", ")};
  }
}

void EpisodeReader::read_results(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  PageView page{.kind = PageKind::kResults,
                .instruction = instruction_,
                .page_number = parse_unsigned(text.substr(0, colon)).value_or(0)};
  page.has_previous = page.page_number > 1;
  for (const std::string& piece : split_at(text.substr(std::min(colon + 1, text.size())), ", ")) {
    if (piece.starts_with(abstract::kItem)) {
      page.products.push_back(read_product(piece));
    }
  }
  results_[page.page_number] = page;
  page_ = std::move(page);
}

void EpisodeReader::read_item(std::string_view text) {
  const std::vector<std::string> pieces = split_at(text, "; ");
  const ShownProduct product = read_product(pieces.front());
  PageView page{.kind = PageKind::kItem,
                .instruction = instruction_,
                .title = product.title,
                .price = product.price};
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const std::size_t colon = pieces[i].find(": ");
    if (colon != std::string::npos) {
      page.options.push_back({.name = pieces[i].substr(0, colon),
                              .values = split_at(pieces[i].substr(colon + 2), ", ")});
    }
  }
  item_page_ = page;
  page_ = std::move(page);
}

void EpisodeReader::read_again(std::string_view text) {
  if (!consume_prefix(text, abstract::kPage)) {
    page_ = item_page_;
    return;
  }
  const auto known = results_.find(parse_unsigned(text).value_or(0));
  page_ = known != results_.end()
              ? known->second
              : PageView{.kind = PageKind::kResults, .instruction = instruction_};
}

void EpisodeReader::read_purchase(std::string_view text) {
  consume_prefix(text, abstract::kItem);
  const std::size_t end = std::min(text.find(abstract::kWith), text.size());
  nlohmann::json chosen = nlohmann::json::object();
  if (end < text.size()) {
    for (const std::string& value : split_at(text.substr(end + abstract::kWith.size()), ", ")) {
      chosen[fmt::format("{}", chosen.size())] = value;
    }
  }
  page_ = {.kind = PageKind::kDone,
           .instruction = instruction_,
           .bought_asin = std::string(text.substr(0, end)),
           .bought_options =
               chosen.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

ParsedAction EpisodeReader::parse(std::string_view action) const {
  return abstract_ ? parse_abstract_action(action) : parse_action(action);
}

std::string EpisodeReader::action(const ParsedAction& action) const {
  return abstract_ ? abstract_action(action, page_.kind)
                   : fmt::format("{}[{}]", action.name, action.argument);
}

std::vector<std::string> EpisodeReader::candidates() const {
  std::vector<std::string> actions;
  if (page_.kind == PageKind::kSearch || page_.kind == PageKind::kDone) {
    for (const std::string& query : suggest_queries(instruction_)) {
      actions.push_back(action({"search", query}));
    }
  }
  for (const std::string& name : clickable_names(page_)) {
    // The shop's pages of reviews are empty: no element worth a look.
    if (!(abstract_ && name == "reviews")) {
      actions.push_back(action({"click", name}));
    }
  }
  return actions;
}

}  // namespace dreamgym::webshop

#include "dreamgym/worlds/webshop/text_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "dreamgym/base/text.h"
#include "dreamgym/env/first_fault.h"
#include "dreamgym/worlds/webshop/query_words.h"
#include "dreamgym/worlds/webshop/episode_reader.h"
#include "dreamgym/worlds/webshop/shop_memory.h"

namespace dreamgym::webshop {
namespace {

bool is_listed(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string_view kind_name(PageKind kind) {
  switch (kind) {
    case PageKind::kSearch:
      return "search page";
    case PageKind::kResults:
      return "results page";
    case PageKind::kItem:
      return "item page";
    case PageKind::kSubPage:
      return "sub page";
    case PageKind::kDone:
      break;
  }
  return "done page";
}

/// A search for such a word misleads the shop's "< prev" (docs/worlds/webshop.md).
bool misleads(std::string_view query) {
  return contains(query, "search_results") || contains(query, "item_page") ||
         contains(query, "item_sub_page") || contains(query, "done");
}

bool is_possible(const ParsedAction& action, const PageView& page) {
  return !action.argument.empty() &&
         (action.name == "search" ||
          (action.name == "click" && is_listed(clickable_names(page), action.argument)));
}

/// What is wrong with one step, given everything shown before it; "" if nothing is.
class StepCheck : private FirstFault {
 public:
  StepCheck(const ShopMemory& memory,
            const ParsedAction& action,
            const Transition& step,
            const EpisodeReader& after)
      : memory_(memory),
        action_(action),
        step_(step),
        before_(memory.page()),
        next_(after.page()),
        nothing_happened_(after.nothing_happened()) {}

  std::string run() {
    const bool possible = is_possible(action_, before_);
    if (possible && action_.name == "search") {
      if (action_.argument.starts_with('<')) {
        return "";  // special searches: random, or not always possible
      }
      check_results(1, action_.argument);
    } else if (possible) {
      check_click();
    } else {
      blame(!nothing_happened_,
            "\"{}\" is not possible, but the page changes",
            shorten(step_.action, 60));
    }
    if (next_.kind != PageKind::kDone) {
      blame(next_.instruction != before_.instruction,
            "the instruction becomes \"{}\"",
            shorten(next_.instruction, 60));
    }
    return first_fault();
  }

 private:
  bool leads_to(PageKind kind) {
    blame(next_.kind != kind,
          "\"{}\" leads to the {} instead of the {}",
          shorten(step_.action, 60),
          kind_name(next_.kind),
          kind_name(kind));
    return next_.kind == kind;
  }

  /// The name decides before the kind of element does, as in the shop.
  void check_click() {
    const std::string& name = action_.argument;
    if (name == "buy now") {
      check_purchase();
    } else if (name == "back to search") {
      leads_to(PageKind::kSearch);
    } else if (name == "< prev" || (name == "next >" && before_.kind == PageKind::kResults)) {
      check_turn();
    } else if (name == "description" || name == "features" || name == "reviews" ||
               name == "attributes") {
      check_sub_page();
    } else if (before_.kind == PageKind::kResults) {
      check_item(python_upper(name));
    } else {
      check_item(memory_.item());
    }
  }

  void check_turn() {
    if (misleads(memory_.query())) {
      return;
    }
    switch (before_.kind) {
      case PageKind::kResults:
        check_results(action_.argument == "next >" ? before_.page_number + 1 : before_.page_number - 1,
                      memory_.query());
        break;
      case PageKind::kItem:
        leads_to(PageKind::kResults);
        break;
      default:
        check_item(memory_.item());
        break;
    }
  }

  void check_results(std::size_t page_number, const std::string& query) {
    if (!leads_to(PageKind::kResults)) {
      return;
    }
    blame(next_.page_number != page_number,
          "shows page {} of the results instead of page {}",
          next_.page_number,
          page_number);
    if (const auto* known = memory_.results(query, page_number); known != nullptr) {
      blame(*known != asins_of(next_), "the same search finds other products");
    }
    for (const ShownProduct& shown : next_.products) {
      check_listing(shown.asin, shown.title, shown.price);
    }
  }

  void check_listing(const std::string& asin, const std::string& title, const std::string& price) {
    const ProductMemory* known = memory_.product(asin);
    if (known == nullptr) {
      return;
    }
    blame(title != known->title,
          "{} is \"{}\" but was \"{}\"",
          asin,
          shorten(title, 60),
          shorten(known->title, 60));
    blame(price != known->price, "{} costs {} but cost {}", asin, price, known->price);
  }

  void check_item(const std::string& asin) {
    if (!leads_to(PageKind::kItem)) {
      return;
    }
    check_listing(asin, next_.title, next_.price);
    const ProductMemory* known = memory_.product(asin);
    blame(known != nullptr && known->opened &&
              option_texts(known->options) != option_texts(next_.options),
          "{} has other options than before",
          asin);
  }

  void check_sub_page() {
    if (!leads_to(PageKind::kSubPage)) {
      return;
    }
    const ProductMemory* known = memory_.product(memory_.item());
    if (known == nullptr || !known->sub_pages.contains(action_.argument)) {
      return;
    }
    blame(known->sub_pages.at(action_.argument) != next_.body,
          "the {} of {} differ from before",
          action_.argument,
          memory_.item());
  }

  void check_purchase() {
    if (!leads_to(PageKind::kDone)) {
      return;
    }
    blame(next_.bought_asin != memory_.item(),
          "{} was bought instead of {}",
          shorten(next_.bought_asin, 20),
          memory_.item());
    const auto json = nlohmann::json::parse(next_.bought_options, nullptr, false);
    std::multiset<std::string> bought;
    for (const auto& item : json.items()) {
      bought.insert(item.value().is_string() ? item.value().get<std::string>() : "");
    }
    const std::vector<std::string> chosen = memory_.chosen();
    blame(!json.is_object() || bought != std::multiset<std::string>(chosen.begin(), chosen.end()),
          "the purchase has options {} but \"{}\" was chosen",
          shorten(next_.bought_options, 80),
          join(chosen, ", "));
  }

  const ShopMemory& memory_;
  const ParsedAction& action_;
  const Transition& step_;
  const PageView& before_;
  const PageView& next_;
  bool nothing_happened_;
};

/// All that was shown of the product, with these of its option values.
std::set<std::string> words_shown(const ProductMemory& product, std::vector<std::string> texts) {
  texts.push_back(product.title);
  for (const auto& [name, body] : product.sub_pages) {
    texts.insert(texts.end(), body.begin(), body.end());
  }
  std::set<std::string> known;
  add_words_of(join(texts, " "), known);
  return known;
}

/// Nine tenths of the instruction's content words stand in what was shown of the product.
bool words_are_shown(std::string_view instruction, const ProductMemory& product) {
  const std::set<std::string> known = words_shown(product, option_texts(product.options));
  const std::vector<std::string> wanted = content_words(instruction);
  const auto found = static_cast<std::size_t>(
      std::ranges::count_if(wanted, [&](const std::string& word) { return known.contains(word); }));
  return 10 * found >= 9 * wanted.size();
}

bool within_limit(std::string_view instruction, const ProductMemory& product) {
  const auto limit = price_limit(instruction);
  return !limit || highest_price(product.price) <= *limit;
}

/// As the shop pays in part: of the instruction's content words and its price, what the product bought
/// shows or was chosen of it.
double share_of_goal(const ShopMemory& memory, const std::string& instruction) {
  const ProductMemory* bought = memory.product(memory.item());
  if (memory.page().kind != PageKind::kDone || bought == nullptr || !bought->opened) {
    return 0;
  }
  const std::set<std::string> met = words_shown(*bought, memory.chosen());
  const std::vector<std::string> wanted = content_words(instruction);
  const auto words = std::ranges::count_if(wanted, [&](const std::string& word) { return met.contains(word); });
  return static_cast<double>(words + (within_limit(instruction, *bought) ? 1 : 0)) /
         static_cast<double>(wanted.size() + 1);
}

bool goal_is_shown(const ShopMemory& memory, const std::string& instruction) {
  const ProductMemory* bought = memory.product(memory.item());
  if (memory.page().kind != PageKind::kDone || bought == nullptr || !bought->opened) {
    return false;
  }
  if (!within_limit(instruction, *bought)) {
    return false;
  }
  const std::vector<std::string> asked = plain_words(without_price_limit(instruction));
  const std::vector<std::string> chosen = memory.chosen();
  for (const ShownOption& option : bought->options) {
    const auto value = asked_value(option, asked);
    if (value && !is_listed(chosen, *value)) {
      return false;
    }
  }
  return words_are_shown(instruction, *bought);
}

class TextAuditor final : public EpisodeAuditor {
 public:
  [[nodiscard]] EpisodeAudit audit(const Trajectory& trajectory) const override {
    EpisodeAudit audit;
    if (trajectory.steps.empty()) {
      return audit;
    }
    EpisodeReader reader;
    reader.reset(trajectory.task.instruction, trajectory.steps.front().observation.text);
    ShopMemory memory(reader.page());
    for (std::size_t i = 0; i < trajectory.steps.size(); ++i) {
      const Transition& step = trajectory.steps[i];
      const ParsedAction action = reader.parse(step.action);
      reader.observe(step.action, step.next_observation.text);
      const std::string wrong = StepCheck(memory, action, step, reader).run();
      if (!wrong.empty() && audit.num_contradictions++ == 0) {
        audit.first_contradiction = fmt::format("step {}: {}", i + 1, wrong);
      }
      if (reader.nothing_happened() && !is_possible(action, memory.page())) {
        continue;
      }
      const SecondLook look = memory.observe(action, reader.page());
      const bool counts = look.is_one && reader.shows_contents();
      audit.num_second_looks += counts ? 1 : 0;
      audit.num_agreeing += counts && look.agrees ? 1 : 0;
    }
    audit.success_confirmed =
        trajectory.success() && goal_is_shown(memory, trajectory.task.instruction);
    audit.goal_share = audit.success_confirmed ? 1.0 : share_of_goal(memory, trajectory.task.instruction);
    return audit;
  }
};

}  // namespace

std::unique_ptr<EpisodeAuditor> make_text_auditor() {
  return std::make_unique<TextAuditor>();
}

}  // namespace dreamgym::webshop

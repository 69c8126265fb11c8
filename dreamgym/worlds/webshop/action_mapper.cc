#include "dreamgym/worlds/webshop/action_mapper.h"

#include <fmt/format.h>

#include <algorithm>

#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/query_words.h"

namespace dreamgym::webshop {

void WebshopActionMapper::reset(std::string_view instruction, std::string_view observation) {
  instruction_ = instruction;
  page_ = read_page(observation);
}

void WebshopActionMapper::observe(std::string_view, std::string_view observation) {
  page_ = read_page(observation);
}

std::vector<std::string> WebshopActionMapper::candidates() const {
  std::vector<std::string> actions;
  const auto click = [&](std::string_view name) {
    std::string action = fmt::format("click[{}]", name);
    if (std::ranges::find(actions, action) == actions.end()) {
      actions.push_back(std::move(action));
    }
  };
  switch (page_.kind) {
    case PageKind::kSearch:
    case PageKind::kDone:
      for (const std::string& query : suggest_queries(instruction_)) {
        actions.push_back(fmt::format("search[{}]", query));
      }
      break;
    case PageKind::kResults:
      click("back to search");
      if (page_.has_previous) {
        click("< prev");
      }
      click("next >");
      for (const ShownProduct& product : page_.products) {
        click(to_lower(product.asin));
      }
      break;
    case PageKind::kItem:
      for (const char* name :
           {"back to search", "< prev", "description", "features", "reviews", "buy now"}) {
        click(name);
      }
      for (const ShownOption& option : page_.options) {
        for (const std::string& value : option.values) {
          click(value);
        }
      }
      break;
    case PageKind::kSubPage:
      click("back to search");
      click("< prev");
      break;
  }
  return actions;
}

}  // namespace dreamgym::webshop

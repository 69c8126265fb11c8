#include "dreamgym/worlds/webshop/action_mapper.h"

#include <fmt/format.h>

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
  if (page_.kind == PageKind::kSearch || page_.kind == PageKind::kDone) {
    for (const std::string& query : suggest_queries(instruction_)) {
      actions.push_back(fmt::format("search[{}]", query));
    }
  }
  for (const std::string& name : clickable_names(page_)) {
    actions.push_back(fmt::format("click[{}]", name));
  }
  return actions;
}

}  // namespace dreamgym::webshop

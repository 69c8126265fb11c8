#include "dreamgym/worlds/webshop/session.h"

#include <algorithm>
#include <numeric>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym::webshop {
namespace {

constexpr std::size_t kMostResults = 50;
constexpr std::int64_t kPageSize = 10;
constexpr std::string_view kSubPages[] = {"Description", "Features", "Reviews", "Attributes"};

/// Which page the original takes the url for; "" = the search page.
std::string_view page_name(std::string_view url) {
  for (const std::string_view name : {"search_results", "item_page", "item_sub_page", "done"}) {
    if (contains(url, name)) {
      return name;
    }
  }
  return "";
}

std::string join_from(const std::vector<std::string>& keywords, std::size_t begin) {
  return join({keywords.begin() + static_cast<std::ptrdiff_t>(begin), keywords.end()}, " ");
}

}  // namespace

ParsedAction parse_action(std::string_view action) {
  const std::string_view line = action.substr(0, action.find('\n'));
  for (std::size_t open = line.rfind('['); open != std::string_view::npos && open > 0;
       open = line.rfind('[', open - 1)) {
    const std::size_t close = line.rfind(']');
    if (close != std::string_view::npos && close >= open + 2) {
      return {std::string(line.substr(0, open)),
              python_lower(line.substr(open + 1, close - open - 1))};
    }
  }
  return {std::string(action), ""};
}

Session::Session(std::shared_ptr<const Shop> shop, std::string id, Goal goal, std::uint64_t seed)
    : shop_(std::move(shop)), rng_(Rng(seed).fork("webshop")) {
  state_.id = std::move(id);
  state_.goal = std::move(goal);
  open_search();
}

bool Session::act(std::string_view action) {
  check(!done(), "a session that has ended takes no action");
  const ParsedAction parsed = parse_action(action);
  if (parsed.name == "search" && !parsed.argument.empty()) {
    return search(split(parsed.argument, ' '), 1);
  }
  if (parsed.name != "click" || parsed.argument.empty() || parsed.argument == "search") {
    return false;
  }
  const auto element = std::ranges::find(clickables_, parsed.argument, &Clickable::name);
  return element != clickables_.end() && click(Clickable(*element));
}

/// The name decides before the kind of element does, as in the original.
bool Session::click(const Clickable& element) {
  const std::string_view page = page_name(state_.url);
  if (element.name == "buy now") {
    buy();
    return true;
  }
  if (element.name == "back to search") {
    open_search();
    return true;
  }
  if (element.name == "next >" && page == "search_results") {
    return search(state_.keywords, state_.page_number + 1);
  }
  if (element.name == "< prev" && page == "search_results") {
    return search(state_.keywords, state_.page_number - 1);
  }
  if (element.name == "< prev" && page == "item_page") {
    return search(state_.keywords, state_.page_number);
  }
  for (const std::string_view name : kSubPages) {
    if (element.name == to_lower(name)) {
      open_sub_page(std::string(name));
      return true;
    }
  }
  return open_item(element);
}

bool Session::search(std::vector<std::string> keywords, std::int64_t page_number) {
  std::vector<ProductIndex> found;
  if (!find_products(keywords, found)) {
    return false;
  }
  const auto size = static_cast<std::int64_t>(found.size());
  const std::int64_t begin = std::clamp<std::int64_t>((page_number - 1) * kPageSize, 0, size);
  const std::int64_t end = std::clamp<std::int64_t>(page_number * kPageSize, 0, size);
  state_.on_page.assign(found.begin() + begin, found.begin() + std::max(begin, end));
  state_.num_results = found.size();
  state_.page_number = page_number;
  state_.keywords = std::move(keywords);
  state_.options.clear();
  enter(PageKind::kResults);
  return true;
}

bool Session::find_products(const std::vector<std::string>& keywords,
                            std::vector<ProductIndex>& found) {
  const Catalogue& catalogue = shop_->catalogue();
  const std::string& first = keywords.front();
  if (first == "<a>") {
    return false;  // the original's text environment raises a TypeError
  }
  if (first == "<r>") {
    if (catalogue.size() < kMostResults) {
      return false;  // a sample larger than its population
    }
    std::vector<ProductIndex> all(catalogue.size());
    std::iota(all.begin(), all.end(), ProductIndex{0});
    for (std::size_t i = 0; i < kMostResults; ++i) {
      std::swap(all[i], all[i + rng_.below(all.size() - i)]);
    }
    found.assign(all.begin(), all.begin() + kMostResults);
  } else if (first == "<c>") {
    if (keywords.size() < 2) {
      return false;  // an IndexError
    }
    found = catalogue.with_category(python_strip(keywords[1]));
  } else if (first == "<q>") {
    const std::string query = join_from(keywords, 1);
    found = catalogue.with_query(python_strip(query));
  } else {
    for (const SearchHit& hit : shop_->index().search(join(keywords, " "), kMostResults)) {
      found.push_back(hit.document);
    }
  }
  return true;
}

bool Session::open_item(const Clickable& element) {
  if (element.kind == Clickable::Kind::kProduct) {
    const std::string asin = python_upper(element.name);
    const auto product = shop_->catalogue().find(asin);
    if (!product) {
      return false;  // an asin with lower-case letters: a KeyError
    }
    state_.product = *product;
    state_.seen_asins.insert(asin);
  } else if (element.kind == Clickable::Kind::kOption) {
    set_item(state_.options, element.option_name, element.name);
  }
  enter(PageKind::kItem);
  return true;
}

void Session::open_sub_page(std::string name) {
  state_.sub_page = std::move(name);
  enter(PageKind::kSubPage);
}

void Session::open_search() {
  state_.keywords.clear();
  state_.page_number = 0;
  state_.on_page.clear();
  state_.num_results = 0;
  state_.seen_asins.clear();
  state_.options.clear();
  enter(PageKind::kSearch);
}

void Session::buy() {
  std::vector<std::string> values;
  for (const auto& [name, value] : state_.options) {
    values.push_back(value);
  }
  state_.reward = shop_->reward(state_.goal, state_.product, values);
  enter(PageKind::kDone);
}

void Session::enter(PageKind kind) {
  state_.page_kind = kind;
  state_.url = page_url(*shop_, state_);
  clickables_ = list_clickables(*shop_, state_);
}

}  // namespace dreamgym::webshop

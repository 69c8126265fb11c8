#include "dreamgym/worlds/webshop/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/internal/page_html.h"
#include "dreamgym/worlds/webshop/internal/page_nodes.h"

namespace dreamgym::webshop {
namespace {

constexpr std::string_view kBaseUrl = "http://127.0.0.1:3000";

std::string render_text(const std::vector<PageNode>& nodes) {
  std::string out;
  for (const PageNode& node : nodes) {
    if (&node != &nodes.front()) {
      out += " [SEP] ";
    }
    out += python_strip(node.text);
  }
  return out;
}

/// Chosen options are found by looking for `"value"` in the url, as the original does.
std::string render_rich(const std::vector<PageNode>& nodes, const SessionState& state) {
  std::string clicked;
  std::string out;
  const auto wrap = [&](std::string_view lead, std::string_view mark, const std::string& text) {
    out += fmt::format("{}[{}] {} [{}_]\n", lead, mark, text, mark);
  };
  for (const PageNode& node : nodes) {
    const std::string& text = node.text;
    switch (node.kind) {
      case NodeKind::kText:
        out += text + "\n";
        break;
      case NodeKind::kButton:
        wrap("", "button", text);
        break;
      case NodeKind::kOption: {
        const bool chosen = contains(state.url, "\"" + text + "\"");
        if (chosen) {
          clicked.insert(0, fmt::format("You have clicked {}.\n", text));
        }
        wrap("  ", chosen ? "clicked button" : "button", text);
        break;
      }
      case NodeKind::kProduct:
        wrap("\n", state.seen_asins.contains(text) ? "clicked button" : "button", text);
        break;
    }
  }
  return clicked + out;
}

void add_clickable(std::vector<Clickable>& list, Clickable clickable) {
  const auto known = std::ranges::find(list, clickable.name, &Clickable::name);
  if (known != list.end()) {
    *known = std::move(clickable);
  } else {
    list.push_back(std::move(clickable));
  }
}

}  // namespace

ObservationMode observation_mode_from_name(std::string_view name) {
  constexpr std::pair<std::string_view, ObservationMode> kModes[] = {
      {"text", ObservationMode::kText},
      {"text_rich", ObservationMode::kTextRich},
      {"html", ObservationMode::kHtml},
      {"url", ObservationMode::kUrl}};
  for (const auto& [known, mode] : kModes) {
    if (known == name) {
      return mode;
    }
  }
  throw Error(
      ErrorKind::kInvalidArgument,
      fmt::format("mode: expected text, text_rich, html, url or abstract, got \"{}\"", shorten(name, 60)));
}

std::vector<Clickable> list_clickables(const Shop& shop, const SessionState& state) {
  std::vector<Clickable> list;
  const auto button = [&](const char* name) { add_clickable(list, {.name = name}); };
  switch (state.page_kind) {
    case PageKind::kSearch:
      button("search");
      break;
    case PageKind::kResults:
      button("back to search");
      if (state.page_number > 1) {
        button("< prev");
      }
      button("next >");
      for (const ProductIndex index : state.on_page) {
        add_clickable(list,
                      {.name = python_lower(shop.catalogue().asin(index)),
                       .kind = Clickable::Kind::kProduct});
      }
      break;
    case PageKind::kItem:
      for (const char* name :
           {"back to search", "< prev", "description", "features", "reviews", "buy now"}) {
        button(name);
      }
      for (const ProductOption& option : shop.catalogue().options(state.product)) {
        for (const std::string& value : option.values) {
          add_clickable(
              list, {.name = value, .kind = Clickable::Kind::kOption, .option_name = option.name});
        }
      }
      break;
    case PageKind::kSubPage:
      button("back to search");
      button("< prev");
      break;
    case PageKind::kDone:
      break;
  }
  return list;
}

std::string render(const Shop& shop, const SessionState& state, ObservationMode mode) {
  switch (mode) {
    case ObservationMode::kText:
      return render_text(page_nodes(shop, state));
    case ObservationMode::kTextRich:
      return render_rich(page_nodes(shop, state), state);
    case ObservationMode::kHtml:
      return page_html(shop, state);
    case ObservationMode::kUrl:
      break;
  }
  return state.url;
}

std::string page_url(const Shop& shop, const SessionState& state) {
  const std::string words = join(state.keywords, "+");
  const auto asin = [&] { return shop.catalogue().asin(state.product); };
  switch (state.page_kind) {
    case PageKind::kSearch:
      break;
    case PageKind::kResults:
      return fmt::format(
          "{}/search_results/{}/{}/{}", kBaseUrl, state.id, words, state.page_number);
    case PageKind::kItem:
      return fmt::format("{}/item_page/{}/{}/{}/{}/{}",
                         kBaseUrl,
                         state.id,
                         asin(),
                         words,
                         state.page_number,
                         python_json(state.options));
    case PageKind::kSubPage:
      return fmt::format("{}/item_sub_page/{}/{}/{}/{}/{}/{}",
                         kBaseUrl,
                         state.id,
                         asin(),
                         words,
                         state.page_number,
                         state.sub_page,
                         python_repr(state.options));
    case PageKind::kDone:
      return fmt::format(
          "{}/done/{}/{}/{}", kBaseUrl, state.id, asin(), python_repr(state.options));
  }
  return fmt::format("{}/{}", kBaseUrl, state.id);
}

}  // namespace dreamgym::webshop

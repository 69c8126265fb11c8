#include "dreamgym/worlds/webshop/page_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>

#include "dreamgym/base/number.h"
#include "dreamgym/base/text.h"
#include "dreamgym/base/word_marks.h"

namespace dreamgym::webshop {
namespace {

/// A piece of the page, and whether the text marks it as a button.
struct Field {
  std::string text{};
  bool button = false;
};

constexpr std::string_view kSeparator = " [SEP] ";
constexpr std::string_view kClicked = "You have clicked ";
constexpr std::size_t kAsinLength = 10;

// Names of options that occur in the catalogue, for texts that do not mark values as buttons.
constexpr std::array kOptionNames = std::to_array<std::string_view>({"color",
                                                                     "size",
                                                                     "style",
                                                                     "flavor name",
                                                                     "scent",
                                                                     "fit type",
                                                                     "flavor",
                                                                     "scent name",
                                                                     "material type",
                                                                     "pattern name",
                                                                     "style name",
                                                                     "item package quantity",
                                                                     "configuration",
                                                                     "team name",
                                                                     "size name",
                                                                     "number of items",
                                                                     "edition",
                                                                     "unit count",
                                                                     "shape"});

std::vector<Field> text_fields(std::string_view text) {
  std::vector<Field> fields;
  for (;;) {
    const std::size_t end = text.find(kSeparator);
    fields.push_back({std::string(text.substr(0, end))});
    if (end == std::string_view::npos) {
      return fields;
    }
    text.remove_prefix(end + kSeparator.size());
  }
}

std::vector<Field> rich_fields(std::string_view text) {
  std::vector<Field> fields;
  for (const std::string& raw : split(text, '\n')) {
    std::string_view line = trim(raw);
    if (line.empty() || line.starts_with(kClicked)) {
      continue;
    }
    bool button = false;
    for (const auto& [open, close] :
         {std::pair<std::string_view, std::string_view>{"[button] ", " [button_]"},
          {"[clicked button] ", " [clicked button_]"}}) {
      if (!button && line.starts_with(open) && line.ends_with(close) &&
          line.size() > open.size() + close.size()) {
        line = line.substr(open.size(), line.size() - open.size() - close.size());
        button = true;
      }
    }
    fields.push_back({std::string(line), button});
  }
  return fields;
}

/// Pages as the ReAct agents' logs have them: buttons in square brackets, several in a line.
std::vector<Field> bracket_fields(std::string_view text) {
  std::vector<Field> fields;
  for (const std::string& raw : split(text, '\n')) {
    std::string_view line = trim(raw);
    while (!line.empty()) {
      const bool button = line.front() == '[' && line.find(']') != std::string_view::npos;
      const std::size_t end = button ? line.find(']') : std::min(line.find('[', 1), line.size());
      const std::string_view piece = line.substr(button ? 1 : 0, end - (button ? 1 : 0));
      if (!trim(piece).empty()) {
        fields.push_back({std::string(trim(piece)), button});
      }
      line = trim(line.substr(std::min(end + (button ? 1 : 0), line.size())));
    }
  }
  return fields;
}

bool has_bracketed_buttons(std::string_view text) {
  return contains(text, "[Search]") || contains(text, "[Back to Search]");
}

bool looks_like_asin(std::string_view text) {
  return text.size() == kAsinLength && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
         });
}

void read_results(std::span<const Field> rest, PageView& view) {
  view.kind = PageKind::kResults;
  const std::vector<std::string> said = words(rest.front().text);
  view.page_number = said.size() > 1 ? parse_unsigned(said[1]).value_or(0) : 0;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    view.has_previous = view.has_previous || rest[i].text == "< Prev";
    const auto is_price = [&](std::size_t at) {
      return at < rest.size() && rest[at].text.starts_with('$');
    };
    if (looks_like_asin(rest[i].text) && is_price(i + 1) && !is_price(i + 2)) {
      view.products.push_back({rest[i].text, "", rest[i + 1].text});  // its name is empty
      i += 1;
    } else if (looks_like_asin(rest[i].text) && i + 2 < rest.size()) {
      view.products.push_back({rest[i].text, rest[i + 1].text, rest[i + 2].text});
      i += 2;
    }
  }
}

/// @param fields  names and values in front of the title.
void read_options(std::span<const Field> fields, bool rich, PageView& view) {
  for (const Field& field : fields) {
    const bool known = std::ranges::find(kOptionNames, field.text) != kOptionNames.end();
    if (rich ? !field.button : known) {
      view.options.push_back({.name = field.text});
      continue;
    }
    if (view.options.empty()) {
      view.options.emplace_back();
    }
    view.options.back().values.push_back(field.text);
  }
}

void read_item(std::span<const Field> rest, std::size_t price, bool rich, PageView& view) {
  view.kind = PageKind::kItem;
  view.price = rest[price].text.substr(std::string_view("Price: ").size());
  const bool named = price > 0 && !rest[price - 1].button;
  view.title = named ? rest[price - 1].text : "";
  read_options(rest.first(price - (named ? 1 : 0)), rich, view);
}

void read_shop_page(std::span<const Field> rest, bool rich, PageView& view) {
  if (!rest.empty() && rest.front().text.starts_with("Page ") &&
      contains(rest.front().text, "Total results")) {
    read_results(rest, view);
    return;
  }
  if (!rest.empty() && rest.front().text == "< Prev") {
    view.has_previous = true;
    rest = rest.subspan(1);
  }
  const bool sold = !rest.empty() && rest.back().text == "Buy Now";
  for (std::size_t i = rest.size(); sold && i-- > 0;) {
    if (rest[i].text.starts_with("Price: ")) {
      read_item(rest, i, rich, view);
      return;
    }
  }
  view.kind = PageKind::kSubPage;
  for (const Field& field : rest) {
    view.body.push_back(field.text);
  }
}

/// It has no buttons: only the separators tell the modes apart.
void read_done(std::string_view observation, PageView& view) {
  view.kind = PageKind::kDone;
  const std::vector<Field> fields =
      contains(observation, kSeparator) ? text_fields(observation) : rich_fields(observation);
  const auto after = [&](std::string_view name) {
    const auto found = std::ranges::find(fields, name, &Field::text);
    return fields.end() - found > 1 ? (found + 1)->text : std::string();
  };
  view.bought_asin = after("asin");
  view.bought_options = after("options");
}

double dollars_after(std::string_view text, std::size_t sign) {
  double price = 0;
  if (sign != std::string_view::npos) {
    std::from_chars(text.data() + sign + 1, text.data() + text.size(), price);
  }
  return price;
}

}  // namespace

PageView read_page(std::string_view observation) {
  PageView view;
  if (observation.starts_with("Thank you for shopping")) {
    read_done(observation, view);
    return view;
  }
  if (observation.starts_with("Your score (min 0.0")) {
    view.kind = PageKind::kDone;  // of a ReAct log, which shows no purchase
    return view;
  }
  const bool bracketed = has_bracketed_buttons(observation);
  const bool rich = bracketed || contains(observation, "button_]");
  const std::vector<Field> fields = bracketed ? bracket_fields(observation)
                                    : rich    ? rich_fields(observation)
                                              : text_fields(observation);
  if (bracketed && fields.front().text == "Back to Search") {  // without the instruction
    read_shop_page(std::span(fields).subspan(1), rich, view);
    return view;
  }
  const auto told = std::ranges::find_if(
      fields, [](const Field& field) { return trim(field.text) == "Instruction:"; });
  const std::span<const Field> all(fields);
  const auto at = static_cast<std::size_t>(told - fields.begin());
  if (at + 2 >= all.size()) {
    return view;
  }
  view.instruction = all[at + 1].text;
  if (all[at + 2].text == "Back to Search") {
    read_shop_page(all.subspan(at + 3), rich, view);
  }
  return view;
}

PageView read_next_page(const PageView& before, std::string_view observation) {
  const std::string_view line = trim(observation);
  return line.starts_with(kClicked) && !contains(line, "\n") ? before : read_page(observation);
}

std::vector<std::string> clickable_names(const PageView& page) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    if (std::ranges::find(names, name) == names.end()) {
      names.emplace_back(name);
    }
  };
  if (page.kind == PageKind::kSearch || page.kind == PageKind::kDone) {
    return names;
  }
  add("back to search");
  if (page.kind != PageKind::kResults || page.has_previous) {
    add("< prev");
  }
  if (page.kind == PageKind::kResults) {
    add("next >");
    for (const ShownProduct& product : page.products) {
      add(to_lower(product.asin));
    }
  } else if (page.kind == PageKind::kItem) {
    for (const char* name : {"description", "features", "reviews", "buy now"}) {
      add(name);
    }
    for (const ShownOption& option : page.options) {
      for (const std::string& value : option.values) {
        add(value);
      }
    }
  }
  return names;
}

double lowest_price(std::string_view shown) {
  return dollars_after(shown, shown.find('$'));
}

double highest_price(std::string_view shown) {
  return dollars_after(shown, shown.rfind('$'));
}

std::optional<std::string> asked_value(const ShownOption& option,
                                       const std::vector<std::string>& asked) {
  std::optional<std::string> best;
  std::size_t most = 0;
  for (const std::string& value : option.values) {
    const std::vector<std::string> said = plain_words(value);
    if (said.size() > most && !std::ranges::search(asked, said).empty()) {
      most = said.size();
      best = value;
    }
  }
  return best;
}

std::vector<std::string> plain_words(std::string_view text) {
  return lower_words_without_marks(text, ".,;:!?\"'()[]{}|");
}

void add_words_of(std::string_view text, std::set<std::string>& words) {
  for (const std::string& form : {std::string(text), replace_all(text, "-", " ")}) {
    for (std::string& word : plain_words(form)) {
      words.insert(std::move(word));
    }
  }
}

}  // namespace dreamgym::webshop

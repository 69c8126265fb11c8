#include "dreamgym/worlds/alfworld/internal/domain_rules.h"

#include <fmt/format.h>

#include <map>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/internal/action_table.h"
#include "dreamgym/worlds/alfworld/internal/builtin_texts.h"
#include "dreamgym/worlds/alfworld/internal/lisp.h"

namespace dreamgym::alfworld {
namespace {

/// Takes the alternatives "(or (receptacletype ?r x) ...)" out of an action, leaving "(or)".
void take_types(Lisp& lisp, std::string_view predicate, std::vector<std::string>& types) {
  if (lisp.head() == "or" && lisp.items.size() > 1 && lisp.items[1].head() == predicate) {
    for (std::size_t i = 1; i < lisp.items.size(); ++i) {
      types.push_back(type_word(lisp.items[i].items.back().atom));
    }
    lisp.items.resize(1);
    return;
  }
  for (Lisp& item : lisp.items) {
    take_types(item, predicate, types);
  }
}

/// Text of each action by name, alternatives taken out.
std::map<std::string, std::string> action_texts(const std::string& normalized,
                                                const std::string& source,
                                                DomainRules& rules) {
  std::map<std::string, std::string> texts;
  Lisp domain = parse_lisp(normalized, source + ": pddl_domain");
  for (Lisp& item : domain.items) {
    if (item.head() != ":action" || item.items.size() < 2) {
      continue;
    }
    const std::string name(item.items[1].atom);
    rules.actions.push_back(name);
    if (name == "cleanobject") {
      take_types(item, "receptacletype", rules.sinks);
    } else if (name == "heatobject") {
      take_types(item, "receptacletype", rules.microwaves);
    } else if (name == "coolobject") {
      take_types(item, "receptacletype", rules.fridges);
    } else if (name == "sliceobject") {
      take_types(item, "objecttype", rules.knives);
    }
    texts[name] = to_text(item);
  }
  return texts;
}

const std::map<std::string, std::string>& known_actions() {
  static const std::map<std::string, std::string> kKnown = [] {
    DomainRules unused;
    return action_texts(normalized_pddl(builtin_domain(Dialect::kV04)), "built-in", unused);
  }();
  return kKnown;
}

}  // namespace

const DomainRules& builtin_rules() {
  static const DomainRules kRules = parse_domain(builtin_domain(Dialect::kV04), "built-in");
  return kRules;
}

std::string type_word(std::string_view type) {
  std::string word = to_lower(type);
  if (word.size() > 4 && word.ends_with("type")) {
    word.resize(word.size() - 4);
  }
  return word;
}

const ActionRow& action_row(std::string_view name, const std::string& source) {
  for (const ActionRow& row : kActionTable) {
    if (row.name == name) {
      return row;
    }
  }
  throw Error(ErrorKind::kUnsupported,
              fmt::format("{}: unknown dialect: action '{}' in pddl_domain", source, name),
              "this program knows the 15 actions of alfworld 0.2 to 0.4");
}

DomainRules parse_domain(std::string_view domain, const std::string& source) {
  DomainRules rules;
  const std::string normalized = normalized_pddl(domain);
  const auto texts = action_texts(normalized, source, rules);
  for (const auto& [name, text] : texts) {
    action_row(name, source);
    if (text != known_actions().at(name)) {
      throw Error(
          ErrorKind::kUnsupported,
          fmt::format("{}: unknown dialect: action '{}' in pddl_domain has other rules than "
                      "alfworld's; got \"{}\", expected \"{}\"",
                      source,
                      name,
                      shorten(text, 300),
                      shorten(known_actions().at(name), 300)),
          "this program plays ALFWorld games only");
    }
  }
  for (const auto& [name, text] : known_actions()) {
    if (!texts.contains(name) && name != "help") {
      throw Error(
          ErrorKind::kUnsupported,
          fmt::format("{}: unknown dialect: pddl_domain lacks the action '{}'", source, name),
          "this program plays ALFWorld games only");
    }
  }
  return rules;
}

}  // namespace dreamgym::alfworld

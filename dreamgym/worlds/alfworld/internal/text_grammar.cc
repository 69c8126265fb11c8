#include "dreamgym/worlds/alfworld/internal/text_grammar.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/alfworld/internal/action_table.h"
#include "dreamgym/worlds/alfworld/internal/builtin_texts.h"
#include "dreamgym/worlds/alfworld/internal/domain_rules.h"
#include "dreamgym/worlds/alfworld/internal/twl2.h"

namespace dreamgym::alfworld {
namespace {

struct PredicateName {
  std::string_view name;
  Predicate predicate;
  std::size_t arity;
};

constexpr PredicateName kPredicates[] = {
    {"openable", Predicate::kOpenable, 1},
    {"opened", Predicate::kOpened, 1},
    {"toggleable", Predicate::kToggleable, 1},
    {"istoggled", Predicate::kIsToggled, 1},
    {"ison", Predicate::kIsOn, 1},
    {"isclean", Predicate::kIsClean, 1},
    {"ishot", Predicate::kIsHot, 1},
    {"iscool", Predicate::kIsCool, 1},
    {"issliced", Predicate::kIsSliced, 1},
    {"sliceable", Predicate::kSliceable, 1},
    {"pickupable", Predicate::kPickupable, 1},
    {"isreceptacleobject", Predicate::kIsReceptacleObject, 1},
    {"holdsany", Predicate::kHoldsAny, 1},
    {"holds", Predicate::kHolds, 2},
    {"atlocation", Predicate::kAtLocation, 2},
    {"receptacleatlocation", Predicate::kReceptacleAtLocation, 2},
    {"objectatlocation", Predicate::kObjectAtLocation, 2},
    {"inreceptacle", Predicate::kInReceptacle, 2},
    {"inreceptacleobject", Predicate::kInReceptacleObject, 2},
    {"not_inreceptacle", Predicate::kNotInReceptacle, 2},
    // Initial facts are never negative, and no action makes this one so.
    {"not_istoggled", Predicate::kNever, 1},
};

/// Turns raw rules into nodes; compiles only what is reachable, since real grammars hold rules that
/// nothing uses (and that do not parse).
class Compiler {
 public:
  Compiler(const RawGrammar& raw, const std::string& source) : raw_(raw), source_(source) {
    grammar.agent = slot("a", EntityKind::kAgent);
    grammar.location = slot("l", EntityKind::kLocation);
    grammar.start = slot("lstart", EntityKind::kLocation);
    grammar.end = slot("lend", EntityKind::kLocation);
    grammar.receptacle = slot("r", EntityKind::kReceptacle);
    grammar.object = slot("o", EntityKind::kObject);
    grammar.sliced = slot("co", EntityKind::kObject);
    grammar.knife = slot("ko", EntityKind::kObject);
  }

  std::vector<TextNode> nodes(std::string_view text);
  std::uint16_t rule(const std::string& name);
  /// "go to [{r.name | ...}]" -> "go to {r}".
  std::string command_form(std::string_view text);

  TextGrammar grammar;

 private:
  Slot slot(std::string_view name, EntityKind kind);
  Slot known_slot(std::string_view name);
  Query query(std::string_view text);
  QueryAtom query_atom(std::string_view text);
  TextNode conditional(std::string_view inside, bool joined);
  std::vector<TextNode> expression(std::string_view text);
  TextNode rule_node(std::string_view name);
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{}: unknown dialect: {}", source_, why),
                "this program reads the grammars of alfworld 0.2 to 0.4 and of the 2020 downloads");
  }

  const RawGrammar& raw_;
  const std::string& source_;
  std::vector<std::string> slot_names_;
  std::map<std::string, std::uint16_t, std::less<>> rule_index_;
};

Slot Compiler::slot(std::string_view name, EntityKind kind) {
  const auto found = std::ranges::find(slot_names_, name);
  const auto index = static_cast<std::size_t>(found - slot_names_.begin());
  if (found == slot_names_.end()) {
    if (index >= kMaxSlots) {
      fail(fmt::format("its grammar has more than {} variables", kMaxSlots));
    }
    slot_names_.emplace_back(name);
    grammar.slot_kinds.push_back(kind);
  } else if (grammar.slot_kinds[index] != kind) {
    fail(fmt::format("variable '{}' has two types", name));
  }
  return static_cast<Slot>(index);
}

Slot Compiler::known_slot(std::string_view name) {
  const auto found = std::ranges::find(slot_names_, name);
  if (found == slot_names_.end()) {
    fail(fmt::format("a text names the unknown variable '{}'", name));
  }
  return static_cast<Slot>(found - slot_names_.begin());
}

/// "inreceptacle(o:object, r:receptacle)".
QueryAtom Compiler::query_atom(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    fail(fmt::format("'{}' is no fact", text));
  }
  const std::string_view name = trim(text.substr(0, open));
  const auto* const known = std::ranges::find(kPredicates, name, &PredicateName::name);
  if (known == std::end(kPredicates)) {
    fail(fmt::format("unknown fact '{}'", name));
  }
  std::vector<Slot> slots;
  for (const std::string& argument : split(text.substr(open + 1, close - open - 1), ',')) {
    const std::vector<std::string> parts = split(argument, ':');
    const std::string type(trim(parts.back()));
    const auto kind = type == "agent"        ? EntityKind::kAgent
                      : type == "location"   ? EntityKind::kLocation
                      : type == "receptacle" ? EntityKind::kReceptacle
                                             : EntityKind::kObject;
    if (parts.size() != 2 || (kind == EntityKind::kObject && type != "object")) {
      fail(fmt::format("'{}' is no typed variable", argument));
    }
    slots.push_back(slot(trim(parts.front()), kind));
  }
  if (slots.size() != known->arity) {
    fail(fmt::format("fact '{}' takes {} arguments", name, known->arity));
  }
  return {known->predicate, slots.front(), known->arity == 2 ? slots.back() : kNoSlot};
}

Query Compiler::query(std::string_view text) {
  Query atoms;
  if (trim(text).empty()) {
    return atoms;
  }
  for (const std::string& part : split(text, '&')) {
    atoms.push_back(query_atom(trim(part)));
  }
  return atoms;
}

TextNode text_node(std::string_view text) {
  TextNode node;
  node.text = text;
  return node;
}

/// A sum of fields and quoted strings, e.g. "o.indefinite + ' ' + o.name", "r.name or r.id", "o".
std::vector<TextNode> Compiler::expression(std::string_view text) {
  std::vector<TextNode> parts;
  for (const std::string& piece : split(text, '+')) {
    std::string_view term = trim(piece);
    if (term.size() >= 2 && term.front() == '\'' && term.back() == '\'') {
      parts.push_back(text_node(term.substr(1, term.size() - 2)));
      continue;
    }
    term = trim(term.substr(0, term.find(" or ")));
    const std::size_t dot = term.find('.');
    const std::string_view field = dot == std::string_view::npos ? "name" : term.substr(dot + 1);
    if (field == "indefinite" || field == "definite") {
      known_slot(term.substr(0, dot));
      parts.push_back(text_node(field == "definite" ? "the" : "a"));
    } else if (field == "name") {
      TextNode node;
      node.kind = NodeKind::kName;
      node.slot = known_slot(term.substr(0, dot));
      parts.push_back(std::move(node));
    } else {
      fail(fmt::format("unknown field '{}'", term));
    }
  }
  return parts;
}

TextNode Compiler::rule_node(std::string_view name) {
  TextNode node;
  node.kind = NodeKind::kRule;
  node.rule = rule(std::string(name));
  return node;
}

/// The inside of "{...}": a rule or an expression, perhaps with "| query".
TextNode Compiler::conditional(std::string_view inside, bool joined) {
  const std::size_t bar = inside.find('|');
  TextNode node;
  node.kind = NodeKind::kForEach;
  node.joined = joined;
  if (bar != std::string_view::npos) {
    node.query = query(inside.substr(bar + 1));
  }
  const std::string_view what = trim(inside.substr(0, bar));
  if (what.size() >= 2 && what.front() == '#' && what.back() == '#') {
    node.children.push_back(rule_node(what.substr(1, what.size() - 2)));
  } else {
    node.children = expression(what);
  }
  return node;
}

/// A node without a query is what it holds.
void append(std::vector<TextNode>& nodes, TextNode node) {
  if (node.kind == NodeKind::kForEach && node.query.empty()) {
    std::ranges::move(node.children, std::back_inserter(nodes));
  } else {
    nodes.push_back(std::move(node));
  }
}

/// Source: TextWorld's textgen.ebnf. Blanks at the start of a line are no text (the reference
/// parser takes them for comments), nor are tabs between symbols; a sign that no symbol can begin
/// with ends the text.
std::vector<TextNode> Compiler::nodes(std::string_view text) {
  std::vector<TextNode> parsed;
  const auto inside_of = [&](std::size_t begin, char close) {
    const std::size_t end = text.find(close, begin);
    if (end == std::string_view::npos) {
      fail(fmt::format("'{}' is missing in \"{}\"", close, text));
    }
    return text.substr(begin, end - begin);
  };
  std::size_t at = 0;
  while (at < text.size()) {
    const bool line_start = at == 0 || text[at - 1] == '\n';
    at = std::min(text.find_first_not_of(line_start ? " \t\r\n" : "\t", at), text.size());
    if (at == text.size()) {
      break;
    }
    if (text[at] == '#') {
      const std::string_view name = inside_of(at + 1, '#');
      parsed.push_back(rule_node(name));
      at += name.size() + 2;
    } else if (text[at] == '{') {
      const std::string_view inside = inside_of(at + 1, '}');
      append(parsed, conditional(inside, false));
      at += inside.size() + 2;
    } else if (text.substr(at).starts_with("[{")) {
      const std::string_view inside = inside_of(at + 2, '}');
      append(parsed, conditional(inside, true));
      at += inside.size() + 4;
    } else {
      const std::size_t end = std::min(text.find_first_of(";|\"<>[]#{}", at), text.size());
      if (end == at) {
        break;
      }
      parsed.push_back(text_node(text.substr(at, end - at)));
      at = end;
    }
  }
  return parsed;
}

std::uint16_t Compiler::rule(const std::string& name) {
  if (const auto found = rule_index_.find(name); found != rule_index_.end()) {
    return found->second;
  }
  const auto raw = raw_.rules.find(name);
  if (raw == raw_.rules.end()) {
    fail(fmt::format("its grammar has no rule '#{}#'", name));
  }
  const auto index = static_cast<std::uint16_t>(grammar.rules.size());
  rule_index_.emplace(name, index);
  grammar.rules.emplace_back();
  Rule compiled;
  for (const RawProduction& production : raw->second) {
    Query condition = query(production.condition);
    compiled.push_back({std::move(condition), nodes(production.text)});
  }
  grammar.rules[index] = std::move(compiled);
  return index;
}

std::string Compiler::command_form(std::string_view text) {
  std::string form;
  for (const TextNode& node : nodes(text)) {
    if (node.kind == NodeKind::kText) {
      form += node.text;
    } else if (node.kind == NodeKind::kName) {
      form += fmt::format("{{{}}}", slot_names_[node.slot]);
    } else if (node.kind == NodeKind::kForEach && node.children.size() == 1 &&
               node.children.front().kind == NodeKind::kName) {
      form += fmt::format("{{{}}}", slot_names_[node.children.front().slot]);
    } else {
      fail(fmt::format("command \"{}\"", text));
    }
  }
  return form;
}

std::string task_of(const RawGrammar& raw, const std::string& source) {
  const auto rule = raw.rules.find("task");
  if (rule == raw.rules.end() || rule->second.empty()) {
    throw Error(ErrorKind::kParse,
                source + ": the grammar has no rule \"task\" with the task's sentence",
                "this is no ALFWorld game, or a template that was never filled in");
  }
  std::string_view sentence = rule->second.front().text;
  consume_prefix(sentence, "Your task is to: ");
  return std::string(sentence);
}

}  // namespace

TextGrammar parse_text_grammar(std::string_view text,
                               const std::vector<std::string>& action_names,
                               const std::string& source) {
  const RawGrammar raw = parse_twl2(text, source);
  Compiler compiler(raw, source);
  compiler.grammar.task = task_of(raw, source);
  compiler.grammar.intro = compiler.nodes("#intro#");
  compiler.grammar.room = compiler.nodes("#look.feedback#");
  compiler.grammar.list_empty = compiler.rule("list_empty");
  compiler.grammar.list_separator = compiler.rule("list_separator");
  compiler.grammar.list_last_separator = compiler.rule("list_last_separator");
  for (const std::string& name : action_names) {
    const ActionRow& row = action_row(name, source);
    const auto action = raw.actions.find(name);
    if (action == raw.actions.end()) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("{}: unknown dialect: the grammar has no action '{}'", source, name),
                  "the file's \"pddl_domain\" and \"grammar\" must belong together");
    }
    ActionTexts& texts = compiler.grammar.actions[static_cast<std::size_t>(row.kind)];
    texts.exists = true;
    texts.command = compiler.command_form(action->second.command);
    if (texts.command != row.command && texts.command != row.other_command) {
      throw Error(
          ErrorKind::kUnsupported,
          fmt::format(
              "{}: unknown dialect: command \"{}\" of action '{}', expected \"{}\"{}",
              source,
              texts.command,
              name,
              row.command,
              row.other_command.empty() ? "" : fmt::format(" or \"{}\"", row.other_command)),
          "this program reads alfworld 0.2 to 0.4 and the 2020 downloads");
    }
    texts.feedback = compiler.nodes(action->second.feedback);
  }
  return std::move(compiler.grammar);
}

TextGrammar builtin_text_grammar(Dialect dialect, std::string_view task) {
  const auto parse = [](Dialect wanted) {
    return parse_text_grammar(builtin_grammar(wanted, kTaskPlaceholder),
                              parse_domain(builtin_domain(wanted), "built-in").actions,
                              "built-in");
  };
  static const TextGrammar kV04Texts = parse(Dialect::kV04);
  static const TextGrammar kV03Texts = parse(Dialect::kV03);
  if (dialect == Dialect::k2020) {
    builtin_grammar(dialect, task);  // says why there is none
  }
  TextGrammar grammar = dialect == Dialect::kV04 ? kV04Texts : kV03Texts;
  grammar.task = task;
  for (Rule& rule : grammar.rules) {
    for (Production& production : rule) {
      for (TextNode& node : production.nodes) {
        if (contains(node.text, kTaskPlaceholder)) {
          node.text = replace_all(node.text, kTaskPlaceholder, task);
        }
      }
    }
  }
  return grammar;
}

}  // namespace dreamgym::alfworld

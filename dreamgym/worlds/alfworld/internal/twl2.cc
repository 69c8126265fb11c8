#include "dreamgym/worlds/alfworld/internal/twl2.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym::alfworld {
namespace {

using Json = nlohmann::json;

/// Reads words, signs and quoted strings from left to right.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  [[nodiscard]] bool at_end() {
    skip_blanks();
    return at_ >= text_.size();
  }
  [[nodiscard]] bool consume(std::string_view sign) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(sign)) {
      return false;
    }
    at_ += sign.size();
    return true;
  }
  void expect(std::string_view sign) {
    if (!consume(sign)) {
      fail(fmt::format("expected '{}'", sign));
    }
  }
  std::string word() {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '_' || text_[at_] == '-')) {
      ++at_;
    }
    if (begin == at_) {
      fail("expected a word");
    }
    return std::string(text_.substr(begin, at_ - begin));
  }
  /// "..." or """...""".
  std::string quoted() {
    const std::string_view quote = consume("\"\"\"") ? "\"\"\"" : "\"";
    if (quote.size() == 1) {
      expect(quote);
    }
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) {
      fail("a string does not end");
    }
    const std::size_t begin = at_;
    at_ = end + quote.size();
    return std::string(text_.substr(begin, end - begin));
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorKind::kParse,
                fmt::format("{}: grammar, character {}: {}", source_, at_, why),
                "the game file's \"grammar\" is damaged; fetch the file again");
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else if (text_.substr(at_).starts_with("//") || text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0;
};

/// Lines that begin with '#' are comments inside an action's JSON.
std::string without_comment_lines(const std::string& text) {
  std::string kept;
  for (const std::string& line : split(text, '\n')) {
    if (!trim(line).starts_with('#')) {
      kept += line;
      kept += '\n';
    }
  }
  return kept;
}

/// A later block replaces rules of the same name, as the reference engine's dict.update does.
void add_rules(RawGrammar& grammar, const std::string& json, const Scanner& scanner) {
  Json rules;
  try {
    rules = Json::parse(json);
    for (const auto& [name, productions] : rules.items()) {
      std::vector<RawProduction> rule;
      for (const Json& production : productions) {
        rule.push_back({production.value("condition", ""), production.at("rhs")});
      }
      grammar.rules[name] = std::move(rule);
    }
  } catch (const Json::exception& error) {
    scanner.fail(fmt::format("its rules are no JSON of productions ({})", error.what()));
  }
}

void parse_action(RawGrammar& grammar, Scanner& scanner) {
  const std::string name = to_lower(scanner.word());
  RawAction action;
  scanner.expect("{");
  while (!scanner.consume("}")) {
    const std::string field = scanner.word();
    scanner.expect("::");
    std::string value = scanner.quoted();
    scanner.expect(";");
    if (field == "template") {
      action.command = std::move(value);
    } else if (field == "feedback") {
      action.feedback = std::move(value);
    } else if (field == "grammar") {
      add_rules(grammar, without_comment_lines(value), scanner);
    }
  }
  grammar.actions[name] = std::move(action);
}

}  // namespace

RawGrammar parse_twl2(std::string_view text, const std::string& source) {
  RawGrammar grammar;
  Scanner scanner(text, source);
  while (!scanner.at_end()) {
    const std::string part = scanner.word();
    if (part == "grammar") {
      scanner.expect("::");
      add_rules(grammar, scanner.quoted(), scanner);
      scanner.expect(";");
    } else if (part == "action") {
      parse_action(grammar, scanner);
    } else {
      scanner.fail(fmt::format("expected 'grammar' or 'action', got '{}'", part));
    }
  }
  return grammar;
}

}  // namespace dreamgym::alfworld

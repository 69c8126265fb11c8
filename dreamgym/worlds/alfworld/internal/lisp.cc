#include "dreamgym/worlds/alfworld/internal/lisp.h"

#include <fmt/format.h>

#include "dreamgym/base/error.h"

namespace dreamgym::alfworld {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

[[noreturn]] void fail(std::string_view what, std::size_t at, std::string_view why) {
  throw Error(ErrorKind::kParse,
              fmt::format("{}: {} at character {}", what, why, at),
              "the file is probably truncated; fetch it again");
}

}  // namespace

std::string normalized_pddl(std::string_view text) {
  std::string normalized(text);
  bool in_comment = false;
  for (char& c : normalized) {
    in_comment = c == '\n' ? false : in_comment || c == ';';
    if (in_comment) {
      c = ' ';
    } else if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return normalized;
}

Lisp parse_lisp(const std::string& normalized, std::string_view what) {
  const std::string_view text = normalized;
  std::vector<Lisp> open;  // lists begun and not yet closed, outermost first
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_blank(c)) {
      continue;
    }
    if (c == '(') {
      open.emplace_back();
      continue;
    }
    if (open.empty()) {
      fail(what, i, "expected '('");
    }
    if (c == ')') {
      Lisp closed = std::move(open.back());
      open.pop_back();
      if (open.empty()) {
        return closed;
      }
      open.back().items.push_back(std::move(closed));
      continue;
    }
    const std::size_t begin = i;
    while (i + 1 < text.size() && !is_blank(text[i + 1]) && text[i + 1] != '(' &&
           text[i + 1] != ')') {
      ++i;
    }
    open.back().items.push_back(Lisp{text.substr(begin, i - begin + 1), {}});
  }
  fail(what, text.size(), open.empty() ? "expected '('" : "the text ends inside a list");
}

std::string to_text(const Lisp& lisp) {
  if (lisp.is_atom()) {
    return std::string(lisp.atom);
  }
  std::string text = "(";
  for (const Lisp& item : lisp.items) {
    if (text.size() > 1) {
      text += ' ';
    }
    text += to_text(item);
  }
  return text + ')';
}

}  // namespace dreamgym::alfworld

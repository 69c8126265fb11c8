// The outer shape of a TextWorld grammar file (.twl2): actions, and rules written as JSON.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dreamgym::alfworld {

struct RawProduction {
  std::string condition;  ///< "" = always
  std::string text;       ///< the right-hand side
};

struct RawAction {
  std::string command;  ///< "template" of the file
  std::string feedback;
};

struct RawGrammar {
  std::map<std::string, std::vector<RawProduction>> rules;
  std::map<std::string, RawAction> actions;  ///< by lower-cased name
};

/// @throws Error kParse naming `source`.
RawGrammar parse_twl2(std::string_view text, const std::string& source);

}  // namespace dreamgym::alfworld

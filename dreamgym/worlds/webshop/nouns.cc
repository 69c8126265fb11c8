#include "dreamgym/worlds/webshop/nouns.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"

namespace dreamgym::webshop {

Nouns NounLists::find(std::string_view asin, std::string_view name) const {
  const auto found = by_asin_.find(std::string(asin));
  return found == by_asin_.end() ? tag_nouns(name) : found->second;
}

NounLists load_noun_lists(const Path& path) {
  std::unordered_map<std::string, Nouns> lists;
  try {
    const auto json = nlohmann::json::parse(read_file(path));
    for (const auto& [asin, nouns] : json.at("nouns").items()) {
      lists.emplace(asin, nouns.get<Nouns>());
    }
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::kParse,
                fmt::format("{}: {}", path.string(), error.what()),
                "expected {\"nouns\": {asin: [noun, ...]}}");
  }
  return NounLists(std::move(lists));
}

}  // namespace dreamgym::webshop

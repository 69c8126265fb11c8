// Holds the source tree against docs/architecture.md: who includes whom, where torch may appear,
// how long files are and what they are not called. The rules are functions of text, so that each
// has a test that breaks it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

constexpr std::size_t kMaxLines = 600;

/// One row of the table.
struct Room {
  int layer = 0;
  std::string may_include;  ///< names, "-", "any below" or "everything"
};
using House = std::map<std::string, Room>;
using Names = std::set<std::string>;

/// A source file: path from the repository's root, e.g. "dreamgym/base/text.h", and its content.
struct Source {
  std::string path;
  std::string content;

  [[nodiscard]] bool is_test() const { return path.ends_with("_test.cc"); }
  [[nodiscard]] bool is_public_header() const {
    return path.ends_with(".h") && !contains(path, "/internal/");
  }
};

/// The room of "dreamgym/<room>/...", or "" for a path outside the house.
std::string room_of(std::string_view path) {
  const std::vector<std::string> parts = split(path, '/');
  return parts.size() > 2 && parts[0] == "dreamgym" ? parts[1] : "";
}

/// Rows "| layer | `room` | purpose | may include |" of the document.
House parse_house(std::string_view document) {
  House house;
  for (const std::string& line : split(document, '\n')) {
    const std::vector<std::string> cells = split(line, '|');
    if (cells.size() != 6 || !trim(cells[2]).starts_with('`')) {
      continue;
    }
    const std::string name = replace_all(trim(cells[2]), "`", "");
    house[name] = {.layer = std::stoi(cells[1]), .may_include = std::string(trim(cells[4]))};
  }
  return house;
}

/// The rooms named in a row, before rooms that those may include are added.
Names named_rooms(const House& house, const Room& room) {
  Names names;
  if (room.may_include == "everything" || room.may_include == "any below") {
    for (const auto& [name, other] : house) {
      if (other.layer < room.layer) {
        names.insert(name);
      }
    }
  } else if (room.may_include != "-") {
    for (const std::string& name : split(room.may_include, ',')) {
      names.emplace(trim(name));
    }
  }
  return names;
}

/// The room itself and every room it may include, directly or through another one.
Names reachable_rooms(const House& house, const std::string& room) {
  Names reachable;
  std::vector<std::string> open = {room};
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    if (!house.contains(name) || !reachable.insert(name).second) {
      continue;
    }
    std::ranges::copy(named_rooms(house, house.at(name)), std::back_inserter(open));
  }
  return reachable;
}

/// What cmake/Rooms.cmake gives a room: the words after one keyword of its dreamgym_room(...) line.
Names linked_names(std::string_view rooms_cmake,
                   const std::string& room,
                   std::string_view keyword) {
  Names names;
  for (const std::string& line : split(rooms_cmake, '\n')) {
    const std::vector<std::string> found =
        words(replace_all(replace_all(line, "(", " "), ")", " "));
    if (found.size() < 2 || found[0] != "dreamgym_room" || found[1] != room) {
      continue;
    }
    const auto is_keyword = [](const std::string& word) { return word != to_lower(word); };
    auto word = std::ranges::find(found, keyword);
    word = word == found.end() ? word : word + 1;
    names.insert(word, std::find_if(word, found.end(), is_keyword));
  }
  return names;
}

/// Included paths, as written between the quotes or angle brackets.
std::vector<std::string> includes_of(const Source& source) {
  static const std::regex pattern(R"re(^\s*#\s*include\s*["<]([^">]+)[">])re");
  std::vector<std::string> paths;
  for (const std::string& line : split(source.content, '\n')) {
    std::smatch match;
    if (std::regex_search(line, match, pattern)) {
      paths.push_back(match[1]);
    }
  }
  return paths;
}

bool is_torch(std::string_view included) {
  constexpr std::array<std::string_view, 3> kPrefixes = {"torch/", "ATen/", "c10/"};
  return std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return included.starts_with(prefix); });
}

/// Everything that decides which includes are right.
struct Rules {
  House house;
  std::string rooms_cmake;
};

/// Complaints about the includes of one file of the house.
std::vector<std::string> include_faults(const Source& source, const Rules& rules) {
  const std::string room = room_of(source.path);
  Names allowed = reachable_rooms(rules.house, room);
  if (source.is_test()) {
    for (const std::string& library : linked_names(rules.rooms_cmake, room, "TEST_LIBRARIES")) {
      allowed.merge(reachable_rooms(rules.house, replace_all(library, "dreamgym_", "")));
    }
  }
  std::vector<std::string> faults;
  for (const std::string& included : includes_of(source)) {
    const std::string other = room_of(included);
    if (!other.empty() && !allowed.contains(other)) {
      faults.push_back(
          fmt::format("{} includes {}: {} may not include {}", source.path, included, room, other));
    }
    if (!other.empty() && other != room && contains(included, "/internal/")) {
      faults.push_back(fmt::format(
          "{} includes {}: internal/ belongs to {} alone", source.path, included, other));
    }
    const bool may_see_torch = room == "nn" && !source.is_public_header();
    if (is_torch(included) && !may_see_torch) {
      faults.push_back(
          fmt::format("{} includes {}: only nn sees torch, and not in its public headers",
                      source.path,
                      included));
    }
  }
  return faults;
}

/// Complaints about length, name and include guard.
std::vector<std::string> shape_faults(const Source& source) {
  std::vector<std::string> faults;
  const auto num_lines = std::ranges::count(source.content, '\n');
  if (static_cast<std::size_t>(num_lines) > kMaxLines) {
    faults.push_back(fmt::format(
        "{} has {} lines, at most {}: split it by idea", source.path, num_lines, kMaxLines));
  }
  // A "..._body.h" is code that several files paste in, each under settings of its own.
  if (source.path.ends_with(".h") && !source.path.ends_with("_body.h") &&
      !contains(source.content, "#pragma once\n")) {
    faults.push_back(fmt::format("{} has no #pragma once", source.path));
  }
  const Names nameless = {
      "utils", "util", "common", "helpers", "helper", "manager", "managers", "misc"};
  const std::string path = source.path.substr(0, source.path.rfind('.'));
  for (const std::string& word : split(replace_all(path, "/", "_"), '_')) {
    if (nameless.contains(word)) {
      faults.push_back(fmt::format("{}: \"{}\" says nothing; name the idea", source.path, word));
    }
  }
  return faults;
}

Path root() {
  return DREAMGYM_SOURCE_DIR;
}

/// Every .h and .cc below these folders of the repository, in the order of their paths.
std::vector<Source> read_sources(const std::vector<std::string>& folders) {
  std::map<std::string, Source> by_path;
  for (const std::string& folder : folders) {
    if (!std::filesystem::is_directory(root() / folder)) {
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root() / folder)) {
      const std::string extension = entry.path().extension();
      if (extension == ".h" || extension == ".cc") {
        const std::string path = std::filesystem::relative(entry.path(), root());
        by_path[path] = {.path = path, .content = read_file(entry.path())};
      }
    }
  }
  std::vector<Source> sources;
  sources.reserve(by_path.size());
  for (auto& [path, source] : by_path) {
    sources.push_back(std::move(source));
  }
  return sources;
}

Rules read_rules() {
  return {.house = parse_house(read_file(root() / "docs" / "architecture.md")),
          .rooms_cmake = read_file(root() / "cmake" / "Rooms.cmake")};
}

constexpr std::string_view kSmallHouse =
    "| layer | room | purpose | may include |\n"
    "|---|---|---|---|\n"
    "| 0 | `base` | shared | - |\n"
    "| 1 | `data` | values | base |\n"
    "| 2 | `env` | promise | data |\n"
    "| 2 | `nn` | model | data |\n"
    "| 3 | `train` | loops | env, nn |\n"
    "| 4 | `apps` | doors | everything |\n";

Rules small_rules() {
  return {.house = parse_house(kSmallHouse),
          .rooms_cmake = "dreamgym_room(env ROOMS data TEST_LIBRARIES dreamgym_nn LIBRARIES x)\n"};
}

std::size_t num_include_faults(const std::string& path, const std::string& included) {
  return include_faults({path, "#include \"" + included + "\"\n"}, small_rules()).size();
}

TEST(Rules, ReadTheTable) {
  const House house = parse_house(kSmallHouse);
  EXPECT_EQ(house.size(), 6U);
  EXPECT_EQ(reachable_rooms(house, "base"), (Names{"base"}));
  EXPECT_EQ(reachable_rooms(house, "train"), (Names{"base", "data", "env", "nn", "train"}));
  EXPECT_EQ(reachable_rooms(house, "apps").size(), 6U);
}

TEST(Rules, AllowIncludesDownwards) {
  EXPECT_EQ(num_include_faults("dreamgym/train/a.cc", "dreamgym/nn/b.h"), 0U);
  EXPECT_EQ(num_include_faults("dreamgym/train/a.cc", "dreamgym/base/b.h"), 0U);
  EXPECT_EQ(num_include_faults("dreamgym/train/a.cc", "dreamgym/train/internal/b.h"), 0U);
  EXPECT_EQ(num_include_faults("dreamgym/train/a.cc", "vector"), 0U);
}

TEST(Rules, RefuseIncludesUpwardsSidewaysAndOfStrangers) {
  EXPECT_EQ(num_include_faults("dreamgym/data/a.h", "dreamgym/env/b.h"), 1U);
  EXPECT_EQ(num_include_faults("dreamgym/env/a.cc", "dreamgym/nn/b.h"), 1U);
  EXPECT_EQ(num_include_faults("dreamgym/env/a.cc", "dreamgym/cellar/b.h"), 1U);
}

TEST(Rules, AllowTestsWhatTheirTestLibrariesGive) {
  EXPECT_EQ(num_include_faults("dreamgym/env/a_test.cc", "dreamgym/nn/b.h"), 0U);
  EXPECT_EQ(num_include_faults("dreamgym/nn/a_test.cc", "dreamgym/env/b.h"), 1U);
}

TEST(Rules, RefuseAnotherRoomsInternals) {
  EXPECT_EQ(num_include_faults("dreamgym/train/a.cc", "dreamgym/nn/internal/b.h"), 1U);
}

TEST(Rules, KeepTorchInsideNn) {
  EXPECT_EQ(num_include_faults("dreamgym/nn/a.cc", "torch/types.h"), 0U);
  EXPECT_EQ(num_include_faults("dreamgym/nn/internal/a.h", "ATen/ATen.h"), 0U);
  EXPECT_EQ(num_include_faults("dreamgym/nn/a.h", "c10/util/Half.h"), 1U);
  EXPECT_EQ(num_include_faults("dreamgym/train/a.cc", "torch/types.h"), 1U);
}

TEST(Rules, RefuseLongNamelessAndUnguardedFiles) {
  EXPECT_EQ(shape_faults({"dreamgym/base/text.h", "#pragma once\n"}).size(), 0U);
  EXPECT_EQ(shape_faults({"dreamgym/base/text.h", "\n"}).size(), 1U);
  EXPECT_EQ(shape_faults({"dreamgym/base/text_body.h", "\n"}).size(), 0U);
  EXPECT_EQ(shape_faults({"dreamgym/base/text.cc", std::string(kMaxLines, '\n')}).size(), 0U);
  EXPECT_EQ(shape_faults({"dreamgym/base/text.cc", std::string(kMaxLines + 1, '\n')}).size(), 1U);
  EXPECT_EQ(shape_faults({"dreamgym/base/text_utils.cc", ""}).size(), 1U);
  EXPECT_EQ(shape_faults({"dreamgym/common/text.cc", ""}).size(), 1U);
  EXPECT_EQ(shape_faults({"dreamgym/base/commonplace.cc", ""}).size(), 0U);
}

TEST(Architecture, RoomsOnlyLookDownwards) {
  const House house = read_rules().house;
  ASSERT_GE(house.size(), 10U) << "the table in docs/architecture.md was not found";
  for (const auto& [name, room] : house) {
    for (const std::string& other : named_rooms(house, room)) {
      ASSERT_TRUE(house.contains(other)) << name << " may include the unknown room " << other;
      EXPECT_LT(house.at(other).layer, room.layer) << name << " may include " << other;
    }
  }
}

TEST(Architecture, EveryRoomWithFilesIsInTheTable) {
  const House house = read_rules().house;
  for (const Source& source : read_sources({"dreamgym"})) {
    EXPECT_TRUE(house.contains(room_of(source.path))) << source.path;
  }
}

TEST(Architecture, EveryIncludeFitsTheTable) {
  const Rules rules = read_rules();
  for (const Source& source : read_sources({"dreamgym"})) {
    for (const std::string& fault : include_faults(source, rules)) {
      ADD_FAILURE() << fault;
    }
  }
}

TEST(Architecture, EveryLinkFitsTheTable) {
  const Rules rules = read_rules();
  for (const auto& [name, room] : rules.house) {
    const Names allowed = reachable_rooms(rules.house, name);
    for (const std::string& linked : linked_names(rules.rooms_cmake, name, "ROOMS")) {
      EXPECT_TRUE(allowed.contains(linked)) << name << " is linked with " << linked;
    }
  }
}

TEST(Architecture, FilesAreShortGuardedAndNamed) {
  for (const Source& source : read_sources({"dreamgym", "tests", "bench"})) {
    for (const std::string& fault : shape_faults(source)) {
      ADD_FAILURE() << fault;
    }
  }
}

}  // namespace
}  // namespace dreamgym

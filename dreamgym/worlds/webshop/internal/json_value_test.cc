#include "dreamgym/worlds/webshop/internal/json_value.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"

namespace dreamgym::webshop {
namespace {

using Json = nlohmann::ordered_json;

/// The same value in the library's form; texts are read through text().
Json in_library(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::kText:
      return value.text();
    case JsonValue::Kind::kList: {
      Json list = Json::array();
      for (const JsonValue& item : value.items) {
        list.push_back(in_library(item));
      }
      return list;
    }
    case JsonValue::Kind::kObject: {
      Json object = Json::object();
      for (const auto& [name, member] : value.members) {
        object[name] = in_library(member);
      }
      return object;
    }
    default:
      return Json::parse(value.raw);
  }
}

TEST(JsonValue, IsWhatTheLibraryReads) {
  for (const char* text :
       {R"( {"a" : [1, -2.5e3, true , null], "b":{"c":"x\"y\\z\u00e9\ud83d\ude00"}} )",
        R"([])",
        R"({})",
        R"("é\n")",
        R"([[],[{}],""])",
        "7"}) {
    EXPECT_EQ(in_library(parse_json_value(text)), Json::parse(text)) << text;
  }
  EXPECT_EQ(parse_json_value(R"({"a":1,"a":2})").find("a")->raw, "2");
  EXPECT_EQ(parse_json_value(R"({"a":1})").find("b"), nullptr);
}

TEST(JsonValue, RefusesWhatTheLibraryRefuses) {
  const std::vector<std::string> pieces = {"{",
                                           "}",
                                           "[",
                                           "]",
                                           ",",
                                           ":",
                                           "\"",
                                           "\"a\"",
                                           "1",
                                           "-",
                                           "null",
                                           "true",
                                           " ",
                                           "\\",
                                           "\\u12",
                                           "e5",
                                           "\xff",
                                           "0"};
  Rng rng(3);
  std::size_t accepted = 0;
  for (int round = 0; round < 30000; ++round) {
    std::string text;
    for (std::uint64_t i = 1 + rng.below(7); i > 0; --i) {
      text += rng.choose(pieces);
    }
    try {
      const Json ours = in_library(parse_json_value(text));
      ASSERT_EQ(ours, Json::parse(text)) << text;
      ++accepted;
    } catch (const Json::exception&) {
      ASSERT_FALSE(Json::accept(text)) << text;
    }
  }
  EXPECT_GT(accepted, 300U);
}

TEST(JsonValue, RefusesABottomlessPit) {
  EXPECT_THROW(parse_json_value(std::string(100000, '[')), Error);
}

}  // namespace
}  // namespace dreamgym::webshop

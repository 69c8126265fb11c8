#include "dreamgym/llm/grammar/json_schema.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dreamgym/base/rng.h"
#include "dreamgym/llm/grammar/byte_automaton.h"
#include "tests/error_message.h"

namespace dreamgym {
namespace {

bool matches(const std::string& schema, const std::string& text) {
  ByteAutomaton automaton(*json_schema_pattern(schema, "test"));
  const auto state = automaton.next(automaton.start(), text);
  return state != ByteAutomaton::kDead && automaton.accepts(state);
}

// A walk by chance through everything the schema allows, ended as soon as it may be after a while.
std::string random_text(ByteAutomaton& automaton, Rng rng) {
  std::string text;
  ByteAutomaton::State state = automaton.start();
  while (automaton.continues(state) && !(automaton.accepts(state) && rng.uniform() < 0.3)) {
    std::vector<unsigned char> ways;
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (automaton.next(state, static_cast<unsigned char>(byte)) != ByteAutomaton::kDead) {
        ways.push_back(static_cast<unsigned char>(byte));
      }
    }
    const std::string closing = "\"]}";
    unsigned char byte = ways[static_cast<std::size_t>(rng.uniform() * static_cast<double>(ways.size()))];
    for (const char c : closing) {  // texts and lists end some day
      const auto found = std::ranges::find(ways, static_cast<unsigned char>(c));
      if (found != ways.end() && rng.uniform() < 0.4) {
        byte = *found;
      }
    }
    text += static_cast<char>(byte);
    state = automaton.next(state, byte);
  }
  return text;
}

constexpr const char* kReply = R"({
  "type": "object",
  "properties": {
    "why": {"type": "string", "maxLength": 20},
    "effect": {"enum": ["new", "again", 3, null]},
    "places": {"type": "array", "items": {"$ref": "#/$defs/place"}, "maxItems": 3},
    "done": {"type": "boolean"},
    "score": {"type": ["number", "null"]}
  },
  "required": ["why", "effect", "done"],
  "additionalProperties": false,
  "$defs": {"place": {"type": "object", "properties": {"n": {"type": "integer", "minimum": -2, "maximum": 12}}}}
})";

TEST(JsonSchema, TakesWhatSatisfiesIt) {
  EXPECT_TRUE(matches(kReply, R"({"why": "it is", "effect": "new", "done": true})"));
  EXPECT_TRUE(matches(kReply, R"({"why":"","effect":null,"done":false,"places":[{"n":12},{}],"score":-0.5e+3})"));
  EXPECT_TRUE(matches(R"({"type": "string"})", "\"caf\xc3\xa9 \\u00e9 \\n\""));
  EXPECT_TRUE(matches(R"({"anyOf": [{"type": "integer"}, {"const": {"a": [1]}}]})", R"({"a":[1]})"));
}

TEST(JsonSchema, TakesNothingElse) {
  EXPECT_FALSE(matches(kReply, R"({"why": "it is", "effect": "old", "done": true})"));
  EXPECT_FALSE(matches(kReply, R"({"effect": "new", "why": "it is", "done": true})"));
  EXPECT_FALSE(matches(kReply, R"({"why": "it is", "effect": "new"})"));
  EXPECT_FALSE(matches(kReply, R"({"why": "longer than twenty letters", "effect": "new", "done": true})"));
  EXPECT_FALSE(matches(R"({"type": "integer", "minimum": -2, "maximum": 12})", "13"));
  EXPECT_FALSE(matches(R"({"type": "integer"})", "01"));
  EXPECT_FALSE(matches(R"({"type": "string"})", "\"\n\""));
  EXPECT_FALSE(matches(R"({"type": "string"})", "\"\xc3\""));
  EXPECT_FALSE(matches(R"({"type": "string"})", "\"\\ud800\""));
}

TEST(JsonSchema, LeavesOutOptionalMembersInAnyWay) {
  const char* schema =
      R"({"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}}})";
  for (const char* text : {"{}", R"({"a":null})", R"({"b":null})", R"({"a":null, "c":null})", R"({"b":null,"c":null})"}) {
    EXPECT_TRUE(matches(schema, text)) << text;
  }
  EXPECT_FALSE(matches(schema, R"({"b":null,"a":null})"));
  EXPECT_FALSE(matches(schema, R"({"a":null,})"));
}

TEST(JsonSchema, EveryTextOfThePatternIsJsonThatSatisfiesIt) {
  ByteAutomaton automaton(*json_schema_pattern(kReply, "test"));
  for (std::size_t i = 0; i < 300; ++i) {
    const std::string text = random_text(automaton, Rng(11).fork("text", i));
    const auto json = nlohmann::json::parse(text, nullptr, false);
    ASSERT_TRUE(json.is_object()) << text;
    EXPECT_TRUE(json.at("done").is_boolean());
    EXPECT_TRUE(json.at("why").is_string());
    for (const auto& place : json.value("places", nlohmann::json::array())) {
      EXPECT_TRUE(!place.contains("n") || (place["n"] >= -2 && place["n"] <= 12)) << text;
    }
  }
}

TEST(JsonSchema, RefusesWhatItCannotKeepTo) {
  const auto refused = [](const char* schema) {
    return message_of([&] { (void)json_schema_pattern(schema, "reply"); });
  };
  EXPECT_NE(refused(R"({"type": "string", "pattern": "a+"})").find("\"pattern\""), std::string::npos);
  EXPECT_NE(refused(R"({"type": "object", "properties": {"a": {"type": "integer", "multipleOf": 3}}})")
                .find("#/properties/a"),
            std::string::npos);
  EXPECT_NE(refused(R"({"$ref": "#/$defs/x", "$defs": {"x": {"$ref": "#/$defs/x"}}})"), "");
  EXPECT_NE(refused(R"({"$ref": "#/$defs/y"})"), "");
  EXPECT_NE(refused(R"({"type": "object", "properties": {"a": {"type": "null"}}, "required": "a"})"), "");
  EXPECT_NE(refused("{"), "");
  EXPECT_NE(refused("true"), "");
  EXPECT_NE(refused(R"({"type": "array"})"), "");
  EXPECT_NE(refused(R"({"enum": []})"), "");
  EXPECT_NE(refused(R"({"type": "array", "items": {"type": "null"}, "minItems": 3, "maxItems": 2})"), "");
  EXPECT_NE(refused(R"({"type": "object", "required": ["a"]})"), "");
}

TEST(JsonSchema, RefusesWhatIsTooLarge) {
  std::string doubling = R"({"$ref": "#/$defs/d0", "$defs": {"d20": {"type": "null"})";
  for (int i = 0; i < 20; ++i) {
    const std::string next = "{\"$ref\": \"#/$defs/d" + std::to_string(i + 1) + "\"}";
    doubling += ", \"d" + std::to_string(i) + "\": {\"anyOf\": [" + next + ", " + next + "]}";
  }
  EXPECT_NE(message_of([&] { (void)json_schema_pattern(doubling + "}}", "reply"); }), "");
  EXPECT_NE(message_of([] {
              ByteAutomaton(*json_schema_pattern(R"({"type": "string", "maxLength": 99999999})", "reply"));
            }),
            "");
}

}  // namespace
}  // namespace dreamgym

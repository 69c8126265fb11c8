#include "dreamgym/llm/grammar/shortest_end.h"

#include <gtest/gtest.h>

#include "dreamgym/base/rng.h"
#include "dreamgym/llm/grammar/byte_automaton.h"
#include "dreamgym/llm/grammar/json_schema.h"

namespace dreamgym {
namespace {

bool holds(const Pattern& pattern, std::string_view text) {
  ByteAutomaton automaton(pattern);
  const auto state = automaton.next(automaton.start(), text);
  return state != ByteAutomaton::kDead && automaton.accepts(state);
}

TEST(ShortestEnd, EndsATextAndKeepsEveryAlternative) {
  const auto schema = json_schema_pattern(
      R"({"type": "object", "properties": {"why": {"type": "string"}, "done": {"type": "boolean"}}, "required": ["why", "done"]})",
      "test");
  const auto end = shortest_end(*schema, "{\"why\": \"The drawer \\");
  ASSERT_NE(end, nullptr);
  EXPECT_TRUE(holds(*end, "n\",\"done\":false}"));
  EXPECT_TRUE(holds(*end, "n\",\"done\":true}"));
  EXPECT_FALSE(holds(*end, "na\",\"done\":true}")) << "no letter more than needed";
  EXPECT_EQ(longest_text(*end), std::string_view("u0000\",\"done\":false}").size());
}

TEST(ShortestEnd, CountsWhatARepeatHasAlready) {
  const auto twice = pattern::repeat(pattern::literal("ab"), 3, 5);
  EXPECT_TRUE(holds(*shortest_end(*twice, "aba"), "bab"));
  EXPECT_TRUE(holds(*shortest_end(*twice, "abababa"), "b"));
  EXPECT_TRUE(holds(*shortest_end(*twice, "abababab"), ""));
  EXPECT_EQ(shortest_end(*twice, "ba"), nullptr);
  EXPECT_EQ(longest_text(*twice), 10U);
  EXPECT_EQ(longest_text(*pattern::repeat(pattern::literal("a"), 0, Pattern::kUnlimited)), Pattern::kUnlimited);
}

// Property: whatever beginning of whatever text is said, every end makes a text of the pattern.
TEST(ShortestEnd, EveryBeginningCanBeEnded) {
  const auto schema = json_schema_pattern(
      R"({"anyOf": [
        {"type": "object", "properties": {"t": {"type": "string", "minLength": 1, "maxLength": 9}, "e": {"const": false}}, "required": ["t", "e"]},
        {"type": "object", "properties": {"t": {"type": "string"}, "l": {"type": "array", "items": {"enum": ["text", "texture", null]}}}, "required": ["t", "l"]}]})",
      "test");
  ByteAutomaton automaton(*schema);
  const auto step = [](ByteAutomaton& walked, ByteAutomaton::State state, Rng& rng, std::string& text) {
    std::vector<unsigned char> ways;
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (walked.next(state, static_cast<unsigned char>(byte)) != ByteAutomaton::kDead) {
        ways.push_back(static_cast<unsigned char>(byte));
      }
    }
    text += static_cast<char>(ways[rng.below(ways.size())]);
    return walked.next(state, static_cast<unsigned char>(text.back()));
  };
  for (std::size_t i = 0; i < 60; ++i) {
    Rng rng = Rng(3).fork("text", i);
    std::string text;
    ByteAutomaton::State state = automaton.start();
    for (std::size_t left = rng.below(30); left > 0 && automaton.continues(state); --left) {
      state = step(automaton, state, rng, text);
    }
    const auto end = shortest_end(*schema, text);
    ASSERT_NE(end, nullptr) << text;
    ASSERT_LT(longest_text(*end), 60U) << text;
    ByteAutomaton ending(*end);
    std::string rest;
    for (auto at = ending.start(); ending.continues(at);) {
      at = step(ending, at, rng, rest);
    }
    EXPECT_TRUE(holds(*schema, text + rest)) << text << " | " << rest;
  }
}

}  // namespace
}  // namespace dreamgym

#include "dreamgym/experience/experience_prompt.h"

#include <gtest/gtest.h>

#include "dreamgym/llm/scripted_model.h"
#include "tests/test_tokenizer.h"

namespace dreamgym {
namespace {

std::shared_ptr<const BpeTokenizer> tokenizer() {
  return test_tokenizer({"put a mug 1 in desk 2", "effect: new; at: desk 1; hold: nothing",
                         "You arrive at desk 1. On the desk 1, you see a mug 1."});
}

std::vector<TokenId> joined(const std::vector<std::vector<TokenId>>& parts) {
  std::vector<TokenId> out;
  for (const auto& part : parts) {
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

TEST(ExperiencePrompt, WritesTheLayoutOfItsHeader) {
  const ExperiencePrompt prompt(tokenizer(), 100);
  const auto tokens = joined({prompt.begin("put a mug 1 in desk 2", "You see a desk 1."),
                              prompt.demonstrations(std::vector<Demonstration>{
                                  {"id", "open desk 1", "It is open."}}),
                              prompt.recollections(std::vector<Demonstration>{
                                  {"", "go to desk 1", "It is closed."}}),
                              prompt.query("go to desk 1"),
                              prompt.trace("effect: new"),
                              prompt.outcome("You arrive.", EndFlag::kSuccess)});
  EXPECT_EQ(prompt.tokenizer().decode(tokens),
            "<|dream|><|task|>put a mug 1 in desk 2<|state|>You see a desk 1."
            "<|demonstration|>open desk 1<|observation|>It is open."
            "<|state|>go to desk 1<|observation|>It is closed."
            "<|action|>go to desk 1<|trace|>effect: new<|observation|>You arrive.<|success|>");
}

TEST(ExperiencePrompt, ParsesWhatItWrites) {
  const ExperiencePrompt prompt(tokenizer(), 100);
  for (const EndFlag flag : {EndFlag::kContinue, EndFlag::kSuccess, EndFlag::kFailure}) {
    const auto parsed =
        prompt.parse(joined({prompt.trace("effect: new; at: desk 1"), prompt.outcome("On it.", flag)}));
    ASSERT_TRUE(parsed.has_value());
    EXPECT_EQ(parsed->reasoning_trace, "effect: new; at: desk 1");
    EXPECT_EQ(parsed->observation, "On it.");
    EXPECT_EQ(parsed->flag, flag);
  }
}

TEST(ExperiencePrompt, RefusesRepliesWithoutStructure) {
  const auto tok = tokenizer();
  const ExperiencePrompt prompt(tok, 100);
  const auto parse = [&](const std::string& text) { return prompt.parse(encode_script(*tok, text)); };
  EXPECT_FALSE(prompt.parse({}).has_value());
  EXPECT_FALSE(parse("effect: new").has_value());
  EXPECT_FALSE(parse("effect: new<|observation|>You see").has_value());
  EXPECT_FALSE(parse("effect: new<|success|>").has_value());
  EXPECT_FALSE(parse("effect: new<|observation|>a<|action|>b<|continue|>").has_value());
  EXPECT_FALSE(parse("<|task|>x<|observation|>a<|continue|>").has_value());
}

TEST(ExperiencePrompt, CutsDemonstrationsToTheirBudget) {
  const ExperiencePrompt prompt(tokenizer(), 5);
  const std::vector<Demonstration> shown(3, {"id", "open the desk 1 now", "You see very much here."});
  EXPECT_EQ(prompt.demonstrations(shown).size(), 15U);
}

}  // namespace
}  // namespace dreamgym

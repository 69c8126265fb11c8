#include "dreamgym/experience/internal/held_reply.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/llm/scripted_model.h"
#include "tests/test_tokenizer.h"

namespace dreamgym::experience_internal {
namespace {

// A model that says what a script tells it to: each answer belongs to the text that has been said by then.
class HeldReply : public testing::Test {
 protected:
  HeldReply() : tokenizer_(test_tokenizer({"On the desk 1, you see a mug 1, a pen 2, and a book 1. nothing"})) {
    facts_.observe(*parse_reasoning_trace("effect: new; at: desk 1; hold: nothing"),
                   "go to desk 1",
                   "On the desk 1, you see a mug 1, and a pen 2.");
  }

  // The observation that comes of `said` where the model goes on by `script`: text so far -> what comes next.
  std::string held(const std::string& said,
                   const std::string& trace,
                   const std::string& action,
                   std::vector<std::pair<std::string, std::string>> script) {
    const TokenId end = *tokenizer_->marker("<|continue|>");
    GenerationReply reply;
    reply.tokens = encode_script(*tokenizer_, said + "<|continue|>");
    reply.logprobs.assign(reply.tokens.size(), -1.0F);
    const auto result = hold_to_record(
        reply,
        *tokenizer_,
        std::span(&end, 1),
        [&](std::string_view text) { return facts_.fault_in(*parse_reasoning_trace(trace), action, text); },
        [&](const Continuation& asked) {
          const std::string text = tokenizer_->decode(asked.beginning);
          for (const auto& [before, after] : script) {
            if (before != text) {
              continue;
            }
            GenerationReply next;
            next.tokens = encode_script(*tokenizer_, after);
            if (!asked.banned.empty()) {
              next.tokens.resize(1);
              EXPECT_EQ(std::count(asked.banned.begin(), asked.banned.end(), next.tokens.front()), 0);
            }
            next.logprobs.assign(next.tokens.size(), -2.0F);
            return next;
          }
          ADD_FAILURE() << "nobody expected to go on after: " << text;
          return GenerationReply{};
        });
    if (!result) {
      return "";
    }
    EXPECT_EQ(result->tokens.size(), result->logprobs.size());
    return tokenizer_->decode(std::span<const TokenId>(result->tokens).first(result->tokens.size() - 1));
  }

  std::shared_ptr<const BpeTokenizer> tokenizer_;
  ShownFacts facts_;
};

constexpr const char* kAgain = "effect: again; at: desk 1; hold: nothing";
constexpr const char* kNew = "effect: new; at: shelf 1; hold: nothing";

TEST_F(HeldReply, LeavesWhatIsRight) {
  EXPECT_EQ(held("On the desk 1, you see a pen 2, and a mug 1.", kAgain, "examine desk 1", {}),
            "On the desk 1, you see a pen 2, and a mug 1.");
}

TEST_F(HeldReply, GoesOnWithAnotherNumberWhereTheThingIsElsewhere) {
  EXPECT_EQ(held("On the shelf 1, you see a mug 1, and a book 1.",
                 kNew,
                 "go to shelf 1",
                 {{"On the shelf 1, you see a", " mug 2"},
                  {"On the shelf 1, you see a ", "mug 2"},
                  {"On the shelf 1, you see a mug 2", ", and a book 1.<|continue|>"}}),
            "On the shelf 1, you see a mug 2, and a book 1.");
}

TEST_F(HeldReply, ListsWhatIsKnownToBeThere) {
  EXPECT_EQ(held("On the desk 1, you see a mug 1, and a mug 1.",
                 kAgain,
                 "examine desk 1",
                 {{"On the desk 1, you see a mug 1, and a", " pen 2"},
                  {"On the desk 1, you see a mug 1, and a ", "pen 2"},
                  {"On the desk 1, you see a mug 1, and a pen 2", ".<|continue|>"}}),
            "On the desk 1, you see a mug 1, and a pen 2.");
}

TEST_F(HeldReply, PutsAListRightByItsOwnWords) {
  EXPECT_EQ(held("On the desk 1, you see a mug 1, a pen 2, and a book 1.", kAgain, "examine desk 1", {}),
            "On the desk 1, you see a mug 1, a pen 2.");
  facts_.observe(*parse_reasoning_trace("effect: moved; at: desk 1; hold: nothing; here: mug 1, pen 2, cup 1"),
                 "move cup 1 to desk 1",
                 "You move it.");
  EXPECT_EQ(held("On the desk 1, you see a mug 1, and a pen 2.", kAgain, "examine desk 1", {}),
            "On the desk 1, you see a mug 1, and a cup 1, and a pen 2.");
}

TEST_F(HeldReply, GoesOnWithAListThatIsTooShort) {
  EXPECT_EQ(held("On the desk 1, you see a mug 1.",
                 kAgain,
                 "examine desk 1",
                 {{"On the desk 1, you see a mug 1", ","},
                  {"On the desk 1, you see a mug 1,", " and a pen 2.<|continue|>"}}),
            "On the desk 1, you see a mug 1, and a pen 2.");
}

TEST_F(HeldReply, GivesUpOnAModelThatCantBeBroughtToIt) {
  EXPECT_EQ(held("On the desk 1, you see a mug 1.",
                 kAgain,
                 "examine desk 1",
                 {{"On the desk 1, you see a mug 1", ","},
                  {"On the desk 1, you see a mug 1,", " and so on"}}),
            "");
}

TEST_F(HeldReply, OfTwoChoicesOneBeginsTheOtherOnlyTheShorterIsLeft) {
  const std::vector<std::string> texts = {"mug 1", "mug 12", "pen 2"};
  EXPECT_NO_THROW((void)choices_of(*tokenizer_, texts));
}

}  // namespace
}  // namespace dreamgym::experience_internal

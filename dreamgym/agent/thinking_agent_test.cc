// An agent that thinks before it acts: what it reads, what is sampled, and what its template forgets.

#include <gtest/gtest.h>

#include "dreamgym/agent/chat_agent_prompt.h"
#include "dreamgym/agent/turn_queue.h"
#include "dreamgym/llm/pretrained_model.h"
#include "dreamgym/llm/scripted_model.h"
#include "tests/language_model_data.h"

namespace dreamgym {
namespace {

using Json = nlohmann::ordered_json;

struct Case {
  Path tokenizer;
  ChatTemplate format;
};

Case qwen() { return {fetched_models() / "qwen3/tokenizer.json", ChatTemplate::kQwen3}; }
Case smollm2() { return {language_model_data() / "tokenizer/smollm2_tokenizer.json", ChatTemplate::kSmolLm2}; }

const std::vector<std::string> kActions = {"go to desk 1", "look"};
constexpr std::size_t kMaxThoughtTokens = 12;
constexpr std::string_view kRules = "Think, then act.";

// What the scripted policy writes as the thought of its turns.
struct Thinker {
  Thinker(const Case& of, std::vector<std::string> thoughts, const AgentOptions& options = {})
      : tokenizer(std::make_shared<const PretrainedTokenizer>(read_pretrained_tokenizer(of.tokenizer))),
        format(of.format),
        prompt(std::make_shared<const ChatAgentPrompt>(tokenizer, format, kRules, false, kMaxThoughtTokens)),
        model(tokenizer,
              [this, thoughts = std::move(thoughts), next = std::size_t{0}](const GenerationRequest& request) mutable {
                return request.choices ? prompt->action(kActions[(next - 1) % 2])
                                       : tokenizer->encode_with_markers(thoughts.at(next++));
              }),
        agent(model, prompt, options) {}

  AgentEpisode play(std::size_t turns) {
    AgentEpisode episode = agent.begin("find it", "A room.", 1, 7);
    TurnQueue queue(agent);
    for (std::size_t turn = 0; turn < turns; ++turn) {
      if (turn > 0) {
        agent.observe(episode, "Nothing.");
      }
      queue.ask(3, episode, kActions);
      const auto decided = queue.finish();
      EXPECT_EQ(decided.size(), 1U);
      EXPECT_EQ(decided.at(0).number, 3U);
      EXPECT_EQ(decided.at(0).action, kActions[turn % 2]);
      EXPECT_EQ(episode.turn, turn + 1);
    }
    return episode;
  }

  [[nodiscard]] std::vector<TokenId> rendered(const Json& messages) const {
    const ModelLanguage language{.tokenizer = tokenizer, .pretrained = tokenizer};
    return chat_tokens(language, render_chat(format, {.messages = messages, .add_generation_prompt = true}));
  }

  std::shared_ptr<const PretrainedTokenizer> tokenizer;
  ChatTemplate format;
  std::shared_ptr<const ChatAgentPrompt> prompt;
  ScriptedModel model;
  TokenAgent agent;
};

std::string sampled_text(const TokenLedger& ledger, const Tokenizer& tokenizer) {
  std::vector<TokenId> ids;
  for (std::size_t i = 0; i < ledger.size(); ++i) {
    if (ledger.source(i) == TokenSource::kPolicy) {
      ids.push_back(ledger.tokens()[i]);
    }
  }
  return tokenizer.decode(ids);
}

TEST(ThinkingAgent, OpensABranchEachTurnWhereTheTemplateForgetsThoughts) {
  DREAMGYM_NEEDS_FILE(qwen().tokenizer);
  Thinker thinker(qwen(), {"It may be there.\n</think>", "Or not.\n</think>", "Hm.\n</think>"});
  const AgentEpisode episode = thinker.play(3);
  ASSERT_EQ(episode.ledgers.size(), 3U);
  EXPECT_EQ(episode.branches, 2U);
  // Each context is the conversation as the template renders it then, thoughts and all.
  Json messages = {{{"role", "system"}, {"content", kRules}},
                   {{"role", "user"}, {"content", ChatAgentPrompt::first_message("find it", "A room.")}}};
  const std::vector<std::string> thoughts = {"It may be there.", "Or not.", "Hm."};
  for (std::size_t turn = 0; turn < 3; ++turn) {
    const TokenLedger& ledger = episode.ledgers[turn];
    const std::string said = "<think>\n" + thoughts[turn] + "\n</think>\n\n" + kActions[turn % 2];
    std::vector<TokenId> expected = thinker.rendered(messages);
    const std::vector<TokenId> turn_ids = thinker.tokenizer->encode_with_markers(said + "<|im_end|>");
    expected.insert(expected.end(), turn_ids.begin(), turn_ids.end());
    EXPECT_EQ(ledger.tokens(), expected) << thinker.tokenizer->decode(ledger.tokens());
    EXPECT_EQ(sampled_text(ledger, *thinker.tokenizer),
              thoughts[turn] + "\n</think>" + kActions[turn % 2] + "<|im_end|>");
    messages.push_back({{"role", "assistant"}, {"content", said}});
    messages.push_back({{"role", "user"}, {"content", "Nothing."}});
  }
}

TEST(ThinkingAgent, KeepsOneLedgerWhereTheTemplateKeepsThoughts) {
  DREAMGYM_NEEDS_FILE(smollm2().tokenizer);
  Thinker thinker(smollm2(), {" It may be there.\nAction:", " Or not.\nAction:"});
  const AgentEpisode episode = thinker.play(2);
  ASSERT_EQ(episode.ledgers.size(), 1U);
  EXPECT_EQ(episode.branches, 0U);
  const std::string text = thinker.tokenizer->decode(episode.ledgers.front().tokens());
  EXPECT_TRUE(text.ends_with("<|im_start|>assistant\nThought: It may be there.\nAction:\ngo to desk 1<|im_end|>\n"
                             "<|im_start|>user\nNothing.<|im_end|>\n"
                             "<|im_start|>assistant\nThought: Or not.\nAction:\nlook<|im_end|>"))
      << text;
  EXPECT_EQ(sampled_text(episode.ledgers.front(), *thinker.tokenizer),
            " It may be there.\nAction:go to desk 1<|im_end|> Or not.\nAction:look<|im_end|>");
}

TEST(ThinkingAgent, ClosesAThoughtThatRanIntoItsLimit) {
  DREAMGYM_NEEDS_FILE(qwen().tokenizer);
  Thinker thinker(qwen(), {"one two three four five six seven eight nine ten eleven twelve thirteen\n</think>"});
  const AgentEpisode episode = thinker.play(1);
  const TokenLedger& ledger = episode.ledgers.front();
  const std::string text = thinker.tokenizer->decode(ledger.tokens());
  EXPECT_TRUE(text.ends_with("<think>\none two three four five six seven eight nine ten eleven twelve\n</think>\n\n"
                             "go to desk 1<|im_end|>"))
      << text;
  EXPECT_EQ(ledger.num_sampled(), kMaxThoughtTokens + thinker.prompt->action("go to desk 1").size());
  for (std::size_t i = 0; i < ledger.size(); ++i) {
    EXPECT_FALSE(ledger.source(i) == TokenSource::kFrame && ledger.trainable(i)) << i;
  }
}

TEST(ThinkingAgent, ClosesAThoughtThatThePolicyEndedWithItsTurn) {
  DREAMGYM_NEEDS_FILE(smollm2().tokenizer);
  Thinker thinker(smollm2(), {" Hm<|im_end|>"});
  const AgentEpisode episode = thinker.play(1);
  const std::string text = thinker.tokenizer->decode(episode.ledgers.front().tokens());
  EXPECT_TRUE(text.ends_with("Thought: Hm<|im_end|>\nAction:\ngo to desk 1<|im_end|>")) << text;
}

TEST(ThinkingAgent, ThinksInAWindowToo) {
  DREAMGYM_NEEDS_FILE(qwen().tokenizer);
  Thinker forgetful(qwen(), {"a\n</think>", "b\n</think>"}, {.history_steps = 1});
  const AgentEpisode one = forgetful.play(2);
  EXPECT_EQ(one.branches, 0U) << "a window is a context a turn anyway";
  const std::string text = forgetful.tokenizer->decode(one.ledgers.back().tokens());
  EXPECT_EQ(text.find("a\n</think>"), std::string::npos) << text;
  EXPECT_NE(text.find("assistant\ngo to desk 1<|im_end|>"), std::string::npos) << text;
}

TEST(ThinkingAgent, TemplatesKeepOrForgetThoughts) {
  EXPECT_FALSE(ChatAgentPrompt::keeps_thoughts(ChatTemplate::kQwen3));
  for (const ChatTemplate format : {ChatTemplate::kChatMl,
                                    ChatTemplate::kSmolLm2,
                                    ChatTemplate::kLlama3,
                                    ChatTemplate::kLlama31,
                                    ChatTemplate::kLlama32,
                                    ChatTemplate::kQwen25}) {
    EXPECT_TRUE(ChatAgentPrompt::keeps_thoughts(format)) << chat_template_name(format);
  }
}

TEST(ThinkingAgent, AFreelyWrittenThoughtOpensABranchAsWell) {
  DREAMGYM_NEEDS_FILE(qwen().tokenizer);
  Thinker thinker(qwen(), {});
  const auto plain = std::make_shared<const ChatAgentPrompt>(thinker.tokenizer, ChatTemplate::kQwen3, kRules);
  ScriptedModel model(thinker.tokenizer, [&](const GenerationRequest&) {
    return thinker.tokenizer->encode_with_markers("<think>\nhm\n</think>\n\nlook<|im_end|>");
  });
  const TokenAgent agent(model, plain, {});
  AgentEpisode episode = agent.begin("find it", "A room.", 1, 7);
  TurnQueue queue(agent);
  queue.ask(1, episode, {});
  EXPECT_EQ(queue.finish().at(0).action, "look");
  agent.observe(episode, "Nothing.");
  EXPECT_EQ(episode.branches, 1U);
  const std::string text = thinker.tokenizer->decode(episode.ledgers.back().tokens());
  EXPECT_TRUE(text.ends_with("assistant\nlook<|im_end|>\n<|im_start|>user\nNothing.<|im_end|>\n<|im_start|>assistant\n"))
      << text;
}

}  // namespace
}  // namespace dreamgym

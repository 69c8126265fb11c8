#include "dreamgym/agent/token_agent.h"

#include "dreamgym/agent/agent_prompt.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/llm/token_trie.h"
#include "dreamgym/llm/trie_walk.h"

namespace dreamgym {
namespace {

// Room an observation and an action may need before the next check.
constexpr std::size_t kTurnReserveTokens = 160;

}  // namespace

TokenAgent::TokenAgent(LanguageModel& model,
                       std::shared_ptr<const TurnPrompt> prompt,
                       AgentOptions options)
    : model_(model), prompt_(std::move(prompt)), options_(options) {}

TokenAgent::TokenAgent(LanguageModel& model,
                       std::shared_ptr<const Tokenizer> tokenizer,
                       AgentOptions options)
    : TokenAgent(model, std::make_shared<const AgentPrompt>(std::move(tokenizer)), options) {}

AgentEpisode TokenAgent::begin(std::string_view instruction,
                               std::string_view observation,
                               std::uint64_t session,
                               std::uint64_t seed) const {
  AgentEpisode episode;
  episode.instruction = instruction;
  episode.session = session;
  episode.seed = seed;
  episode.ledger.append_read(prompt_->begin(instruction, observation), TokenSource::kPrompt);
  return episode;
}

std::vector<Action> TokenAgent::act(std::span<AgentEpisode* const> episodes,
                                    std::span<const std::vector<std::string>> candidates) {
  check(episodes.size() == candidates.size(), "one candidate set per episode");
  std::vector<GenerationRequest> requests(episodes.size());
  for (std::size_t i = 0; i < episodes.size(); ++i) {
    const AgentEpisode& episode = *episodes[i];
    GenerationRequest& request = requests[i];
    request.session = episode.session;
    request.context = episode.ledger.tokens();
    request.temperature = options_.temperature;
    request.seed = Rng(episode.seed).fork("turn", episode.turn).next();
    if (candidates[i].empty()) {
      request.max_tokens = options_.max_action_tokens;
      request.stop = {prompt_->stop()};
      continue;
    }
    std::vector<std::vector<TokenId>> choices;
    choices.reserve(candidates[i].size());
    for (const std::string& candidate : candidates[i]) {
      choices.push_back(prompt_->action(candidate));
    }
    request.choices = std::make_shared<TokenTrie>(choices);
    request.max_tokens = 512;
  }
  const std::vector<GenerationReply> replies = model_.generate(requests);

  std::vector<Action> actions;
  actions.reserve(episodes.size());
  const auto temperature = static_cast<float>(options_.temperature > 0 ? options_.temperature : 1.0);
  for (std::size_t i = 0; i < episodes.size(); ++i) {
    const GenerationReply& reply = replies[i];
    const auto allowed = requests[i].choices
                             ? allowed_along(*requests[i].choices, reply.tokens)
                             : std::vector<std::vector<TokenId>>(reply.tokens.size());
    episodes[i]->ledger.append_sampled(
        reply.tokens, reply.logprobs, allowed, model_.version(), temperature);
    ++episodes[i]->turn;
    actions.push_back(prompt_->parse_action(reply.tokens));
  }
  return actions;
}

void TokenAgent::observe(AgentEpisode& episode, std::string_view observation) const {
  if (episode.ledger.tokens().back() != prompt_->stop()) {
    // A freely written action that ran into its limit was not closed by the policy itself.
    const TokenId stop = prompt_->stop();
    episode.ledger.append_read(std::span<const TokenId>(&stop, 1), TokenSource::kPrompt);
  }
  episode.ledger.append_read(prompt_->observation(observation, episode.instruction), TokenSource::kEnvironment);
}

bool TokenAgent::has_room(const AgentEpisode& episode) const {
  return episode.ledger.size() + kTurnReserveTokens <= model_.max_context_tokens();
}

}  // namespace dreamgym

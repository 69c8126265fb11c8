#include "dreamgym/agent/token_agent.h"

#include "dreamgym/agent/agent_prompt.h"
#include "dreamgym/base/clock.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/llm/token_trie.h"
#include "dreamgym/llm/trie_walk.h"

namespace dreamgym {
namespace {

// Room an observation and an action may need before the next check.
constexpr std::size_t kTurnReserveTokens = 160;

// Where the action of a turn begins, in its own context.
std::size_t first_sampled(const TokenLedger& ledger) {
  std::size_t i = 0;
  while (i < ledger.size() && ledger.source(i) != TokenSource::kPolicy) {
    ++i;
  }
  return i;
}

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
  episode.ledgers.emplace_back().append_read(prompt_->begin(instruction, observation),
                                             TokenSource::kPrompt);
  if (!sees_everything()) {
    episode.observation = observation;
  }
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
    request.context = episode.ledgers.back().tokens();
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
  const SteadyClock clock;
  const auto start = clock.now();
  const std::vector<GenerationReply> replies = model_.generate(requests);
  generation_seconds_ += seconds_since(clock, start);

  std::vector<Action> actions;
  actions.reserve(episodes.size());
  const auto temperature = static_cast<float>(options_.temperature > 0 ? options_.temperature : 1.0);
  for (std::size_t i = 0; i < episodes.size(); ++i) {
    const GenerationReply& reply = replies[i];
    const auto allowed = requests[i].choices
                             ? allowed_along(*requests[i].choices, reply.tokens)
                             : std::vector<std::vector<TokenId>>(reply.tokens.size());
    episodes[i]->ledgers.back().append_sampled(
        reply.tokens, reply.logprobs, allowed, model_.version(), temperature);
    ++episodes[i]->turn;
    actions.push_back(prompt_->parse_action(reply.tokens));
  }
  return actions;
}

void TokenAgent::observe(AgentEpisode& episode, std::string_view observation) const {
  TokenLedger& ledger = episode.ledgers.back();
  if (ledger.tokens().back() != prompt_->stop()) {
    // A freely written action that ran into its limit was not closed by the policy itself.
    const TokenId stop = prompt_->stop();
    ledger.append_read(std::span<const TokenId>(&stop, 1), TokenSource::kPrompt);
  }
  if (sees_everything()) {
    ledger.append_read(prompt_->observation(observation, episode.instruction),
                       TokenSource::kEnvironment);
    return;
  }
  const std::size_t action = first_sampled(ledger);
  episode.past.push_back({std::move(episode.observation),
                          {ledger.tokens().begin() + static_cast<std::ptrdiff_t>(action),
                           ledger.tokens().end()}});
  if (episode.past.size() > options_.history_steps) {
    episode.past.erase(episode.past.begin());
  }
  episode.observation = observation;
  episode.ledgers.emplace_back().append_read(
      prompt_->window(episode.instruction, episode.past, observation), TokenSource::kPrompt);
}

bool TokenAgent::has_room(const AgentEpisode& episode) const {
  return episode.ledgers.back().size() + kTurnReserveTokens <= model_.max_context_tokens();
}

}  // namespace dreamgym

#include "dreamgym/agent/token_agent.h"

#include "dreamgym/agent/agent_prompt.h"
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

GenerationRequest TokenAgent::request(const AgentEpisode& episode,
                                      std::span<const std::string> candidates) const {
  GenerationRequest request;
  request.session = episode.session;
  request.context = episode.ledgers.back().tokens();
  request.temperature = options_.temperature;
  request.seed = Rng(episode.seed).fork("turn", episode.turn).next();
  if (candidates.empty()) {
    request.max_tokens = options_.max_action_tokens;
    request.stop = {prompt_->stop()};
    return request;
  }
  std::vector<std::vector<TokenId>> choices;
  choices.reserve(candidates.size());
  for (const std::string& candidate : candidates) {
    choices.push_back(prompt_->action(candidate));
  }
  request.choices = std::make_shared<TokenTrie>(choices);
  request.max_tokens = 512;
  return request;
}

Action TokenAgent::take(AgentEpisode& episode, const TokenTrie* choices, const GenerationReply& reply) const {
  const auto allowed = choices != nullptr ? allowed_along(*choices, reply.tokens)
                                          : std::vector<std::vector<TokenId>>(reply.tokens.size());
  const auto temperature = static_cast<float>(options_.temperature > 0 ? options_.temperature : 1.0);
  episode.ledgers.back().append_sampled(
      reply.tokens, reply.logprobs, allowed, model_.version(), temperature);
  ++episode.turn;
  return prompt_->parse_action(reply.tokens);
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

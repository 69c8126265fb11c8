#include "dreamgym/agent/token_agent.h"

#include <algorithm>

#include "dreamgym/agent/agent_prompt.h"
#include "dreamgym/agent/thought_form.h"
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
  episode.ledgers.emplace_back().append_read(prompt_->begin(instruction, observation),
                                             TokenSource::kPrompt);
  if (!sees_everything()) {
    episode.observation = observation;
  }
  begin_turn(episode);
  return episode;
}

void TokenAgent::begin_turn(AgentEpisode& episode) const {
  TokenLedger& ledger = episode.ledgers.back();
  episode.turn_begin = ledger.size();
  episode.has_thought = false;
  if (const ThoughtForm* form = prompt_->thought_form()) {
    ledger.append_read(form->opening(), TokenSource::kFrame);
  }
}

GenerationRequest TokenAgent::request(const AgentEpisode& episode,
                                      std::span<const std::string> candidates) const {
  GenerationRequest request;
  request.session = episode.session;
  request.context = episode.ledgers.back().tokens();
  request.temperature = options_.temperature;
  const ThoughtForm* form = prompt_->thought_form();
  if (form != nullptr && !episode.has_thought) {
    request.seed = Rng(episode.seed).fork("thought", episode.turn).next();
    form->ask(request, prompt_->stop());
    return request;
  }
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

std::optional<Action> TokenAgent::take(AgentEpisode& episode,
                                       const TokenTrie* choices,
                                       const GenerationReply& reply) const {
  const auto allowed = choices != nullptr ? allowed_along(*choices, reply.tokens)
                                          : std::vector<std::vector<TokenId>>(reply.tokens.size());
  const auto temperature = static_cast<float>(options_.temperature > 0 ? options_.temperature : 1.0);
  episode.ledgers.back().append_sampled(
      reply.tokens, reply.logprobs, allowed, model_.version(), temperature);
  const ThoughtForm* form = prompt_->thought_form();
  if (form != nullptr && !episode.has_thought) {
    episode.has_thought = true;
    episode.ledgers.back().append_read(form->closing(reply.tokens), TokenSource::kFrame);
    return std::nullopt;
  }
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
  const std::span<const TokenId> tokens = ledger.tokens();
  std::vector<TokenId> turn = prompt_->remembered(tokens.subspan(episode.turn_begin));
  if (sees_everything()) {
    go_on(episode, turn, prompt_->observation(observation, episode.instruction));
  } else {
    episode.past.push_back({std::move(episode.observation), std::move(turn)});
    if (episode.past.size() > options_.history_steps) {
      episode.past.erase(episode.past.begin());
    }
    episode.observation = observation;
    episode.ledgers.emplace_back().append_read(
        prompt_->window(episode.instruction, episode.past, observation), TokenSource::kPrompt);
  }
  begin_turn(episode);
}

// The ledger goes on if it is a beginning of what there is to read now, else what there is to read opens another.
void TokenAgent::go_on(AgentEpisode& episode,
                       std::span<const TokenId> turn,
                       std::span<const TokenId> observation) {
  const std::vector<TokenId>& tokens = episode.ledgers.back().tokens();
  if (std::ranges::equal(std::span(tokens).subspan(episode.turn_begin), turn)) {
    episode.ledgers.back().append_read(observation, TokenSource::kEnvironment);
    return;
  }
  TokenLedger branch;
  branch.append_read(std::span(tokens).first(episode.turn_begin), TokenSource::kPrompt);
  branch.append_read(turn, TokenSource::kPrompt);
  branch.append_read(observation, TokenSource::kEnvironment);
  episode.ledgers.push_back(std::move(branch));
  ++episode.branches;
}

bool TokenAgent::has_room(const AgentEpisode& episode) const {
  const ThoughtForm* form = prompt_->thought_form();
  const std::size_t thought = form != nullptr ? form->max_tokens() : 0;
  return episode.ledgers.back().size() + thought + kTurnReserveTokens <= model_.max_context_tokens();
}

}  // namespace dreamgym

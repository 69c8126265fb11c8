// The agent: history to prompt, sampled tokens to action, every token in the ledger.
//
// Turns are played by a TurnQueue (turn_queue.h).
// Thread safety: calls must not overlap.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/agent/turn_prompt.h"
#include "dreamgym/llm/generation_queue.h"
#include "dreamgym/llm/language_model.h"
#include "dreamgym/llm/token_ledger.h"

namespace dreamgym {

struct AgentOptions {
  double temperature = 1.0;            ///< of the sampled actions; 0 = greedy
  std::size_t max_action_tokens = 32;  ///< of a freely written action
  /// Past (observation, action) pairs the policy reads; from kWholeEpisode on all of them, in one
  /// context that only grows. Else every turn has a context of its own.
  std::size_t history_steps = kWholeEpisode;
};

/// One episode as the agent sees it.
struct AgentEpisode {
  std::string instruction;    ///< stands before every action
  /// The episode's; or one for each turn, or for each part between turns that the template rewrote. The present one
  /// last.
  std::vector<TokenLedger> ledgers;
  std::string observation{};         ///< with a window: the present one
  std::vector<PastTurn> past{};      ///< likewise: what it shows
  std::uint64_t session = 0;  ///< the model's cache key; distinct among running episodes
  std::uint64_t seed = 0;     ///< of this episode's sampling stream
  std::size_t turn = 0;
  std::size_t turn_begin = 0;  ///< of the present turn in its ledger
  bool has_thought = false;    ///< in the present turn
  std::size_t branches = 0;    ///< ledgers begun because the last one was no beginning of what is to be read
};

class TokenAgent {
 public:
  /// @param model  borrowed; must outlive the agent.
  TokenAgent(LanguageModel& model, std::shared_ptr<const TurnPrompt> prompt, AgentOptions options);
  /// In the markers of our own models (AgentPrompt).
  TokenAgent(LanguageModel& model, std::shared_ptr<const Tokenizer> tokenizer, AgentOptions options);

  [[nodiscard]] AgentEpisode begin(std::string_view instruction,
                                   std::string_view observation,
                                   std::uint64_t session,
                                   std::uint64_t seed) const;

  /// What to ask the model for the episode's next action.
  /// @param candidates  to choose from; none = write freely.
  [[nodiscard]] GenerationRequest request(const AgentEpisode& episode,
                                          std::span<const std::string> candidates) const;
  /// Takes what the model said to that into the ledger. Nothing: it was a thought, the action is to be asked for.
  /// @param choices  the request's; null = it was free.
  std::optional<Action> take(AgentEpisode& episode, const TokenTrie* choices, const GenerationReply& reply) const;

  /// The environment's answer to the last action. Where the ledger is no beginning of what the policy reads now
  /// (its template forgets thoughts), the episode goes on in a new one.
  void observe(AgentEpisode& episode, std::string_view observation) const;

  /// True if another turn with candidates like these still fits the model's context.
  [[nodiscard]] bool has_room(const AgentEpisode& episode) const;

  /// Forgets the model's cache of an episode that is over.
  void finish(const AgentEpisode& episode) { model_.release(std::span(&episode.session, 1)); }

  [[nodiscard]] const TurnPrompt& prompt() const { return *prompt_; }
  [[nodiscard]] std::string version() const { return model_.version(); }
  /// The model, to be asked as the requests come; one queue at a time.
  [[nodiscard]] std::unique_ptr<GenerationQueue> open_queue() const { return model_.open_queue(); }

 private:
  void begin_turn(AgentEpisode& episode) const;
  static void go_on(AgentEpisode& episode,
                    std::span<const TokenId> turn,
                    std::span<const TokenId> observation);
  [[nodiscard]] bool sees_everything() const { return options_.history_steps >= kWholeEpisode; }

  LanguageModel& model_;
  std::shared_ptr<const TurnPrompt> prompt_;
  AgentOptions options_;
};

}  // namespace dreamgym

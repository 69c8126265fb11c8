// The experience model's prompt and reply as tokens (paper Eq. 4).
//
// Shared part first: <|dream|><|task|>tau<|state|>s_0, then per past step
// <|action|>a<|trace|>R<|observation|>s'<flag>; this part only grows and stays in the model's cache.
// Then the tail that is rolled back after each step: the retrieved demonstrations, each
// <|demonstration|>a<|observation|>s', what the episode itself has shown of the action's things
// (recollection.h), each <|state|>a<|observation|>s', and the query <|action|>a<|trace|>. The reply is
// R<|observation|>s'<flag>, flag one of <|continue|> (r = 0), <|success|> (r = 1, over),
// <|failure|> (r = 0, over).
// Deviation: past traces stay in the history (Eq. 4 has only states and actions): they are the small
// model's record of where it is and what it holds.
// Thread safety: const members are reentrant.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/base/expected.h"
#include "dreamgym/llm/tokenizer.h"

namespace dreamgym {

/// "All of the history": more steps than any episode has.
inline constexpr std::size_t kWholeHistory = 1'000'000;

/// A retrieved transition d_j as the prompt shows it.
struct Demonstration {
  std::string id;           ///< of the stored transition
  std::string action;
  std::string observation;  ///< what the action led to
};

enum class EndFlag { kContinue, kSuccess, kFailure };

/// What the model said of one step.
struct DreamedStep {
  std::string reasoning_trace;
  std::string observation;
  EndFlag flag = EndFlag::kContinue;
};

class ExperiencePrompt {
 public:
  /// @param max_demonstration_tokens  each demonstration is cut to this many.
  /// @throws Error kUnsupported if the tokenizer lacks one of the markers.
  ExperiencePrompt(std::shared_ptr<const Tokenizer> tokenizer, std::size_t max_demonstration_tokens);

  /// Start of the shared part.
  [[nodiscard]] std::vector<TokenId> begin(std::string_view instruction,
                                           std::string_view observation) const;
  /// Demonstrations only (part of the tail, never of the history), each cut to its budget.
  [[nodiscard]] std::vector<TokenId> demonstrations(std::span<const Demonstration> shown) const;
  /// The same for steps of the episode itself, whole.
  [[nodiscard]] std::vector<TokenId> recollections(std::span<const Demonstration> shown) const;
  /// <|task|>tau, once more before a query.
  [[nodiscard]] std::vector<TokenId> reminder(std::string_view instruction) const;
  /// <|action|>a<|trace|>.
  [[nodiscard]] std::vector<TokenId> query(std::string_view action) const;
  /// R<|observation|>.
  [[nodiscard]] std::vector<TokenId> trace(std::string_view reasoning_trace) const;
  /// s'<flag>.
  [[nodiscard]] std::vector<TokenId> outcome(std::string_view observation, EndFlag flag) const;

  /// Reads a reply (everything after the query). Nothing if a marker is missing or misplaced.
  [[nodiscard]] Expected<DreamedStep, std::string> parse(std::span<const TokenId> reply) const;

  /// No marker among them: text of a trace or an observation.
  [[nodiscard]] bool is_text(std::span<const TokenId> tokens) const;

  [[nodiscard]] TokenId observation_marker() const { return observation_; }
  /// The three end flags: what ends a reply.
  [[nodiscard]] std::vector<TokenId> flags() const { return {continue_, success_, failure_}; }
  [[nodiscard]] TokenId flag_token(EndFlag flag) const;
  /// All of the prompt's own, the end flags among them.
  [[nodiscard]] std::vector<TokenId> markers() const;
  [[nodiscard]] const Tokenizer& tokenizer() const { return *tokenizer_; }

 private:
  [[nodiscard]] std::vector<TokenId> shown_within(std::span<const Demonstration> shown,
                                                  TokenId marker,
                                                  std::size_t max_tokens) const;

  std::shared_ptr<const Tokenizer> tokenizer_;
  std::size_t max_demonstration_tokens_;
  TokenId dream_, task_, state_, action_, trace_, observation_, demonstration_;
  TokenId continue_, success_, failure_;
};

}  // namespace dreamgym

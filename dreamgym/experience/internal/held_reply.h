// Holds a model's reply to the record: where the text names what can't be there, the model goes on from before it with
// what can.
//
// A list that is too short or too long by what it says itself is put right with its own words for joining things. Else
// what the model has said up to the fault stays, so a list of invented things is not drawn anew because of one of them
// (that would make short lists likelier than they are), and a list that is known comes out whole.
// Pure functions over what they are given. Thread safety: reentrant.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dreamgym/experience/shown_facts.h"
#include "dreamgym/llm/language_model.h"

namespace dreamgym::experience_internal {

/// How a reply that begins so goes on.
struct Continuation {
  std::span<const TokenId> beginning{};
  std::shared_ptr<const TokenTrie> choices{};  ///< set: by one of these, nothing after it
  std::vector<TokenId> banned{};               ///< not empty: by one token that is none of these
  std::size_t number = 0;                      ///< of the question, from 0: for its stream
};

using Continue = std::function<GenerationReply(const Continuation&)>;
using FaultFinder = std::function<std::optional<NamingFault>(std::string_view text)>;

/// One of the texts, whole. Of two of which one begins the other only the shorter one is left.
std::shared_ptr<const TokenTrie> choices_of(const Tokenizer& tokenizer, std::span<const std::string> texts);

/// The reply without a fault, nothing if the model can't be brought to one.
/// @param reply   ends with one of `ends`.
std::optional<GenerationReply> hold_to_record(GenerationReply reply,
                                              const Tokenizer& tokenizer,
                                              std::span<const TokenId> ends,
                                              const FaultFinder& fault_in,
                                              const Continue& ask);

}  // namespace dreamgym::experience_internal

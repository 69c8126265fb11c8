// The fixed text around the turns of a conversation that only ever appends.
//
// An agent's episode is a conversation: observations are the user's turns, actions the assistant's.
// Where a chat template writes every turn in the same way whatever follows, a new turn is a few
// fixed words around the new text, and what the model has read stays true: a prefix for the cache,
// and for the trainer the very tokens that were sampled. Pure. Thread safety: reentrant.
#pragma once

#include <string>
#include <string_view>

#include "dreamgym/llm/chat/chat_template.h"

namespace dreamgym {

/// opening user ask assistant next user ask assistant next ...
struct ChatTurns {
  RenderedChat opening;  ///< up to the first user message, the system message in it
  std::string ask;       ///< from a user message to the assistant's beginning
  std::string next;      ///< ends the assistant's turn and begins the next of the user
};

/// @param system     the system message; "" = none of ours (some templates have their own).
/// @param variables  of the template, as ChatRequest has them.
/// @throws Error kUnsupported if the template writes earlier turns anew once others follow.
ChatTurns chat_turns(ChatTemplate kind,
                     std::string_view system,
                     const nlohmann::ordered_json& variables = nlohmann::ordered_json::object());

/// What the template leaves of an assistant's turn once another turn follows: what was said, or less (Qwen3's
/// forgets thoughts).
/// @throws Error kUnsupported if the turn breaks up the conversation, so that nobody can tell.
std::string turn_in_the_past(ChatTemplate kind, const ChatTurns& turns, std::string_view said);

/// Whether that is the turn as it was said. Blanks around it do not count.
bool keeps_turn(ChatTemplate kind, const ChatTurns& turns, std::string_view said);

/// The words around a thought that comes before an answer.
struct ThoughtMarks {
  std::string opening;         ///< stand before it
  std::string closing;         ///< the model writes them when it has thought enough
  std::string before_closing;  ///< stand before `closing` where somebody else has to write it
  std::string after_closing;   ///< stand between `closing` and the answer
};

/// The template's own marks where it knows thoughts (Qwen3: <think> and </think>), else a plain form: "Thought:", the
/// thought, and on a line of its own "Action:".
/// Source: the plain form is ReAct's (arXiv 2210.03629).
ThoughtMarks thought_marks(ChatTemplate kind);

}  // namespace dreamgym

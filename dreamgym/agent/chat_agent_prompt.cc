#include "dreamgym/agent/chat_agent_prompt.h"

#include <array>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {

ChatAgentPrompt::ChatAgentPrompt(std::shared_ptr<const PretrainedTokenizer> tokenizer,
                       ChatTemplate format,
                       std::string_view rules,
                       bool names_actions,
                       std::size_t max_thought_tokens)
    : tokenizer_(std::move(tokenizer)),
      format_(format),
      turns_(chat_turns(format, rules)),
      names_actions_(names_actions) {
  const std::vector<TokenId> next = tokenizer_->encode_with_markers(turns_.next);
  if (next.empty() || !tokenizer_->is_special(next.front())) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the chat template {} ends a turn with \"{}\", which begins with no "
                            "special token of this tokenizer",
                            chat_template_name(format),
                            shorten(turns_.next, 40)),
                "template and tokenizer belong to different models: name another chat_template");
  }
  stop_ = next.front();
  if (max_thought_tokens > 0) {
    thoughts_.emplace(tokenizer_, thought_marks(format_), max_thought_tokens);
  }
}

std::string ChatAgentPrompt::first_message(std::string_view instruction, std::string_view observation) {
  return fmt::format("Task: {}\n\n{}", trim(instruction), trim(observation));
}

std::vector<TokenId> ChatAgentPrompt::begin(std::string_view instruction,
                                       std::string_view observation) const {
  RenderedChat chat = turns_.opening;
  const std::size_t start = chat.text.size();
  chat.text += first_message(instruction, observation);
  chat.contents.push_back({start, chat.text.size()});
  chat.text += turns_.ask;
  return tokenizer_->encode_with_markers(chat.text, chat.contents);
}

std::vector<TokenId> ChatAgentPrompt::action(std::string_view action) const {
  std::vector<TokenId> out = tokenizer_->encode(action);
  out.push_back(stop_);
  return out;
}

std::vector<TokenId> ChatAgentPrompt::observation(std::string_view observation,
                                             std::string_view /*instruction*/) const {
  std::string text = turns_.next;
  text += trim(observation);
  const std::array content = {TextSpan{turns_.next.size(), text.size()}};
  text += turns_.ask;
  std::vector<TokenId> out = content[0].begin == content[0].end
                                 ? tokenizer_->encode_with_markers(text)
                                 : tokenizer_->encode_with_markers(text, content);
  out.erase(out.begin());  // the token that closed the action
  return out;
}

std::string ChatAgentPrompt::said(std::span<const TokenId> turn) const {
  if (!turn.empty() && turn.back() == stop_) {
    turn = turn.first(turn.size() - 1);
  }
  return tokenizer_->decode(turn);
}

Action ChatAgentPrompt::parse_action(std::span<const TokenId> sampled) const {
  return Action(trim(turn_in_the_past(format_, turns_, said(sampled))));
}

std::vector<TokenId> ChatAgentPrompt::remembered(std::span<const TokenId> turn) const {
  const std::string text = said(turn);
  return keeps_turn(format_, turns_, text) ? std::vector<TokenId>(turn.begin(), turn.end())
                                           : action(turn_in_the_past(format_, turns_, text));
}

bool ChatAgentPrompt::keeps_thoughts(ChatTemplate format) {
  const ThoughtMarks marks = thought_marks(format);
  return keeps_turn(format,
                    chat_turns(format, ""),
                    marks.opening + "so be it" + marks.before_closing + marks.closing + marks.after_closing + "look");
}

}  // namespace dreamgym

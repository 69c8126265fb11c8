#include "dreamgym/agent/chat_agent_prompt.h"

#include <array>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {

ChatAgentPrompt::ChatAgentPrompt(std::shared_ptr<const PretrainedTokenizer> tokenizer,
                       ChatTemplate format,
                       std::string_view rules,
                       bool names_actions)
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

Action ChatAgentPrompt::parse_action(std::span<const TokenId> sampled) const {
  if (!sampled.empty() && sampled.back() == stop_) {
    sampled = sampled.first(sampled.size() - 1);
  }
  const std::string said = tokenizer_->decode(sampled);
  if (!keeps_turn(format_, turns_, said)) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the chat template {} would rewrite the reply \"{}\" once another turn "
                            "follows, so the episode would not be one sequence of tokens",
                            chat_template_name(format_),
                            shorten(said, 80)),
                "let the policy choose among admissible actions, or name a chat_template that "
                "leaves nothing out, such as chatml");
  }
  return Action(trim(said));
}

}  // namespace dreamgym

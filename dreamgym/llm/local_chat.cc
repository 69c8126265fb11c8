#include "dreamgym/llm/local_chat.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/grammar/json_schema.h"

namespace dreamgym {
namespace {

ChatRequest request_of(const ChatPrompt& prompt) {
  ChatRequest request{.add_generation_prompt = true};
  for (const ChatMessage& message : prompt.messages) {
    request.messages.push_back({{"role", message.role}, {"content", message.content}});
  }
  return request;
}

}  // namespace

LocalChat::LocalChat(LanguageModel& model, ModelLanguage language, ChatTemplate format)
    : model_(model), language_(std::move(language)), format_(format) {
  if (!language_.pretrained) {
    throw Error(ErrorKind::kUnsupported,
                model_.version() + ": is a model without a chat format",
                "name a pretrained chat model");
  }
}

std::vector<Expected<ChatReply, ModelFailure>> LocalChat::chat(
    std::span<const ChatPrompt> prompts) {
  std::vector<GenerationRequest> requests;
  std::vector<std::size_t> asked;  // prompt of each request
  std::vector<Expected<ChatReply, ModelFailure>> replies(prompts.size());
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    GenerationRequest request;
    request.context = chat_tokens(language_, render_chat(format_, request_of(prompts[i])));
    if (request.context.size() >= model_.max_context_tokens()) {
      replies[i] = Unexpected<ModelFailure>(
          {ModelFailure::Kind::kBadReply,
           fmt::format("a conversation of {} tokens leaves no room for a reply; the model holds {}",
                       request.context.size(),
                       model_.max_context_tokens())});
      continue;
    }
    request.max_tokens = prompts[i].max_tokens;
    request.temperature = prompts[i].temperature;
    request.seed = prompts[i].seed;
    request.stop = language_.generation.end_tokens;
    request.grammar = grammar_of(prompts[i]);
    requests.push_back(std::move(request));
    asked.push_back(i);
  }
  const std::vector<GenerationReply> said = model_.generate(requests);
  for (std::size_t r = 0; r < requests.size(); ++r) {
    replies[asked[r]] = reply_of(requests[r], said[r]);
  }
  return replies;
}

std::shared_ptr<const TokenGrammar> LocalChat::grammar_of(const ChatPrompt& prompt) {
  if (prompt.json_schema.empty()) {
    return nullptr;
  }
  std::shared_ptr<const TokenGrammar>& grammar = grammars_[prompt.json_schema];
  if (!grammar) {
    if (!spellings_) {
      spellings_ = std::make_shared<const TokenSpellings>(*language_.pretrained);
    }
    grammar = std::make_shared<const TokenGrammar>(
        *json_schema_pattern(prompt.json_schema, "schema \"" + prompt.schema_name + "\""),
        spellings_,
        language_.generation.end_tokens);
  }
  return grammar;
}

ChatReply LocalChat::reply_of(const GenerationRequest& request,
                              const GenerationReply& reply) const {
  std::span<const TokenId> tokens = reply.tokens;
  const auto& ends = language_.generation.end_tokens;
  if (!tokens.empty() && std::ranges::find(ends, tokens.back()) != ends.end()) {
    tokens = tokens.first(tokens.size() - 1);
  }
  double sum = 0;
  for (const float logprob : reply.logprobs) {
    sum += static_cast<double>(logprob);
  }
  ChatReply said{.text = language_.tokenizer->decode(tokens),
                 .cut = reply.finish == FinishReason::kLength,
                 .prompt_tokens = request.context.size(),
                 .completion_tokens = reply.tokens.size()};
  if (!reply.logprobs.empty()) {
    said.mean_logprob = sum / static_cast<double>(reply.logprobs.size());
  }
  return said;
}

}  // namespace dreamgym

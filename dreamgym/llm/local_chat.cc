#include "dreamgym/llm/local_chat.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/grammar/json_schema.h"
#include "dreamgym/llm/grammar/shortest_end.h"

namespace dreamgym {
namespace {

// Beginnings shorter than this are not worth going on with another conversation's memory.
constexpr std::size_t kLeastShared = 16;

ChatRequest request_of(const ChatPrompt& prompt) {
  ChatRequest request{.add_generation_prompt = true};
  for (const ChatMessage& message : prompt.messages) {
    request.messages.push_back({{"role", message.role}, {"content", message.content}});
  }
  return request;
}

std::size_t num_shared(const std::vector<TokenId>& a, const std::vector<TokenId>& b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

struct LocalChat::Asked {
  std::size_t prompt = 0;      // its index
  const Form* form = nullptr;  // null = free text
  GenerationRequest request;
  GenerationReply reply;
};

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
  std::vector<Asked> asked;
  std::vector<Expected<ChatReply, ModelFailure>> replies(prompts.size());
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    Asked one{.prompt = i, .form = form_of(prompts[i]), .request = {}, .reply = {}};
    GenerationRequest& request = one.request;
    request.context = chat_tokens(language_, render_chat(format_, request_of(prompts[i])));
    const std::size_t reserve = one.form != nullptr ? one.form->reserve_tokens : 0;
    if (request.context.size() + reserve >= model_.max_context_tokens()) {
      replies[i] = Unexpected<ModelFailure>(
          {ModelFailure::Kind::kBadReply,
           fmt::format("a conversation of {} tokens leaves no room for a reply, which may take {}; "
                       "the model holds {}",
                       request.context.size(),
                       reserve + 1,
                       model_.max_context_tokens())});
      continue;
    }
    request.max_tokens = std::min(
        prompts[i].max_tokens, model_.max_context_tokens() - request.context.size() - reserve);
    request.temperature = prompts[i].temperature;
    request.seed = prompts[i].seed;
    request.stop = language_.generation.end_tokens;
    request.grammar = one.form != nullptr ? one.form->grammar : nullptr;
    asked.push_back(std::move(one));
  }
  choose_sessions(asked);
  std::vector<GenerationRequest> requests;
  for (const Asked& one : asked) {
    requests.push_back(one.request);
  }
  std::vector<GenerationReply> said = model_.generate(requests);
  for (std::size_t r = 0; r < asked.size(); ++r) {
    asked[r].reply = std::move(said[r]);
  }
  bring_to_end(asked);
  for (const Asked& one : asked) {
    replies[one.prompt] = reply_of(one);
  }
  return replies;
}

// The pairs of a prompt and a memory that have most in common first. Replies do not depend on it.
void LocalChat::choose_sessions(std::vector<Asked>& asked) {
  struct Pair {
    std::size_t shared = 0;
    std::size_t prompt = 0;
    std::size_t session = 0;
  };
  if (sessions_.size() < asked.size()) {
    sessions_.resize(asked.size());
  }
  std::vector<Pair> pairs;
  for (std::size_t p = 0; p < asked.size(); ++p) {
    for (std::size_t s = 0; s < sessions_.size(); ++s) {
      pairs.push_back({num_shared(asked[p].request.context, sessions_[s]), p, s});
    }
  }
  std::ranges::stable_sort(pairs, std::greater{}, &Pair::shared);
  std::vector<bool> taken(sessions_.size());
  for (const Pair& pair : pairs) {
    std::uint64_t& session = asked[pair.prompt].request.session;
    if (session == 0 && !taken[pair.session]) {
      session = pair.session + 1;
      taken[pair.session] = true;
      sessions_[pair.session] = asked[pair.prompt].request.context;
      if (pair.shared < kLeastShared) {
        model_.release(std::span(&session, 1));  // read anew, beside others that begin alike
      }
    }
  }
}

// Replies of a form that ran into their limit go on with what is still missing, as short as it may be.
void LocalChat::bring_to_end(std::vector<Asked>& asked) {
  std::vector<Asked*> cut;
  std::vector<GenerationRequest> requests;
  for (Asked& one : asked) {
    if (one.form == nullptr || one.reply.finish != FinishReason::kLength) {
      continue;
    }
    std::string said;
    for (const TokenId token : one.reply.tokens) {
      said += spellings_->bytes_of(token);
    }
    const PatternPtr end = shortest_end(*one.form->pattern, said);
    check(end != nullptr, "a reply under a grammar begins a text of it");
    const std::size_t most = longest_text(*end);
    if (most == 0) {
      one.reply.finish = FinishReason::kStop;  // whole, and could have gone on
      continue;
    }
    GenerationRequest request = one.request;
    request.context.insert(request.context.end(), one.reply.tokens.begin(), one.reply.tokens.end());
    request.max_tokens = most;
    request.grammar = grammar_of(*end);
    requests.push_back(std::move(request));
    cut.push_back(&one);
  }
  if (requests.empty()) {
    return;
  }
  const std::vector<GenerationReply> ends = model_.generate(requests);
  for (std::size_t i = 0; i < cut.size(); ++i) {
    GenerationReply& reply = cut[i]->reply;
    reply.tokens.insert(reply.tokens.end(), ends[i].tokens.begin(), ends[i].tokens.end());
    reply.logprobs.insert(reply.logprobs.end(), ends[i].logprobs.begin(), ends[i].logprobs.end());
    reply.finish = ends[i].finish;
    ++num_brought_to_end_;
  }
}

const LocalChat::Form* LocalChat::form_of(const ChatPrompt& prompt) {
  if (prompt.json_schema.empty()) {
    return nullptr;
  }
  const auto found = forms_.find(prompt.json_schema);
  if (found != forms_.end()) {
    return &found->second;
  }
  Form form;
  form.pattern = json_schema_pattern(prompt.json_schema, "schema \"" + prompt.schema_name + "\"");
  form.grammar = grammar_of(*form.pattern);
  form.reserve_tokens = longest_text(*shortest_end(*form.pattern, ""));
  return &forms_.emplace(prompt.json_schema, std::move(form)).first->second;
}

std::shared_ptr<const TokenGrammar> LocalChat::grammar_of(const Pattern& pattern) {
  if (!spellings_) {
    spellings_ = std::make_shared<const TokenSpellings>(*language_.pretrained);
  }
  return std::make_shared<const TokenGrammar>(pattern, spellings_, language_.generation.end_tokens);
}

ChatReply LocalChat::reply_of(const Asked& asked) const {
  const GenerationReply& reply = asked.reply;
  std::span<const TokenId> tokens = reply.tokens;
  const auto& ends = language_.generation.end_tokens;
  if (!tokens.empty() && std::ranges::find(ends, tokens.back()) != ends.end()) {
    tokens = tokens.first(tokens.size() - 1);
  }
  ChatReply said{.text = language_.tokenizer->decode(tokens),
                 .cut = reply.finish == FinishReason::kLength,
                 .prompt_tokens = asked.request.context.size(),
                 .completion_tokens = reply.tokens.size()};
  if (!reply.logprobs.empty()) {
    said.mean_logprob = std::accumulate(reply.logprobs.begin(), reply.logprobs.end(), 0.0) /
                        static_cast<double>(reply.logprobs.size());
  }
  return said;
}

}  // namespace dreamgym

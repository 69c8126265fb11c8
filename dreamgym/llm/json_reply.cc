#include "dreamgym/llm/json_reply.h"

#include <utility>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

// Longest part of a wrong reply that the repair shows: garbage should not fill the context.
constexpr std::size_t kShownBytes = 4000;

// End of the object that begins at `begin`, by its braces; npos if it does not end.
std::size_t end_of_object(std::string_view text, std::size_t begin) {
  std::size_t depth = 0;
  bool in_text = false;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      i += c == '\\' ? 1 : 0;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

ChatPrompt repair(const ChatPrompt& prompt, const std::string& reply, const std::string& reason) {
  ChatPrompt again = prompt;
  again.messages.push_back({"assistant", shorten(reply, kShownBytes)});
  again.messages.push_back(
      {"user",
       fmt::format("That can't be used: {}. Answer once more with the JSON object alone, complete, in the "
                   "form asked for.",
                   reason)});
  ++again.seed;  // the same words again would be no answer
  return again;
}

// What the reply says, or what is wrong with it.
Expected<JsonReply, std::string> read(const ChatReply& reply, std::size_t index, const JsonCheck& check) {
  auto json = json_in(reply.text);
  if (!json) {
    return Unexpected<std::string>(reply.cut ? json.error() + " (it was cut at the token limit)"
                                             : json.error());
  }
  if (auto wrong = check(index, *json)) {
    return Unexpected<std::string>(*std::move(wrong));
  }
  return JsonReply{std::move(*json), reply.mean_logprob, false};
}

}  // namespace

Expected<Json, std::string> json_in(std::string_view reply) {
  constexpr std::string_view kEndOfThought = "</think>";
  if (const std::size_t end = reply.rfind(kEndOfThought); end != std::string_view::npos) {
    reply.remove_prefix(end + kEndOfThought.size());
  }
  const std::size_t begin = reply.find('{');
  if (begin == std::string_view::npos) {
    return Unexpected<std::string>("there is no JSON object in it");
  }
  const std::size_t end = end_of_object(reply, begin);
  if (end == std::string_view::npos) {
    return Unexpected<std::string>("the JSON object does not end");
  }
  Json json = Json::parse(reply.substr(begin, end - begin), nullptr, false);
  if (json.is_discarded()) {
    return Unexpected<std::string>("the JSON object is not well formed");
  }
  return json;
}

std::vector<Expected<JsonReply, ModelFailure>> ask_json(ChatModel& model,
                                                        std::span<const ChatPrompt> prompts,
                                                        const JsonCheck& check,
                                                        JsonReplyCounts& counts) {
  std::vector<Expected<JsonReply, ModelFailure>> replies(prompts.size());
  std::vector<ChatPrompt> repairs;
  std::vector<std::size_t> repaired;  // index of each repair's prompt
  counts.asked += prompts.size();
  const auto take = [&](std::size_t index, const Expected<ChatReply, ModelFailure>& reply, bool last) {
    if (!reply) {
      const bool away = reply.error().kind == ModelFailure::Kind::kUnavailable;
      ++(away ? counts.unavailable : counts.rejected);
      replies[index] = Unexpected<ModelFailure>(reply.error());
      return;
    }
    counts.prompt_tokens += reply->prompt_tokens;
    counts.completion_tokens += reply->completion_tokens;
    auto read_reply = read(*reply, index, check);
    if (read_reply) {
      ++(last ? counts.repaired : counts.accepted);
      read_reply->repaired = last;
      replies[index] = std::move(*read_reply);
    } else if (last) {
      ++counts.rejected;
      replies[index] = Unexpected<ModelFailure>({ModelFailure::Kind::kBadReply, read_reply.error()});
    } else {
      repairs.push_back(repair(prompts[index], reply->text, read_reply.error()));
      repaired.push_back(index);
    }
  };
  const auto first = model.chat(prompts);
  dreamgym::check(first.size() == prompts.size(), "one reply a prompt");
  for (std::size_t i = 0; i < first.size(); ++i) {
    take(i, first[i], false);
  }
  if (!repairs.empty()) {
    const auto second = model.chat(repairs);
    for (std::size_t j = 0; j < second.size(); ++j) {
      take(repaired[j], second[j], true);
    }
  }
  return replies;
}

}  // namespace dreamgym

#include "dreamgym/experience/internal/held_reply.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace dreamgym::experience_internal {
namespace {

using Kind = NamingFault::Kind;

// Faults mended in one reply: more than a full place holds.
constexpr std::size_t kMostFaults = 16;

void append(GenerationReply& reply, const GenerationReply& more) {
  reply.tokens.insert(reply.tokens.end(), more.tokens.begin(), more.tokens.end());
  reply.logprobs.insert(reply.logprobs.end(), more.logprobs.begin(), more.logprobs.end());
  reply.finish = more.finish;
}

void cut(GenerationReply& reply, std::size_t num_tokens) {
  reply.tokens.resize(num_tokens);
  reply.logprobs.resize(std::min(reply.logprobs.size(), num_tokens));
}

bool is_end(std::span<const TokenId> ends, const GenerationReply& reply) {
  return !reply.tokens.empty() && std::ranges::find(ends, reply.tokens.back()) != ends.end();
}

// [i] bytes of the first i tokens' text.
std::vector<std::size_t> boundaries(const Tokenizer& tokenizer, std::span<const TokenId> tokens) {
  std::vector<std::size_t> bytes;
  for (std::size_t i = 0; i <= tokens.size(); ++i) {
    bytes.push_back(tokenizer.decode(tokens.first(i)).size());
  }
  return bytes;
}

// Tokens up to the last boundary that is not behind the byte.
std::size_t tokens_before(const std::vector<std::size_t>& bytes, std::size_t byte) {
  return static_cast<std::size_t>(std::ranges::upper_bound(bytes, byte) - bytes.begin()) - 1;
}

// Where a list that ends too early or too late, and is too short to be edited, has to take another way: behind what was
// listed rightly; if nothing was, before the word that leads to the wrong thing, or before the last word.
std::size_t turning_point(const NamingFault& fault, const std::vector<std::size_t>& bytes) {
  if (fault.listed_end > 0) {
    return static_cast<std::size_t>(std::ranges::lower_bound(bytes, fault.listed_end) - bytes.begin());
  }
  const std::size_t back = fault.kind == Kind::kTooMany ? 1 : 2;
  const std::size_t at = tokens_before(bytes, fault.begin);
  return at - std::min(at, back);
}

// A list with one thing more or less, as its own words join them; nothing where it has too few of them to tell.
std::optional<std::string> edited(const NamingFault& fault, const std::string& text) {
  if (fault.kind == Kind::kTooMany && fault.listed_end > 0) {
    return text.substr(0, fault.listed_end) + text.substr(fault.end);
  }
  if (fault.kind == Kind::kTooFew && fault.second_begin > 0) {
    const std::string joint = text.substr(fault.first_end, fault.second_begin - fault.first_end);
    return text.substr(0, fault.first_end) + joint + fault.instead.front() + text.substr(fault.first_end);
  }
  return std::nullopt;
}

// The reply with another text before its end. What the model did not say has no probability of its own.
void replace_text(GenerationReply& reply, const Tokenizer& tokenizer, const std::string& text) {
  const TokenId end = reply.tokens.back();
  const float end_logprob = reply.logprobs.empty() ? 0.0F : reply.logprobs.back();
  reply.tokens = tokenizer.encode(text);
  reply.logprobs.assign(reply.tokens.size(), 0.0F);
  reply.tokens.push_back(end);
  reply.logprobs.push_back(end_logprob);
}

}  // namespace

std::shared_ptr<const TokenTrie> choices_of(const Tokenizer& tokenizer, std::span<const std::string> texts) {
  std::vector<std::vector<TokenId>> all;
  for (const std::string& text : texts) {
    all.push_back(tokenizer.encode(text));
  }
  std::vector<std::vector<TokenId>> choices;
  for (const auto& one : all) {
    const bool goes_on_another = std::ranges::any_of(all, [&](const auto& other) {
      return other.size() < one.size() && std::equal(other.begin(), other.end(), one.begin());
    });
    if (!goes_on_another) {
      choices.push_back(one);
    }
  }
  return std::make_shared<const TokenTrie>(choices);
}

std::optional<GenerationReply> hold_to_record(GenerationReply reply,
                                              const Tokenizer& tokenizer,
                                              std::span<const TokenId> ends,
                                              const FaultFinder& fault_in,
                                              const Continue& ask) {
  std::size_t number = 0;
  std::vector<TokenId> banned;
  std::size_t banned_at = std::numeric_limits<std::size_t>::max();
  for (std::size_t mended = 0; mended <= kMostFaults; ++mended) {
    const auto said = std::span<const TokenId>(reply.tokens).first(reply.tokens.size() - 1);
    const std::string text = tokenizer.decode(said);
    const auto fault = fault_in(text);
    if (!fault) {
      return reply;
    }
    if (const auto list = edited(*fault, text)) {
      replace_text(reply, tokenizer, *list);
      continue;
    }
    const std::vector<std::size_t> bytes = boundaries(tokenizer, said);
    Continuation other;
    if (fault->kind == Kind::kOther) {
      const std::size_t before = tokens_before(bytes, fault->begin);
      std::vector<std::string> instead = fault->instead;
      for (std::string& thing : instead) {
        thing.insert(0, text.substr(bytes[before], fault->begin - bytes[before]));
      }
      cut(reply, before);
      other.choices = choices_of(tokenizer, instead);
    } else {
      const std::size_t turn = turning_point(*fault, bytes);
      banned = turn == banned_at ? std::move(banned) : std::vector<TokenId>();
      banned_at = turn;
      banned.push_back(reply.tokens[turn]);
      cut(reply, turn);
      other.banned = banned;
    }
    other.beginning = reply.tokens;
    other.number = number++;
    append(reply, ask(other));
    if (!is_end(ends, reply)) {
      append(reply, ask({.beginning = reply.tokens, .number = number++}));
    }
    if (!is_end(ends, reply)) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace dreamgym::experience_internal

// What a first look at a place nobody knows finds of the task's things.
#include <algorithm>

#include <fmt/format.h>

#include "dreamgym/base/rng.h"
#include "dreamgym/experience/claims.h"
#include "dreamgym/experience/experience_model.h"
#include "dreamgym/experience/internal/dream_query.h"

namespace dreamgym {
namespace {

std::vector<TokenId> joined(std::vector<TokenId> beginning, std::span<const TokenId> rest) {
  beginning.insert(beginning.end(), rest.begin(), rest.end());
  return beginning;
}

// Tokens of the longest beginning of a reply that says no more than `text`: what follows it is open.
std::size_t tokens_within(const Tokenizer& tokenizer, std::span<const TokenId> reply, std::string_view text) {
  std::size_t count = 0;
  while (count < reply.size() && text.starts_with(tokenizer.decode(reply.first(count + 1)))) {
    ++count;
  }
  return count;
}

}  // namespace

void ExperienceModel::dream_findings(std::vector<Query>& queries) {
  if (!options_.draw_findings) {
    return;
  }
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    Query& query = queries[i];
    if (query.knows_place || !query.shows_hidden() || !query.trace->find(kFindField)) {
      continue;
    }
    const std::size_t known = tokens_within(
        prompt_.tokenizer(), query.reply, fmt::format("{}; {}: ", to_text(query.trace->before(kFindField)), kFindField));
    query.reply.resize(known);
    query.logprobs.resize(known);
    query.context = joined(slots_[query.slot].trunk, prompt_.query(query.action));
    unknown.push_back(i);
  }
  const Part part = {
      [&](const Query& query, std::size_t attempt) {
        GenerationRequest asked = trace_request(query, attempt);
        asked.context = joined(std::move(asked.context), query.reply);
        asked.temperature = attempt == 1 ? options_.hidden_temperature : experience_internal::kRetryTemperature;
        asked.seed = Rng(asked.seed).fork("find").next();
        return asked;
      },
      [&](std::span<const TokenId> rest) { return is_readable_trace(rest); },
      [&](const Query& query, std::span<const TokenId> rest) {
        const auto trace = trace_in(joined(query.reply, rest));
        const Slot& slot = slots_[query.slot];
        return trace && trace->find(kFindField) && !slot.shown.contradicts(*trace, query.action) &&
               finds_are_asked_for(*trace, slot.task.instruction);
      },
      [](const Query&, const GenerationReply&, std::size_t) { return std::optional<GenerationReply>(); }};
  dream(queries, unknown, part);
  for (const std::size_t i : unknown) {
    Query& query = queries[i];
    query.context = joined(std::move(query.context), query.reply);
    query.trace = trace_in(query.reply);
  }
}

}  // namespace dreamgym

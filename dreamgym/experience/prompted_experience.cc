#include "dreamgym/experience/prompted_experience.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "dreamgym/base/clock.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/experience/claims.h"
#include "dreamgym/experience/internal/ask_until_consistent.h"
#include "dreamgym/experience/internal/dreamed_task.h"
#include "dreamgym/experience/internal/prompted_reply.h"
#include "dreamgym/experience/retrieval.h"

namespace dreamgym {
namespace {

using experience_internal::kMaxActionBytes;
using experience_internal::PromptedReply;
using experience_internal::read_prompted_reply;
using experience_internal::Verdict;

// Of an answer that is asked for again because the first one contradicted what was shown.
constexpr double kRetryTemperature = 0.7;

struct Answer {
  PromptedReply reply;
  std::optional<double> mean_logprob;
  std::string failure;  // why nothing came; "" = answered
};

}  // namespace

struct PromptedExperience::Query {
  std::size_t slot = 0;
  Action action;
  std::vector<Demonstration> demonstrations;
  Answer answer;
};

PromptedExperience::PromptedExperience(ChatModel& model,
                                       const ReplayBuffer* buffer,
                                       PromptedOptions options)
    : model_(model),
      buffer_(buffer),
      options_(std::move(options)),
      rules_(experience_internal::prompted_rules(options_.domain, options_.reasoning)),
      schema_(experience_internal::prompted_schema(
          options_.reasoning,
          {.field_characters = options_.max_field_characters, .state_characters = options_.max_state_characters})) {
  check(buffer_ != nullptr || options_.num_demonstrations == 0, "retrieval needs a replay buffer");
  check(options_.consistency_attempts >= 1, "an answer is asked for at least once");
}

void PromptedExperience::end_all() { slots_.clear(); }

std::vector<Observation> PromptedExperience::start(std::span<const std::size_t> slots,
                                                   std::span<const Task> tasks,
                                                   std::span<const std::uint64_t> seeds) {
  check(slots.size() == tasks.size() && tasks.size() == seeds.size(), "one task and one seed per slot");
  std::vector<Observation> observations;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    put_in_slot(slots_, slots[i], DreamedEpisode::begin(tasks[i], seeds[i]));
    observations.push_back({slots_[slots[i]].opening, {}});
  }
  return observations;
}

std::vector<StepResult> PromptedExperience::propose(std::span<const std::size_t> slots,
                                                    std::span<const Action> actions) {
  check(slots.size() == actions.size(), "one action per slot");
  std::vector<Query> queries(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    check(slots[i] < slots_.size() && slots_[slots[i]].running, "the episode is running");
    queries[i].slot = slots[i];
    queries[i].action = shorten(actions[i], kMaxActionBytes);
  }
  retrieve(queries);
  ask(queries);
  std::vector<StepResult> results;
  for (Query& query : queries) {
    results.push_back(conclude(query));
  }
  return results;
}

void PromptedExperience::retrieve(std::vector<Query>& queries) {
  if (options_.num_demonstrations == 0) {
    return;
  }
  const SteadyClock clock;
  const auto start = clock.now();
  std::vector<ReplayQuery> asked;
  for (const Query& query : queries) {
    const DreamedEpisode& slot = slots_[query.slot];
    asked.push_back({slot.observation,
                     query.action,
                     slot.task.world,
                     "",
                     slot.opening});
  }
  auto hits = buffer_->search(asked, pool_options(options_.num_demonstrations, options_.retrieval));
  for (std::size_t i = 0; i < queries.size(); ++i) {
    std::erase_if(hits[i], [&](const ReplayHit& hit) { return hit.similarity < options_.min_similarity; });
    const Rng stream = Rng(slots_[queries[i].slot].world_seed).fork("demonstrations").fork(queries[i].action);
    queries[i].demonstrations = to_demonstrations(
        drawn_alike(std::move(hits[i]), options_.num_demonstrations, options_.retrieval.alike, stream));
  }
  counters_.retrieval_seconds += seconds_since(clock, start);
}

std::string PromptedExperience::history(const DreamedEpisode& slot) const {
  std::string text = fmt::format("Task: {}\n\nState at the start: {}\n",
                                 slot.task.instruction,
                                 slot.opening);
  const auto shown = [](const PastStep& step) {
    return fmt::format("\nAction: {}\nState: {}\n", step.action, step.observation);
  };
  std::size_t first = slot.past.size();
  std::size_t bytes = 0;
  while (first > 0 && slot.past.size() - first < options_.history_steps &&
         bytes + shown(slot.past[first - 1]).size() <= options_.history_bytes) {
    --first;
    bytes += shown(slot.past[first]).size();
  }
  if (first > 0) {
    text += fmt::format("\n({} earlier steps are left out)\n", first);
  }
  for (std::size_t t = first; t < slot.past.size(); ++t) {
    text += shown(slot.past[t]);
  }
  return text;
}

ChatPrompt PromptedExperience::prompt(const Query& query, std::size_t attempt) const {
  const DreamedEpisode& slot = slots_[query.slot];
  std::string text = history(slot);
  if (!query.demonstrations.empty()) {
    text += "\nExamples of what the tool showed in other episodes:\n";
    for (const Demonstration& demonstration : query.demonstrations) {
      text += fmt::format("- Action: {}\n  State: {}\n",
                          demonstration.action,
                          shorten(demonstration.observation, options_.max_demonstration_bytes));
    }
  }
  const auto recollected = recollect(slot.past, query.action, options_.num_recollections);
  if (!recollected.empty()) {
    text += "\nWhat this episode has shown of the action's things:\n";
    for (const Demonstration& step : recollected) {
      text += fmt::format("- Action: {}\n  State: {}\n", step.action, step.observation);
    }
  }
  text += fmt::format("\nState now: {}\nThe agent's action: {}\n", slot.observation, query.action);
  ChatPrompt out;
  out.messages = {{"system", rules_}, {"user", std::move(text)}};
  out.temperature = attempt == 1 ? options_.temperature : std::max(options_.temperature, kRetryTemperature);
  out.max_tokens = options_.max_reply_tokens;
  out.seed = Rng(slot.world_seed).fork(query.action, attempt).next();
  out.schema_name = "step";
  out.json_schema = schema_;
  return out;
}

void PromptedExperience::ask(std::vector<Query>& queries) {
  std::vector<std::size_t> all(queries.size());
  std::iota(all.begin(), all.end(), 0);
  const JsonCheck readable = [&](std::size_t, const nlohmann::json& json) -> std::optional<std::string> {
    const auto reply = read_prompted_reply(json, options_.reasoning);
    return reply ? std::nullopt : std::optional(reply.error());
  };
  const auto ask = [&](std::span<const std::size_t> indices, std::size_t attempt) {
    std::vector<ChatPrompt> prompts;
    for (const std::size_t i : indices) {
      prompts.push_back(prompt(queries[i], attempt));
    }
    std::vector<Answer> answers;
    for (auto& reply : ask_json(model_, prompts, readable, counters_.replies)) {
      answers.push_back(reply ? Answer{*read_prompted_reply(reply->json, options_.reasoning), reply->mean_logprob, ""}
                              : Answer{{}, {}, reply.error().reason});
    }
    return answers;
  };
  const auto judge = [&](std::size_t i, const Answer& answer) {
    if (!answer.failure.empty()) {
      return Verdict::kFailed;
    }
    const ShownFacts& shown = slots_[queries[i].slot].shown;
    const auto& trace = answer.reply.trace;
    const bool contradicts = trace && (shown.contradicts(*trace, queries[i].action) ||
                                       shown.contradicts(*trace, queries[i].action, answer.reply.next_state));
    return contradicts ? Verdict::kContradicts : Verdict::kGood;
  };
  experience_internal::AskingCounts counts;
  auto answers = experience_internal::ask_until_consistent<Answer>(
      all, options_.consistency_attempts, ask, judge, counts);
  counters_.asked_again += counts.asked_again;
  counters_.contradictions += counts.contradictions;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    queries[i].answer = std::move(answers[i]);
  }
}

StepResult PromptedExperience::conclude(Query& query) {
  const DreamedEpisode& slot = slots_[query.slot];
  StepResult result;
  for (const Demonstration& demonstration : query.demonstrations) {
    result.demonstrations.push_back(demonstration.id);
  }
  ++counters_.steps;
  if (!query.answer.failure.empty()) {
    ++counters_.infrastructure_errors;
    result.observation.text = slot.observation;  // nothing is known of what came next
    result.truncated = true;
    result.info[transition_info::kInfrastructureError] = query.answer.failure;
    return result;
  }
  PromptedReply& reply = query.answer.reply;
  result.action_valid = !reply.trace || reply.trace->find("effect") != effects::kInvalid;
  if (reply.success && options_.verify_success && !(reply.trace && success_is_borne_out(*reply.trace, query.action, slot.task.instruction))) {
    ++counters_.refused_successes;
    result.info["refused_success"] = "true";
    reply.success = false;
    reply.done = false;
  }
  result.reasoning_trace = reply.trace ? to_text(*reply.trace) : "";
  result.observation.text = reply.next_state;
  result.terminated = reply.done;
  result.reward = reply.success ? 1.0 : 0.0;
  if (query.answer.mean_logprob) {
    result.confidence = std::exp(std::min(*query.answer.mean_logprob, 0.0));
  }
  counters_.successes += reply.success ? 1 : 0;
  return result;
}

void PromptedExperience::commit(std::span<const std::size_t> slots,
                                std::span<const Action> actions,
                                std::span<const StepResult> results) {
  check(slots.size() == actions.size() && slots.size() == results.size(), "one action and one result per slot");
  for (std::size_t i = 0; i < slots.size(); ++i) {
    check(slots[i] < slots_.size() && slots_[slots[i]].running, "the episode is running");
    slots_[slots[i]].take(shorten(actions[i], kMaxActionBytes), results[i]);
  }
}

}  // namespace dreamgym

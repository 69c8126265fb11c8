#include "dreamgym/experience/prompted_experience.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/experience/internal/dreamed_task.h"
#include "dreamgym/experience/internal/prompted_reply.h"
#include "dreamgym/experience/retrieval.h"

namespace dreamgym {
namespace {

using experience_internal::first_observation;
using experience_internal::kMaxActionBytes;
using experience_internal::PromptedReply;
using experience_internal::read_prompted_reply;

// Of an answer that is asked for again because the first one contradicted what was shown.
constexpr double kRetryTemperature = 0.7;

}  // namespace

struct PromptedExperience::Query {
  std::size_t slot = 0;
  Action action;
  std::vector<Demonstration> demonstrations;
  PromptedReply reply;
  std::optional<double> mean_logprob;
  std::string failure;  // why nothing came; "" = answered
};

PromptedExperience::PromptedExperience(ChatModel& model,
                                       const ReplayBuffer* buffer,
                                       PromptedOptions options)
    : model_(model),
      buffer_(buffer),
      options_(std::move(options)),
      rules_(experience_internal::prompted_rules(options_.domain, options_.reasoning)) {
  check(buffer_ != nullptr || options_.num_demonstrations == 0, "retrieval needs a replay buffer");
  check(options_.consistency_attempts >= 1, "an answer is asked for at least once");
}

std::vector<Observation> PromptedExperience::reset(std::span<const Task> tasks,
                                                   std::span<const std::uint64_t> seeds) {
  check(tasks.size() == seeds.size(), "one seed per task");
  slots_.clear();
  std::vector<Observation> observations;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::string& first = first_observation(tasks[i]);
    slots_.push_back({true, tasks[i], seeds[i], first, {}, {}});
    observations.push_back({first, {}});
  }
  return observations;
}

std::vector<StepResult> PromptedExperience::step(std::span<const std::size_t> slots,
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

void PromptedExperience::retrieve(std::vector<Query>& queries) const {
  if (options_.num_demonstrations == 0) {
    return;
  }
  std::vector<ReplayQuery> asked;
  for (const Query& query : queries) {
    const Slot& slot = slots_[query.slot];
    asked.push_back({slot.observation,
                     query.action,
                     slot.task.world,
                     "",
                     slot.task.settings.at(task_settings::kFirstObservation)});
  }
  auto hits = buffer_->search(asked, {.k = options_.num_demonstrations});
  for (std::size_t i = 0; i < queries.size(); ++i) {
    std::erase_if(hits[i], [&](const ReplayHit& hit) { return hit.similarity < options_.min_similarity; });
    queries[i].demonstrations = to_demonstrations(hits[i]);
  }
}

std::string PromptedExperience::history(const Slot& slot) const {
  std::string text = fmt::format("Task: {}\n\nState at the start: {}\n",
                                 slot.task.instruction,
                                 slot.task.settings.at(task_settings::kFirstObservation));
  const auto shown = [](const PastStep& step) {
    return fmt::format("\nAction: {}\nState: {}\n", step.action, step.observation);
  };
  std::size_t first = slot.past.size();
  std::size_t bytes = 0;
  while (first > 0 && bytes + shown(slot.past[first - 1]).size() <= options_.history_bytes) {
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
  const Slot& slot = slots_[query.slot];
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
  out.json_schema = experience_internal::prompted_schema(options_.reasoning);
  return out;
}

void PromptedExperience::ask(std::vector<Query>& queries) {
  std::vector<std::size_t> asked(queries.size());
  std::iota(asked.begin(), asked.end(), 0);
  const JsonCheck readable = [&](std::size_t, const nlohmann::json& json) -> std::optional<std::string> {
    const auto reply = read_prompted_reply(json, options_.reasoning);
    return reply ? std::nullopt : std::optional(reply.error());
  };
  for (std::size_t attempt = 1; !asked.empty(); ++attempt) {
    std::vector<ChatPrompt> prompts;
    for (const std::size_t i : asked) {
      prompts.push_back(prompt(queries[i], attempt));
    }
    const auto replies = ask_json(model_, prompts, readable, counters_.replies);
    std::vector<std::size_t> again;
    for (std::size_t j = 0; j < asked.size(); ++j) {
      Query& query = queries[asked[j]];
      if (!replies[j]) {
        if (attempt == 1) {
          query.failure = replies[j].error().reason;
        }  // else the first answer stands
        continue;
      }
      PromptedReply reply = *read_prompted_reply(replies[j]->json, options_.reasoning);
      const bool contradicts =
          reply.trace &&
          (slots_[query.slot].shown.contradicts(*reply.trace, query.action) ||
           slots_[query.slot].shown.contradicts(*reply.trace, query.action, reply.next_state));
      if (attempt == 1 || !contradicts) {
        query.reply = std::move(reply);
        query.mean_logprob = replies[j]->mean_logprob;
      }
      if (contradicts && attempt < options_.consistency_attempts) {
        ++counters_.asked_again;
        again.push_back(asked[j]);
      } else if (contradicts) {
        ++counters_.contradictions;
      }
    }
    asked = std::move(again);
  }
}

StepResult PromptedExperience::conclude(Query& query) {
  Slot& slot = slots_[query.slot];
  StepResult result;
  for (const Demonstration& demonstration : query.demonstrations) {
    result.demonstrations.push_back(demonstration.id);
  }
  ++counters_.steps;
  if (!query.failure.empty()) {
    ++counters_.infrastructure_errors;
    slot.running = false;
    result.observation.text = slot.observation;  // nothing is known of what came next
    result.truncated = true;
    result.info[transition_info::kInfrastructureError] = query.failure;
    return result;
  }
  PromptedReply& reply = query.reply;
  result.action_valid = !reply.trace || reply.trace->find("effect") != effects::kInvalid;
  if (reply.success && options_.verify_success && !(reply.trace && wanted_is_reached(*reply.trace))) {
    ++counters_.refused_successes;
    result.info["refused_success"] = "true";
    reply.success = false;
    reply.done = false;
  }
  result.reasoning_trace = reply.trace ? to_text(*reply.trace) : "";
  result.observation.text = reply.next_state;
  result.terminated = reply.done;
  result.reward = reply.success ? 1.0 : 0.0;
  if (query.mean_logprob) {
    result.confidence = std::exp(std::min(*query.mean_logprob, 0.0));
  }
  counters_.successes += reply.success ? 1 : 0;
  slot.running = !result.terminated;
  slot.observation = reply.next_state;
  slot.past.push_back({query.action, result.reasoning_trace, reply.next_state});
  if (reply.trace) {
    slot.shown.observe(*reply.trace, query.action, reply.next_state);
  }
  return result;
}

}  // namespace dreamgym

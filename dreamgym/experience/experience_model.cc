#include "dreamgym/experience/experience_model.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/base/word_marks.h"
#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/experience/claims.h"
#include "dreamgym/experience/internal/all_effects.h"
#include "dreamgym/experience/internal/ask_until_consistent.h"
#include "dreamgym/experience/internal/dream_query.h"
#include "dreamgym/experience/internal/dreamed_task.h"
#include "dreamgym/experience/internal/held_reply.h"
#include "dreamgym/experience/reward_rule.h"

namespace dreamgym {
namespace {

using experience_internal::choices_of;
using experience_internal::Continuation;
using experience_internal::kMaxActionBytes;
using experience_internal::kRetryTemperature;
using experience_internal::Verdict;

// Text of the state an unparsable reply leads to.
constexpr const char* kNoAnswer = "There is no answer.";
// Of a token that must not come next: far below any logit.
constexpr float kNever = -1e9F;

// Punctuation around the words of tasks and traces.
constexpr std::string_view kMarks = ".,;:!?\"'()[]";

void append(std::vector<TokenId>& out, std::span<const TokenId> ids) {
  out.insert(out.end(), ids.begin(), ids.end());
}

}  // namespace

ExperienceModel::ExperienceModel(LanguageModel& model,
                                 std::shared_ptr<const Tokenizer> tokenizer,
                                 const ReplayBuffer* buffer,
                                 ExperienceOptions options,
                                 std::shared_ptr<const EpisodeAuditor> rule)
    : model_(model),
      prompt_(std::move(tokenizer), options.max_demonstration_tokens),
      buffer_(buffer),
      options_(options),
      rule_(std::move(rule)) {
  check(buffer_ != nullptr || options_.num_demonstrations == 0, "retrieval needs a replay buffer");
  if (options_.reward_by_rule && !rule_) {
    throw Error(ErrorKind::kUnsupported,
                "rewards by rule, but this world has no rule that reads a success off an episode's text",
                "leave experience.reward_by_rule out: the model's trace is held against itself then");
  }
}

void ExperienceModel::end_all() {
  std::vector<std::uint64_t> sessions;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    sessions.push_back(session_of(i));
  }
  model_.release(sessions);
  slots_.clear();
}

std::vector<Observation> ExperienceModel::start(std::span<const std::size_t> slots,
                                                std::span<const Task> tasks,
                                                std::span<const std::uint64_t> seeds) {
  check(slots.size() == tasks.size() && tasks.size() == seeds.size(), "one task and one seed per slot");
  std::vector<Observation> observations;
  std::vector<std::uint64_t> sessions;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Slot slot{DreamedEpisode::begin(tasks[i], seeds[i]), {}, {}, {}, {}, {}};
    slot.start = prompt_.begin(tasks[i].instruction, slot.opening);
    slot.trunk = slot.start;
    observations.push_back({slot.opening, {}});
    sessions.push_back(session_of(slots[i]));
    put_in_slot(slots_, slots[i], std::move(slot));
  }
  model_.release(sessions);
  return observations;
}

std::vector<StepResult> ExperienceModel::propose(std::span<const std::size_t> slots,
                                                 std::span<const Action> actions) {
  check(slots.size() == actions.size(), "one action per slot");
  for (const std::size_t slot : slots) {
    check(slot < slots_.size() && slots_[slot].running, "the episode is running");
  }
  const auto retrieved = retrieve(slots, actions);
  std::vector<Query> queries(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Query& query = queries[i];
    query.slot = slots[i];
    query.action = shorten(actions[i], kMaxActionBytes);
    query.knows_place = retrieved[i].of_the_place;
    for (const Demonstration& demonstration : retrieved[i].shown) {
      query.demonstrations.push_back(demonstration.id);
    }
    query.context = slots_[slots[i]].trunk;
    const auto& past = slots_[slots[i]].past;
    const std::size_t seen = std::min(past.size(), options_.history_steps);
    append(query.context,
           query_context(prompt_,
                         retrieved[i].shown,
                         std::span(past).last(seen),
                         slots_[slots[i]].task.instruction,
                         query.action,
                         query_context_options(options_)));
    append(query.context, prompt_.query(query.action));
  }
  dream_traces(queries);
  dream_findings(queries);
  dream_observations(queries);

  std::vector<StepResult> results;
  results.reserve(queries.size());
  for (Query& query : queries) {
    results.push_back(conclude(query));
  }
  return results;
}

std::vector<ExperienceModel::Retrieved> ExperienceModel::retrieve(std::span<const std::size_t> slots,
                                                                  std::span<const Action> actions) {
  std::vector<Retrieved> retrieved(slots.size());
  if (options_.num_demonstrations == 0) {
    return retrieved;
  }
  const auto start = std::chrono::steady_clock::now();
  std::vector<ReplayQuery> queries(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Slot& slot = slots_[slots[i]];
    queries[i] = {slot.observation, shorten(actions[i], kMaxActionBytes), slot.task.world, "", slot.opening};
  }
  const std::size_t k = options_.num_demonstrations;
  SearchOptions search = pool_options(k, options_.retrieval);
  search.num_threads = options_.num_threads;
  auto hits = buffer_->search(queries, search);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Rng stream = Rng(slots_[slots[i]].world_seed).fork("demonstrations").fork(queries[i].action);
    const auto drawn = drawn_alike(std::move(hits[i]), k, options_.retrieval.alike, stream);
    retrieved[i] = {to_demonstrations(drawn), std::ranges::any_of(drawn, &ReplayHit::same_place)};
  }
  counters_.retrieval_seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return retrieved;
}

std::size_t ExperienceModel::reply_reserve() const {
  return options_.max_trace_tokens + options_.max_observation_tokens + 2;
}

GenerationRequest ExperienceModel::base_request(const Query& query, std::size_t attempt) const {
  const Slot& slot = slots_[query.slot];
  GenerationRequest request;
  request.session = session_of(query.slot);
  request.context = query.context;
  request.kept_tokens = slot.trunk.size();
  request.temperature = attempt == 1 ? 0.0 : kRetryTemperature;
  request.stop = prompt_.flags();
  request.seed = Rng(slot.world_seed).fork(query.action, attempt).next();
  return request;
}

GenerationRequest ExperienceModel::trace_request(const Query& query, std::size_t attempt) const {
  GenerationRequest request = base_request(query, attempt);
  request.max_tokens = options_.max_trace_tokens;
  request.stop.push_back(prompt_.observation_marker());
  return request;
}

bool ExperienceModel::is_readable_trace(std::span<const TokenId> reply) const {
  return !reply.empty() && reply.back() == prompt_.observation_marker() &&
         prompt_.is_text(reply.first(reply.size() - 1));
}

void ExperienceModel::dream_traces(std::vector<Query>& queries) {
  if (!options_.reasoning) {
    for (Query& query : queries) {
      query.reply = {prompt_.observation_marker()};
      query.logprobs = {0.0F};  // the model was not asked
      append(query.context, query.reply);
    }
    return;
  }
  std::vector<std::size_t> all(queries.size());
  std::iota(all.begin(), all.end(), 0);
  const Part part = {
      [&](const Query& query, std::size_t attempt) { return trace_request(query, attempt); },
      [&](std::span<const TokenId> reply) { return is_readable_trace(reply); },
      [&](const Query& query, std::span<const TokenId> reply) {
        const auto trace = trace_in(reply);
        const Slot& slot = slots_[query.slot];
        return !trace || (wants_what_was_asked(*trace, slot) &&
                          (!options_.verify_success ||
                           claims_are_borne_out(*trace, query.action, slot.task.instruction)) &&
                          !slot.shown.contradicts(*trace, query.action));
      },
      [&](const Query& query, const GenerationReply& reply, std::size_t attempt) {
        return hold_trace(query, reply, trace_request(query, attempt));
      }};
  dream(queries, std::move(all), part);
  for (Query& query : queries) {
    query.trace = trace_in(query.reply);
    append(query.context, query.reply);
  }
}

bool ExperienceModel::wants_what_was_asked(const ReasoningTrace& trace, const Slot& slot) const {
  const auto want = trace.find("want");
  if (!options_.want_from_task || !want) {
    return true;
  }
  const std::vector<std::string> asked = lower_words_without_marks(slot.task.instruction, kMarks);
  return std::ranges::all_of(lower_words_without_marks(*want, kMarks), [&](const std::string& word) {
    return std::ranges::find(asked, word) != asked.end();
  });
}

std::optional<ReasoningTrace> ExperienceModel::trace_in(std::span<const TokenId> reply) const {
  if (reply.empty() || reply.back() != prompt_.observation_marker()) {
    return std::nullopt;
  }
  return parse_reasoning_trace(prompt_.tokenizer().decode(reply.first(reply.size() - 1)));
}

void ExperienceModel::dream_observations(std::vector<Query>& queries) {
  std::vector<std::size_t> parsable;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (!queries[i].reply.empty() && queries[i].reply.back() == prompt_.observation_marker()) {
      parsable.push_back(i);
    }
  }
  const auto request = [&](const Query& query, std::size_t attempt) {
    GenerationRequest asked = base_request(query, attempt);
    asked.max_tokens = options_.max_observation_tokens;
    if (query.shows_hidden()) {
      asked.temperature = options_.hidden_temperature;
    }
    return asked;
  };
  const Part part = {
      request,
      [&](std::span<const TokenId> reply) {
        const auto flags = prompt_.flags();
        return !reply.empty() && std::ranges::find(flags, reply.back()) != flags.end() &&
               prompt_.is_text(reply.first(reply.size() - 1));
      },
      [&](const Query& query, std::span<const TokenId> reply) {
        if (!query.trace) {
          return true;
        }
        const std::string text = prompt_.tokenizer().decode(reply.first(reply.size() - 1));
        const Slot& slot = slots_[query.slot];
        return !slot.shown.contradicts(*query.trace, query.action, text) &&
               finds_are_shown(*query.trace, text);
      },
      [&](const Query& query, const GenerationReply& reply, std::size_t attempt) {
        return hold_observation(query, reply, request(query, attempt));
      }};
  dream(queries, std::move(parsable), part);
}

void ExperienceModel::dream(std::vector<Query>& queries,
                            std::vector<std::size_t> asked,
                            const Part& part) {
  const auto ask = [&](std::span<const std::size_t> indices, std::size_t attempt) {
    std::vector<GenerationRequest> requests;
    requests.reserve(indices.size());
    for (const std::size_t i : indices) {
      requests.push_back(part.request(queries[i], attempt));
    }
    std::vector<GenerationReply> replies = model_.generate(requests);
    for (std::size_t r = 0; r < replies.size() && options_.hold_to_record; ++r) {
      const Query& query = queries[indices[r]];
      if (!part.is_readable(replies[r].tokens) || part.is_consistent(query, replies[r].tokens)) {
        continue;
      }
      if (auto held = part.hold(query, replies[r], attempt); held && part.is_readable(held->tokens)) {
        replies[r] = std::move(*held);
        ++counters_.held;
      }
    }
    return replies;
  };
  const auto judge = [&](std::size_t i, const GenerationReply& reply) {
    if (!part.is_readable(reply.tokens)) {
      return Verdict::kUnreadable;
    }
    return part.is_consistent(queries[i], reply.tokens) ? Verdict::kGood : Verdict::kContradicts;
  };
  experience_internal::AskingCounts counts;
  const auto replies = experience_internal::ask_until_consistent<GenerationReply>(
      asked, options_.consistency_attempts, ask, judge, counts);
  counters_.resampled += counts.asked_again;
  counters_.contradictions += counts.contradictions;
  for (std::size_t j = 0; j < asked.size(); ++j) {
    Query& query = queries[asked[j]];
    append(query.reply, replies[j].tokens);
    query.logprobs.insert(query.logprobs.end(), replies[j].logprobs.begin(), replies[j].logprobs.end());
  }
}

GenerationReply ExperienceModel::go_on(const GenerationRequest& request, const Continuation& continuation) {
  GenerationRequest next = request;
  append(next.context, continuation.beginning);
  next.max_tokens -= std::min(next.max_tokens - 1, continuation.beginning.size());
  next.seed = Rng(request.seed).fork("held", continuation.number).next();
  next.choices = continuation.choices;
  if (!continuation.banned.empty()) {
    next.max_tokens = 1;
    std::vector<TokenId> never = prompt_.markers();  // the text goes on
    append(never, continuation.banned);
    for (const TokenId token : never) {
      next.filter.bias.emplace_back(token, kNever);
    }
  }
  return std::move(model_.generate(std::span(&next, 1)).front());
}

std::optional<GenerationReply> ExperienceModel::hold_trace(const Query& query,
                                                           const GenerationReply& reply,
                                                           const GenerationRequest& request) {
  const auto trace = trace_in(reply.tokens);
  const ShownFacts& shown = slots_[query.slot].shown;
  if (!trace || !shown.contradicts(*trace, query.action)) {
    return std::nullopt;  // readable, and refused for what it wants
  }
  if (const auto at = shown.left_without_leave(*trace, query.action)) {
    return hold_field(*trace, "at", *at, request);
  }
  const auto after = shown.contents_after(*trace, query.action);
  if (after && trace->find("here")) {
    return hold_field(*trace, "here", names_or_nothing(*after), request);
  }
  std::vector<std::string> possible;
  for (const std::string_view effect : experience_internal::kAllEffects) {
    ReasoningTrace other = *trace;
    other.fields.front().second = effect;
    if (!shown.contradicts(other, query.action)) {
      possible.push_back(to_text({{{"effect", std::string(effect)}}}));
    }
  }
  if (possible.empty()) {
    return std::nullopt;
  }
  GenerationReply held = go_on(request, {.choices = choices_of(prompt_.tokenizer(), possible)});
  const GenerationReply rest = go_on(request, {.beginning = held.tokens, .number = 1});
  append(held.tokens, rest.tokens);
  held.logprobs.insert(held.logprobs.end(), rest.logprobs.begin(), rest.logprobs.end());
  return held;
}

GenerationReply ExperienceModel::hold_field(const ReasoningTrace& trace,
                                            const std::string& field,
                                            const std::string& value,
                                            const GenerationRequest& request) {
  ReasoningTrace beginning = trace.before(field);
  beginning.add(field, value);
  GenerationReply held;
  held.tokens = prompt_.tokenizer().encode(to_text(beginning));
  held.logprobs.assign(held.tokens.size(), 0.0F);  // the model was not asked
  const GenerationReply rest = go_on(request, {.beginning = held.tokens});
  append(held.tokens, rest.tokens);
  held.logprobs.insert(held.logprobs.end(), rest.logprobs.begin(), rest.logprobs.end());
  return held;
}

std::optional<GenerationReply> ExperienceModel::hold_observation(const Query& query,
                                                                 const GenerationReply& reply,
                                                                 const GenerationRequest& request) {
  const ShownFacts& shown = slots_[query.slot].shown;
  const Tokenizer& tokenizer = prompt_.tokenizer();
  const std::string said = tokenizer.decode(std::span(reply.tokens).first(reply.tokens.size() - 1));
  if (!shown.contradicts(*query.trace, query.action, said)) {
    return std::nullopt;  // it does not show what it finds: another one may
  }
  if (const auto known = shown.known_text(*query.trace, query.action)) {
    GenerationReply same;
    same.tokens = tokenizer.encode(*known);
    same.logprobs.assign(same.tokens.size(), 0.0F);  // the model was not asked
    same.tokens.push_back(reply.tokens.back());
    same.logprobs.push_back(reply.logprobs.back());
    return same;
  }
  return experience_internal::hold_to_record(
      reply,
      tokenizer,
      prompt_.flags(),
      [&](std::string_view text) { return shown.fault_in(*query.trace, query.action, text); },
      [&](const Continuation& continuation) { return go_on(request, continuation); });
}

StepResult ExperienceModel::conclude(Query& query) {
  Slot& slot = slots_[query.slot];
  StepResult result;
  result.demonstrations = query.demonstrations;
  ++counters_.steps;
  auto parsed = prompt_.parse(query.reply);
  if (!parsed) {
    ++counters_.unparsable;
    result.observation.text = kNoAnswer;
    result.action_valid = false;
    result.terminated = true;
    result.info["unparsable"] = parsed.error();
    return result;
  }
  DreamedStep& step = *parsed;
  const auto& trace = query.trace;
  result.action_valid = !trace || trace->find("effect") != effects::kInvalid;
  step.flag = settle(query, step, result);
  const double logprob = std::accumulate(query.logprobs.begin(), query.logprobs.end(), 0.0);
  result.confidence = std::exp(std::min(logprob, 0.0));
  result.reasoning_trace = step.reasoning_trace;
  result.observation.text = step.observation;
  slot.proposed = result;
  slot.proposed_reply = std::move(query.reply);
  return result;
}

void ExperienceModel::commit(std::span<const std::size_t> slots,
                             std::span<const Action> actions,
                             std::span<const StepResult> results) {
  check(slots.size() == actions.size() && slots.size() == results.size(), "one action and one result per slot");
  for (std::size_t i = 0; i < slots.size(); ++i) {
    check(slots[i] < slots_.size() && slots_[slots[i]].running, "the episode is running");
    Slot& slot = slots_[slots[i]];
    const Action action = shorten(actions[i], kMaxActionBytes);
    slot.take(action, results[i]);
    if (slot.running) {
      remember(slot, step_tokens(slot, action, results[i]));
    }
  }
}

std::vector<TokenId> ExperienceModel::step_tokens(const Slot& slot,
                                                  const Action& action,
                                                  const StepResult& result) const {
  std::vector<TokenId> tokens = prompt_.query(action);
  const bool as_proposed = !slot.proposed_reply.empty() &&
                           result.reasoning_trace == slot.proposed.reasoning_trace &&
                           result.observation.text == slot.proposed.observation.text;
  if (as_proposed) {
    append(tokens, slot.proposed_reply);
    tokens.back() = prompt_.flag_token(EndFlag::kContinue);
  } else {
    append(tokens, prompt_.trace(result.reasoning_trace));
    append(tokens, prompt_.outcome(result.observation.text, EndFlag::kContinue));
  }
  return tokens;
}

EndFlag ExperienceModel::settle(const Query& query, const DreamedStep& step, StepResult& result) {
  const Slot& slot = slots_[query.slot];
  const auto& trace = query.trace;
  EndFlag flag = step.flag;
  if (options_.reward_by_rule && flag != EndFlag::kContinue) {
    const PastStep last{query.action, step.reasoning_trace, step.observation};
    result.reward = dreamgym::reward_by_rule(*rule_, slot.task, slot.opening, slot.past, last);
    flag = result.reward >= 1.0 ? EndFlag::kSuccess : EndFlag::kFailure;
    counters_.overruled += flag != step.flag ? 1 : 0;
  } else if (flag == EndFlag::kSuccess && options_.verify_success &&
             !(trace && success_is_borne_out(*trace, query.action, slot.task.instruction) &&
               wants_what_was_asked(*trace, slot))) {
    ++counters_.refused_successes;
    result.info["refused_success"] = "true";
    flag = options_.refusal_ends ? EndFlag::kFailure : EndFlag::kContinue;
  } else if (flag == EndFlag::kSuccess) {
    result.reward = 1.0;
  }
  result.terminated = flag != EndFlag::kContinue;
  counters_.successes += flag == EndFlag::kSuccess ? 1 : 0;
  return flag;
}

void ExperienceModel::remember(Slot& slot, std::vector<TokenId> step_tokens) {
  append(slot.trunk, step_tokens);
  slot.past_steps.push_back(std::move(step_tokens));
  if (slot.past_steps.size() > options_.history_steps) {
    // The window's first state is what the step before it led to.
    const std::size_t begin = slot.past.size() - options_.history_steps;
    slot.start = prompt_.begin(slot.task.instruction, slot.past[begin - 1].observation);
    slot.past_steps.erase(slot.past_steps.begin());
    slot.trunk = slot.start;
    for (const auto& step : slot.past_steps) {
      append(slot.trunk, step);
    }
  }
  const std::size_t tail = options_.num_demonstrations * options_.max_demonstration_tokens +
                           query_context_reserve(query_context_options(options_)) + reply_reserve() + 64;
  const std::size_t limit = model_.max_context_tokens();
  const std::size_t most = std::min(limit - std::min(limit, tail), options_.max_history_tokens);
  if (slot.trunk.size() <= most) {
    return;
  }
  // Over the budget: keep the start and as many of the newest steps as fill three quarters of it.
  const std::size_t budget = most * 3 / 4;
  std::size_t size = slot.start.size();
  std::size_t first = slot.past_steps.size();
  while (first > 0 && size + slot.past_steps[first - 1].size() <= budget) {
    --first;
    size += slot.past_steps[first].size();
  }
  slot.past_steps.erase(slot.past_steps.begin(),
                        slot.past_steps.begin() + static_cast<std::ptrdiff_t>(first));
  slot.trunk = slot.start;
  for (const auto& step : slot.past_steps) {
    append(slot.trunk, step);
  }
}

}  // namespace dreamgym

#include "dreamgym/eval/experience_fidelity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/eval/internal/step_scorer.h"
#include "dreamgym/experience/claims.h"
#include "dreamgym/experience/retrieval.h"
#include "dreamgym/experience/reward_rule.h"
#include "dreamgym/experience/training_data.h"

namespace dreamgym {
namespace {

constexpr std::size_t kBatch = 128;         // trajectories walked side by side
constexpr std::uint64_t kFirstSession = 1ULL << 40;

// Walks a batch of trajectories in step, one prediction each at a time.
class TeacherForcedWalk {
 public:
  TeacherForcedWalk(LanguageModel& model,
                    const ExperiencePrompt& prompt,
                    const ReplayBuffer* buffer,
                    const ExperienceOptions& options,
                    const ActionMapperFactory* mappers,
                   const EpisodeAuditor* rule)
      : model_(model), prompt_(prompt), buffer_(buffer), options_(options), mappers_(mappers), rule_(rule) {}

  /// @param first  number of the first of the stories.
  void walk(std::span<const Trajectory> stories, std::size_t first, ExperienceFidelity& out) {
    std::vector<std::uint64_t> sessions;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < stories.size(); ++i) {
      sessions.push_back(kFirstSession + i);
      longest = std::max(longest, stories[i].steps.size());
    }
    for (std::size_t t = 0; t < longest; ++t) {
      predict(stories, first, t, out);
    }
    model_.release(sessions);
  }

 private:
  void predict(std::span<const Trajectory> stories, std::size_t first, std::size_t t, ExperienceFidelity& out) {
    const std::size_t reserve = options_.max_trace_tokens + options_.max_observation_tokens +
                                options_.num_demonstrations * options_.max_demonstration_tokens +
                                query_context_reserve(query_context_options(options_)) + 64;
    std::vector<GenerationRequest> requests;
    std::vector<StepPrediction> predictions;
    for (std::size_t i = 0; i < stories.size(); ++i) {
      if (t >= stories[i].steps.size()) {
        continue;
      }
      StepPrediction prediction{.episode = i, .step = t};
      GenerationRequest asked = request(stories[i], i, t, prediction);
      if (asked.kept_tokens + reserve <= model_.max_context_tokens()) {
        requests.push_back(std::move(asked));
        predictions.push_back(prediction);
      }
    }
    auto replies = model_.generate(requests);
    eval_internal::StepScorer scorer(mappers_, out);
    for (std::size_t j = 0; j < replies.size(); ++j) {
      StepPrediction& prediction = predictions[j];
      std::vector<TokenId>& reply = replies[j].tokens;
      if (!options_.reasoning) {
        reply.insert(reply.begin(), prompt_.observation_marker());
      }
      prediction.confidence = std::exp(std::min(
          0.0, std::accumulate(replies[j].logprobs.begin(), replies[j].logprobs.end(), 0.0)));
      const Trajectory& story = stories[prediction.episode];
      scorer.score(story, t, read(story, t, reply), prediction);
      prediction.episode += first;
      out.predictions.push_back(prediction);
    }
  }

  GenerationRequest request(const Trajectory& story, std::size_t index, std::size_t t, StepPrediction& prediction) {
    const Transition& step = story.steps[t];
    GenerationRequest out;
    out.session = kFirstSession + index;
    out.context = history_tokens(prompt_, story, t, options_.history_steps, options_.reasoning);
    out.kept_tokens = out.context.size();
    const auto append = [&](const std::vector<TokenId>& tokens) {
      out.context.insert(out.context.end(), tokens.begin(), tokens.end());
    };
    std::vector<Demonstration> retrieved;
    if (options_.num_demonstrations > 0 && buffer_ != nullptr) {
      const ReplayQuery query{
          step.observation.text, step.action, story.task.world, story.episode_id,
          story.steps.front().observation.text};
      const auto hits = buffer_->search(std::span(&query, 1),
                                        search_options(options_.num_demonstrations, options_.retrieval));
      retrieved = to_demonstrations(hits.front());
      if (!hits.front().empty()) {
        prediction.similarity = hits.front().front().similarity;
      }
    }
    append(query_context(prompt_,
                         retrieved,
                         past_steps(story, t, options_.history_steps),
                         story.task.instruction,
                         step.action,
                         query_context_options(options_)));
    append(prompt_.query(step.action));
    if (!options_.reasoning) {
      out.context.push_back(prompt_.observation_marker());
    }
    out.max_tokens = options_.max_trace_tokens + options_.max_observation_tokens;
    out.temperature = 0;
    out.stop = prompt_.flags();
    return out;
  }

  // The step as the dream would count it: a success by its rule, or one that was reached.
  [[nodiscard]] std::optional<DreamedStep> read(const Trajectory& story,
                                                std::size_t t,
                                                std::span<const TokenId> reply) const {
    auto parsed = prompt_.parse(reply);
    if (!parsed) {
      return std::nullopt;
    }
    if (options_.reward_by_rule && rule_ != nullptr && parsed->flag != EndFlag::kContinue) {
      const double reward = reward_by_rule(*rule_,
                                           story.task,
                                           story.steps.front().observation.text,
                                           past_steps(story, t, kWholeHistory),
                                           {story.steps[t].action, parsed->reasoning_trace, parsed->observation});
      parsed->flag = reward >= 1.0 ? EndFlag::kSuccess : EndFlag::kFailure;
      return *std::move(parsed);
    }
    const auto trace = parse_reasoning_trace(parsed->reasoning_trace);
    if (parsed->flag == EndFlag::kSuccess && options_.verify_success &&
        !(trace && success_is_borne_out(*trace, story.steps[t].action, story.task.instruction))) {
      parsed->flag = EndFlag::kContinue;
    }
    return *std::move(parsed);
  }

  LanguageModel& model_;
  const ExperiencePrompt& prompt_;
  const ReplayBuffer* buffer_;
  const ExperienceOptions& options_;
  const ActionMapperFactory* mappers_;
  const EpisodeAuditor* rule_;
};

// Plays given action sequences; calls visit(episode, step, result) for each step taken.
template <class Visit>
void replay_actions(EnvironmentBatch& environment,
                    std::span<const Episode> episodes,
                    const std::vector<std::uint64_t>& seeds,
                    const Visit& visit) {
  std::vector<Task> tasks;
  for (const Episode& episode : episodes) {
    tasks.push_back(episode.trajectory.task);
  }
  (void)environment.reset(tasks, seeds);
  std::vector<std::size_t> running(episodes.size());
  for (std::size_t i = 0; i < running.size(); ++i) {
    running[i] = i;
  }
  for (std::size_t t = 0; !running.empty(); ++t) {
    std::erase_if(running,
                  [&](std::size_t i) { return t >= episodes[i].trajectory.steps.size(); });
    std::vector<Action> actions;
    for (const std::size_t i : running) {
      actions.push_back(episodes[i].trajectory.steps[t].action);
    }
    if (running.empty()) {
      return;
    }
    const auto results = environment.step(running, actions);
    std::vector<std::size_t> still;
    for (std::size_t j = 0; j < running.size(); ++j) {
      visit(running[j], t, results[j]);
      if (!results[j].terminated && !results[j].truncated) {
        still.push_back(running[j]);
      }
    }
    running = std::move(still);
  }
}

}  // namespace

ExperienceFidelity measure_fidelity(LanguageModel& model,
                                    std::shared_ptr<const Tokenizer> tokenizer,
                                    const ReplayBuffer* buffer,
                                    const ExperienceOptions& options,
                                    std::span<const Trajectory> held_out,
                                    const ActionMapperFactory* mappers,
                                    const EpisodeAuditor* rule) {
  const ExperiencePrompt prompt(std::move(tokenizer), options.max_demonstration_tokens);
  ExperienceFidelity out;
  for (std::size_t begin = 0; begin < held_out.size(); begin += kBatch) {
    TeacherForcedWalk walk(model, prompt, buffer, options, mappers, rule);
    walk.walk(held_out.subspan(begin, std::min(kBatch, held_out.size() - begin)), begin, out);
  }
  return out;
}

EnvironmentLuck measure_environment_luck(EnvironmentBatch& dream,
                                         std::span<const Episode> dreamed,
                                         std::size_t num_replays,
                                         const Rng& rng) {
  EnvironmentLuck luck;
  luck.episodes = dreamed.size();
  // The episode as it was dreamed counts too: replays that all fail alike are luck as well.
  std::vector<std::vector<double>> returns(dreamed.size(),
                                           std::vector<double>(num_replays + 1, 0.0));
  for (std::size_t i = 0; i < dreamed.size(); ++i) {
    returns[i].back() = dreamed[i].trajectory.episode_return;
  }
  for (std::size_t r = 0; r < num_replays; ++r) {
    std::vector<std::uint64_t> seeds;
    for (std::size_t i = 0; i < dreamed.size(); ++i) {
      seeds.push_back(rng.fork("replay", r).fork("episode", i).next());
    }
    replay_actions(dream, dreamed, seeds, [&](std::size_t i, std::size_t, const StepResult& result) {
      returns[i][r] += result.reward;
    });
  }
  for (const auto& of_episode : returns) {
    double mean = 0;
    double squares = 0;
    for (const double value : of_episode) {
      mean += value / static_cast<double>(of_episode.size());
    }
    for (const double value : of_episode) {
      squares += (value - mean) * (value - mean) / static_cast<double>(of_episode.size());
    }
    luck.return_deviation += std::sqrt(squares) / static_cast<double>(dreamed.size());
    luck.flipped_share += (squares > 0 ? 1.0 : 0.0) / static_cast<double>(dreamed.size());
  }
  return luck;
}

DreamToReal replay_in_reality(EnvironmentBatch& reality, std::span<const Episode> dreamed) {
  DreamToReal out;
  out.episodes = dreamed.size();
  std::vector<std::uint64_t> seeds;
  for (const Episode& episode : dreamed) {
    seeds.push_back(episode.trajectory.task.seed);
    out.dreamed_successes += episode.trajectory.success() ? 1 : 0;
  }
  replay_actions(
      reality, dreamed, seeds, [&](std::size_t i, std::size_t t, const StepResult& result) {
        ++out.steps;
        const Trajectory& story = dreamed[i].trajectory;
        const bool same = result.observation.text == story.steps[t].next_observation.text;
        out.same_observation += same ? 1 : 0;
        out.steps_at.resize(std::max(out.steps_at.size(), t + 1));
        out.same_at.resize(out.steps_at.size());
        ++out.steps_at[t];
        out.same_at[t] += same ? 1 : 0;
        const bool success = result.terminated && result.reward >= 1;
        out.real_successes += success ? 1 : 0;
        out.confirmed_successes += success && story.success() ? 1 : 0;
      });
  return out;
}

}  // namespace dreamgym

// The stages in which policies learn by what they do, or by comparison of what others did: DPO on
// the offline data, reinforcement learning in the dream and in reality.

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "dreamgym/agent/turn_prompt.h"
#include "dreamgym/apps/experiment.h"
#include "dreamgym/apps/experiment_actor.h"
#include "dreamgym/apps/trust_listener.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/curriculum/task_generator.h"
#include "dreamgym/env/deadline.h"
#include "dreamgym/env/environment_batch.h"
#include "dreamgym/env/explainer.h"
#include "dreamgym/experience/log_explainer.h"
#include "dreamgym/train/dpo.h"
#include "dreamgym/train/policy_algorithm.h"
#include "dreamgym/train/preference_packing.h"
#include "dreamgym/train/preference_pairs.h"
#include "dreamgym/train/preference_record.h"

namespace dreamgym {
namespace {

constexpr std::size_t kValidationTasks = 48;

// A pair whose context is longer than the model may read has no tail left to compare.
std::vector<TrainingSequence> pair_sequences(const TurnPrompt& prompt,
                                             const std::vector<Trajectory>& stories,
                                             const std::vector<PreferencePair>& pairs,
                                             std::size_t max_tokens) {
  std::vector<TrainingSequence> sequences;
  for (const PreferencePair& pair : pairs) {
    try {
      sequences.push_back(
          preference_sequence(prompt.demonstration(stories[pair.chosen], max_tokens),
                              prompt.demonstration(stories[pair.rejected], max_tokens)));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInvalidArgument) {
        throw;
      }
    }
  }
  return sequences;
}

// Traces by the world's explainer, or from the text alone where it does not know how to read an
// episode.
std::function<void(Trajectory&)> explain_by(std::shared_ptr<const Explainer> of_world) {
  return [of_world](Trajectory& story) {
    try {
      if (of_world != nullptr) {
        of_world->explain(story);
        return;
      }
    } catch (const Error&) {
      // The steps it could not read are explained below.
    }
    LogExplainer().explain(story);
  };
}

// The measures of a stage in the order people ask for them.
void keep_measures(const PolicyReport& report, StageRecord& record) {
  record.tokens = report.sampled_tokens + report.trained_tokens;
  record.measures["iterations"] = static_cast<double>(report.iterations);
  record.measures["best_iteration"] = static_cast<double>(report.best_iteration);
  record.measures["skipped_updates"] = static_cast<double>(report.skipped_updates);
  record.measures["idle_iterations"] = static_cast<double>(report.idle_iterations);
  record.measures["failed_attempts"] = static_cast<double>(report.failed_attempts);
  record.measures["lost_episodes"] = static_cast<double>(report.lost_episodes);
  record.measures["environment_seconds"] = report.environment_seconds;
  record.measures["agent_seconds"] = report.agent_seconds;
  record.measures["update_seconds"] = report.update_seconds;
}

}  // namespace

struct Experiment::PolicyTraining {
  std::string name;  // of the stage
  std::string from;  // model it starts from
  PolicyTrainingConfig config;
  TaskCurriculum& curriculum;
  Playground place;
  std::optional<Playground> second;
  std::function<double(Actor&)> validate;  // may be empty
  TrainingListener* listener = nullptr;    // null = the recorder
};

void Experiment::prefer() {
  stage("dpo", [&](StageRecord& record) {
    const PolicyModel start = load_policy(model_path("start"));
    const PreferencePairs pairs = build_preference_pairs(
        data_.offline, {.max_pairs_per_task = config_.dpo.pairs_per_task});
    const auto sequences = pair_sequences(*start.prompt,
                                          data_.offline,
                                          pairs.pairs,
                                          config_.experience_data.max_tokens);
    if (sequences.empty()) {
      throw Error(ErrorKind::kInvalidArgument,
                  fmt::format("dpo: {} tasks in the offline data, and none with a success and a "
                              "failure that can be compared",
                              pairs.tasks),
                  "it needs several episodes a task: lower data.log_tasks, or leave the arm out");
    }
    std::string eto;
    for (const PreferencePair& pair : pairs.pairs) {
      eto += to_eto_json(preference_record(
                 data_.offline[pair.chosen], data_.offline[pair.rejected], pair.shared_steps)) +
             "\n";
    }
    write_file(folder_ / "data" / "preferences.jsonl", eto);
    TrainableModel model =
        trainable_policy(start, config_.policy, rng_.fork("dpo adapter").next(), config_.threads);
    const DpoReport report = train_dpo(
        model,
        sequences,
        config_.dpo,
        rng_.fork("dpo"),
        {"dpo", recorder_.get(), &progress_, recorder_.get(), checkpoint_path("dpo")});
    record.tokens = report.tokens;
    record.measures = {{"pairs", static_cast<double>(sequences.size())},
                       {"pairs_cut_short", static_cast<double>(pairs.pairs.size() - sequences.size())},
                       {"tasks_without_pair", static_cast<double>(pairs.tasks_without_pair)},
                       {"accuracy", report.accuracy},
                       {"margin", report.margin},
                       {"skipped_updates", static_cast<double>(report.skipped_updates)}};
    save_policy(model, start, "dpo", model_path("dpo"));
  });
}

std::unique_ptr<EnvironmentBatch> Experiment::training_ground() const {
  const double seconds = config_.rollout.turn_seconds;
  return std::make_unique<SingleEnvironmentBatch>(
      [world = world_.get(), seconds]() -> std::unique_ptr<Environment> {
        auto environment = world->make_environment();
        return seconds > 0
                   ? std::make_unique<DeadlineEnvironment>(std::move(environment), seconds)
                   : std::move(environment);
      },
      config_.threads,
      SingleEnvironmentBatch::WhenItFails::kReport);
}

// The critic of the model a stage starts from, or a copy of that model where it has none.
std::unique_ptr<TrainableModel> Experiment::critic_of(const std::string& model) const {
  const Path own = model_path(model + "_critic");
  return std::make_unique<TrainableModel>(
      load_model_weights(std::filesystem::exists(own) ? own : model_path(model)), config_.threads);
}

PolicyReport Experiment::train_policy(const PolicyTraining& training) {
  const auto learner = std::make_unique<Learner>(
      load_policy(model_path(training.from)), config_, rng_.fork(training.name + " adapter").next());
  const auto critic =
      needs_critic(training.config) ? critic_of(training.from) : std::unique_ptr<TrainableModel>();
  const auto trainer =
      make_policy_trainer(
          {learner->model, learner->engine, learner->tokenizer, learner->policy.prompt},
                          critic.get(),
                          training.curriculum,
                          training.place,
                          training.config,
                          rng_.fork(training.name));
  std::optional<Watchdog> watchdog;
  if (config_.rollout.stall_seconds > 0) {
    watchdog.emplace(config_.rollout.stall_seconds, [&](const std::string& line) {
      fmt::print(stderr, "\n{}: {}\n", training.name, line);
    });
  }
  if (training.second) {
    trainer->player().second.emplace(*training.second);
  }
  trainer->player().limits = {.retries = config_.rollout.retries,
                              .episode_seconds = config_.rollout.episode_seconds};
  trainer->player().watchdog = watchdog ? &*watchdog : nullptr;
  if (training.validate) {
    trainer->validate = [&] { return training.validate(*learner); };
  }
  trainer->listener = training.listener != nullptr ? training.listener : recorder_.get();
  trainer->progress = &progress_;
  trainer->checkpoints = checkpoint_path(training.name);
  const PolicyReport report = trainer->run(training.name);
  if (critic != nullptr) {
    save_policy(
        *critic, learner->policy, training.name + "-critic", model_path(training.name + "_critic"));
  }
  save_policy(learner->model, learner->policy, training.name, model_path(training.name));
  return report;
}

// The first algorithm's dream fills the run's buffer. Another one gets its own, filled with the
// offline data only, so that neither learns from what the other has dreamed.
std::unique_ptr<ReplayBuffer> Experiment::own_buffer(const std::string& dream) const {
  const Path file = folder_ / fmt::format("experience_{}.sqlite", dream);
  const bool begun = log_.done(dream) || CheckpointFolder::any_in(checkpoint_path(dream));
  if (!begun) {
    for (const char* suffix : {"", "-wal", "-shm"}) {
      std::filesystem::remove(file.string() + suffix);
    }
  }
  auto buffer = std::make_unique<ReplayBuffer>(std::make_shared<HashedNgramEmbedder>(), file);
  if (!begun) {
    buffer->add(data_.offline);
  }
  return buffer;
}

void Experiment::train_in_dream(const std::string& name, const PolicyTrainingConfig& config) {
  stage(name, [&](StageRecord& record) {
    const auto dreamer = experience_actor();
    const auto own = name == "dream" ? nullptr : own_buffer(name);
    const RunRecorder::OtherBuffer other(*recorder_, own ? own.get() : buffer_.get());
    ExperienceModel dream(
        dreamer->engine, dreamer->tokenizer, own ? own.get() : buffer_.get(), dream_options());
    TaskGenerator generator(
        dreamer->engine, dreamer->tokenizer, task_revision(), config_.task_generator);
    TaskCurriculum curriculum(
        data_.training_tasks, config_.curriculum, [&](std::span<const Task> seeds, const Rng& rng) {
          return generator.vary(seeds, rng);
        });
    std::vector<Task> validation = data_.training_tasks;
    Rng stream = rng_.fork("dream validation");
    stream.shuffle(validation);
    const bool probing = world_ != nullptr && config_.check.probe_every > 0;
    validation.resize(
        std::min(validation.size(), probing ? config_.check.probe_tasks : kValidationTasks));
    const auto auditor = world_ != nullptr ? world_->make_episode_auditor() : nullptr;
    TrustListener trust(*recorder_,
                        {.auditor = auditor.get(),
                         .logged_success = world_ == nullptr
                                               ? std::optional(success_of(data_.offline).value)
                                               : std::nullopt,
                         .max_rise = config_.check.max_rise},
                        progress_);
    const Playground place{dream, mappers_.get(), Provenance::kDreamed, "experience"};
    const std::function<double(Actor&)> validate = [&](Actor& learner) {
      const PanelResult dreamed =
          play_panel(learner, dream, validation, "dream validation", "experience");
      if (!probing) {
        return dreamed.success.value;
      }
      const auto environment = reality();
      const PanelResult real =
          play_panel(learner, *environment, validation, "dream validation", "");
      trust.observe_probe(dreamed, real);
      return real.success.value;
    };
    PolicyTrainingConfig settings = config;
    settings.validate_every = probing ? config_.check.probe_every : settings.validate_every;
    const PolicyReport report = train_policy(
        {name, "start", settings, curriculum, place, std::nullopt, validate, &trust});
    keep_measures(report, record);
    record.dreamed_steps = report.environment_steps;
    record.real_steps = trust.probe_steps();
    record.note = join(trust.alarms(), "\n");
    record.measures["generated_tasks"] = static_cast<double>(curriculum.counts().generated);
    record.measures["played_generated_tasks"] =
        static_cast<double>(curriculum.counts().played_generated);
    record.measures["refused_successes"] = static_cast<double>(dream.counters().refused_successes);
    record.measures["unparsable"] = static_cast<double>(dream.counters().unparsable);
    record.measures["resampled"] = static_cast<double>(dream.counters().resampled);
    record.measures["kept_contradictions"] = static_cast<double>(dream.counters().contradictions);
    record.measures["retrieval_seconds"] = dream.counters().retrieval_seconds;
    record.measures["dream_seconds"] = report.environment_seconds;
  });
}

void Experiment::train_in_reality(const std::string& name,
                                  const std::string& from,
                                  const PolicyTrainingConfig& config,
                                  std::size_t step_budget) {
  stage(name, [&](StageRecord& record) {
    const auto environment = training_ground();
    PolicyTrainingConfig budgeted = config;
    budgeted.step_budget = config.step_budget > 0 ? config.step_budget : step_budget;
    if (budgeted.step_budget == 0) {
      throw Error(ErrorKind::kConfig,
                  fmt::format("{}: a budget of 0 real steps: there is nothing to train on", name),
                  fmt::format("give it steps with {}.step_budget, or leave the arm out", name));
    }
    // Mixed: a share of the groups goes on in the dream, whose buffer also learns what really happens.
    std::unique_ptr<Actor> dreamer;
    std::unique_ptr<ReplayBuffer> own;
    std::optional<ExperienceModel> dream;
    std::optional<Playground> second;
    ReplayBuffer* buffer = buffer_.get();
    std::function<void(Trajectory&)> explain_real;
    if (config.dream_share > 0) {
      dreamer = experience_actor();
      own = from == "dream_ppo" ? own_buffer(from) : nullptr;
      buffer = own ? own.get() : buffer_.get();
      explain_real = explain_by(world_->make_explainer());
      dream.emplace(dreamer->engine, dreamer->tokenizer, buffer, dream_options());
      second.emplace(Playground{*dream, mappers_.get(), Provenance::kDreamed, "experience"});
    }
    const RunRecorder::OtherBuffer other(*recorder_, buffer, explain_real);
    CurriculumConfig original_only = config_.curriculum;
    original_only.generated_share = 0;  // no engine knows a generated task's goal
    TaskCurriculum curriculum(data_.training_tasks, original_only, {});
    const Playground place{*environment, mappers_.get(), Provenance::kReal, ""};
    const PolicyReport report =
        train_policy({name, from, budgeted, curriculum, place, second, nullptr});
    check(report.environment_steps <= budgeted.step_budget, "the step budget is never exceeded");
    keep_measures(report, record);
    record.real_steps = report.environment_steps;
    record.dreamed_steps = report.second_steps;
    record.measures["step_budget"] = static_cast<double>(budgeted.step_budget);
  });
}

}  // namespace dreamgym

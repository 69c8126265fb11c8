// The stages in which policies learn by what they do, or by comparison of what others did: DPO on
// the offline data, reinforcement learning in the dream and in reality.

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "dreamgym/agent/turn_prompt.h"
#include "dreamgym/apps/dream_listener.h"
#include "dreamgym/apps/experiment.h"
#include "dreamgym/apps/experiment_actor.h"
#include "dreamgym/apps/replay_memory.h"
#include "dreamgym/apps/run_fidelity.h"
#include "dreamgym/apps/run_files.h"
#include "dreamgym/apps/trust_listener.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
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

// The measures of a stage in the order people ask for them.
void keep_measures(const PolicyReport& report, StageRecord& record) {
  record.tokens = report.sampled_tokens + report.trained_tokens;
  record.measures["iterations"] = static_cast<double>(report.iterations);
  record.measures["best_iteration"] = static_cast<double>(report.best_iteration);
  record.measures["skipped_updates"] = static_cast<double>(report.guards.not_finite);
  record.measures["spikes_skipped"] = static_cast<double>(report.guards.spikes);
  record.measures["kl_alarms"] = static_cast<double>(report.guards.kl_alarms);
  record.measures["entropy_alarms"] = static_cast<double>(report.guards.entropy_alarms);
  record.measures["rate_backoffs"] = static_cast<double>(report.guards.backoffs);
  record.measures["idle_iterations"] = static_cast<double>(report.idle_iterations);
  record.measures["failed_attempts"] = static_cast<double>(report.failed_attempts);
  record.measures["lost_episodes"] = static_cast<double>(report.lost_episodes);
  record.measures["environment_seconds"] = report.environment_seconds;
  record.measures["agent_seconds"] = report.agent_seconds;
  record.measures["generation_seconds"] = report.times.generation;
  record.measures["retrieval_seconds"] = report.times.retrieval;
  record.measures["update_seconds"] = report.times.update;
  record.measures["overhead_share"] = report.times.overhead_share();
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
  std::optional<double> theory_discount{};
};

std::function<void(Trajectory&)> Experiment::explain_real() const {
  const std::shared_ptr<const Explainer> of_world = world_->make_explainer();
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

void Experiment::prefer() {
  stage("dpo", [&](StageRecord& record) {
    const PolicyModel start =
        ready_to_train(load_run_policy(model_path("start")), config_.policy);
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
      environment_threads(config_),
      SingleEnvironmentBatch::WhenItFails::kReport);
}

// The critic of the model a stage starts from, or a copy of that model where it has none.
std::unique_ptr<TrainableModel> Experiment::critic_of(const std::string& model) const {
  const Path own = model_path(model + "_critic");
  auto critic = std::make_unique<TrainableModel>(
      load_model_weights(std::filesystem::exists(own) ? own : model_path(model)), config_.threads);
  critic->set_compute(compute_type_named(config_.policy.compute));
  return critic;
}

PolicyReport Experiment::train_policy(const PolicyTraining& training) {
  const auto learner = std::make_unique<Learner>(
      load_run_policy(model_path(training.from)), config_, rng_.fork(training.name + " adapter").next());
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
                              .episode_seconds = config_.rollout.episode_seconds,
                              .iteration_seconds = config_.rollout.iteration_seconds};
  trainer->player().watchdog = watchdog ? &*watchdog : nullptr;
  if (training.validate) {
    trainer->validate = [&] { return training.validate(*learner); };
  }
  trainer->listener = training.listener != nullptr ? training.listener : recorder_.get();
  trainer->progress = &progress_;
  trainer->checkpoints = checkpoint_path(training.name);
  trainer->theory_discount = training.theory_discount;
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
  auto buffer = open_buffer(config_.replay, file);
  if (!begun) {
    buffer->add(data_.experience());
  }
  return buffer;
}

// The dream as a place to play, which knows where its time goes if it can tell.
Playground Experiment::dreamed_place(Dreamer& dreamer) const {
  Playground place{.environment = dreamer.dream(),
                   .mappers = mappers_.get(),
                   .provenance = Provenance::kDreamed,
                   .simulator_version = dreamer.version()};
  if (dreamer.times()) {
    place.times = [&dreamer] { return dreamer.times().value_or(EnvironmentTimes{}); };
  }
  return place;
}

std::optional<BoundInputs> Experiment::theory_inputs() const {
  if (config_.evaluation.theory_discount == 0) {
    return std::nullopt;
  }
  BoundInputs inputs = bound_errors(log_.record("fidelity").measures);
  inputs.discount = config_.evaluation.theory_discount;
  return inputs;
}

void Experiment::train_in_dream(const std::string& name,
                                const PolicyTrainingConfig& config,
                                const CurriculumConfig& choice) {
  stage(name, [&](StageRecord& record) {
    const auto own = name == "dream" ? nullptr : own_buffer(name);
    ReplayBuffer& buffer = own ? *own : *buffer_;
    const RunRecorder::OtherBuffer other(*recorder_, &buffer);
    const auto dreamed_by = dreamer(buffer);
    StepwiseDream& dream = dreamed_by->dream();
    auto clusters = config.group_size == 1 && choice.cluster_similarity > 0
                        ? std::make_unique<TaskClusters>(
                              buffer.embedder(), choice.cluster_similarity, data_.training_tasks)
                        : nullptr;
    TaskCurriculum curriculum(data_.training_tasks,
                              choice,
                              dreamed_by->variation(task_revision()),
                              std::move(clusters));
    std::vector<Task> validation = data_.training_tasks;
    Rng stream = rng_.fork("dream validation");
    stream.shuffle(validation);
    const bool probing = world_ != nullptr && config_.check.probe_every > 0;
    validation.resize(
        std::min(validation.size(), probing ? config_.check.probe_tasks : kValidationTasks));
    const auto auditor = world_ != nullptr ? world_->make_episode_auditor() : nullptr;
    DreamListener counting(*recorder_, *dreamed_by);
    const bool asks_others = !dreamed_by->progress().empty();
    TrustListener trust(asks_others ? static_cast<TrainingListener&>(counting) : *recorder_,
                        {.auditor = auditor.get(),
                         .logged_success = world_ == nullptr
                                               ? std::optional(success_of(data_.offline).value)
                                               : std::nullopt,
                         .max_rise = config_.check.max_rise,
                         .theory = theory_inputs()},
                        progress_);
    const Playground place = dreamed_place(*dreamed_by);
    const std::function<double(Actor&)> validate = [&](Actor& learner) {
      const PanelResult dreamed =
          play_panel(learner, dream, validation, "dream validation", dreamed_by->version());
      if (!probing) {
        return dreamed.success.value;
      }
      const auto environment = reality();
      const PanelResult real =
          play_panel(learner, *environment, validation, "dream validation", "");
      trust.observe_probe(dreamed, real);
      return real.success.value;
    };
    const auto discount = theory_inputs() ? std::optional(theory_inputs()->discount) : std::nullopt;
    PolicyTrainingConfig settings = config;
    settings.validate_every = probing ? config_.check.probe_every : settings.validate_every;
    const PolicyReport report = train_policy(
        {name, "start", settings, curriculum, place, std::nullopt, validate, &trust, discount});
    keep_measures(report, record);
    record.dreamed_steps = report.environment_steps;
    record.real_steps = trust.probe_steps() + dreamed_by->real_steps();
    std::vector<std::string> alarms = trust.alarms();
    alarms.insert(alarms.end(), report.guard_remarks.begin(), report.guard_remarks.end());
    record.note = join(alarms, "\n");
    record.measures["generated_tasks"] = static_cast<double>(curriculum.counts().generated);
    record.measures["played_generated_tasks"] =
        static_cast<double>(curriculum.counts().played_generated);
    record.measures.merge(dreamed_by->measures());
    keep_provenance(name, curriculum, record);
    record.measures["dream_seconds"] = report.environment_seconds;
  });
}

SolvabilityAudit Experiment::solvability_audit() const {
  if (world_ == nullptr) {
    return {};
  }
  if (const std::shared_ptr<const TaskAuditor> auditor = world_->make_task_auditor()) {
    return [auditor](const Task& variation, const Task& original) { return auditor->audit(variation, original); };
  }
  // What a world's reviser finds in its own data can be done there.
  if (const std::shared_ptr<const TaskReviser> reviser = world_->make_task_reviser()) {
    return [reviser](const Task& variation, const Task& original) -> Expected<void, std::string> {
      const auto revised = reviser->revise(original, variation.instruction);
      if (!revised) {
        return Unexpected<std::string>(revised.error());
      }
      return {};
    };
  }
  return {};
}

void Experiment::keep_provenance(const std::string& name, const TaskCurriculum& curriculum, StageRecord& record) {
  if (curriculum.generated().empty()) {
    return;
  }
  const auto records = task_records(name, curriculum, data_.training_tasks, solvability_audit());
  keep_task_records(folder_ / "tasks.jsonl", name, records);
  if (const auto share = solvable_share(records)) {
    record.measures["solvable_share_of_generated"] = *share;
    recorder_->record(name, static_cast<std::uint64_t>(record.measures["iterations"]),
                      {{"curriculum/solvable_share", *share}});
  }
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
    std::unique_ptr<Dreamer> dreamed_by;
    std::unique_ptr<ReplayBuffer> own;
    std::optional<Playground> second;
    ReplayBuffer* buffer = buffer_.get();
    std::function<void(Trajectory&)> explain;
    if (config.dream_share > 0) {
      own = from == "dream_ppo" ? own_buffer(from) : nullptr;
      buffer = own ? own.get() : buffer_.get();
      explain = explain_real();
      dreamed_by = dreamer(*buffer, false);  // the budget is for real episodes
      second.emplace(dreamed_place(*dreamed_by));
    }
    const RunRecorder::OtherBuffer other(*recorder_, buffer, explain);
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
    std::vector<std::string> remarks = report.guard_remarks;
    if (report.iterations == 0) {
      remarks.push_back(fmt::format(
          "no training: {} real steps don't hold one group of {} episodes of up to {} steps",
          budgeted.step_budget,
          budgeted.group_size,
          budgeted.max_steps));
    }
    record.note = join(remarks, "\n");
  });
}

}  // namespace dreamgym

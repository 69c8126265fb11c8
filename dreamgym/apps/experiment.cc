#include "dreamgym/apps/experiment.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "dreamgym/agent/agent_prompt.h"
#include "dreamgym/apps/arm_titles.h"
#include "dreamgym/apps/experience_lessons.h"
#include "dreamgym/apps/experiment_actor.h"
#include "dreamgym/apps/imitation.h"
#include "dreamgym/apps/memory_plan.h"
#include "dreamgym/apps/prompted_dreamer.h"
#include "dreamgym/apps/replay_memory.h"
#include "dreamgym/apps/run_description.h"
#include "dreamgym/apps/run_fidelity.h"
#include "dreamgym/apps/run_files.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/curriculum/task_generator.h"
#include "dreamgym/env/environment_batch.h"
#include "dreamgym/eval/free_running_check.h"
#include "dreamgym/train/sft.h"

namespace dreamgym {
namespace {

constexpr std::size_t kLuckEpisodes = 32;
constexpr std::size_t kEvaluationEpisodesKept = 40;

std::vector<Trajectory> successes(const std::vector<Trajectory>& stories) {
  std::vector<Trajectory> good;
  std::ranges::copy_if(stories, std::back_inserter(good), &Trajectory::success);
  return good;
}

FolderLock locked(const Path& folder) {
  make_folder(folder);
  return FolderLock(folder);
}

}  // namespace

Experiment::Experiment(ExperimentConfig config, Path run_folder, ProgressSink& progress)
    : config_(std::move(config)),
      folder_(std::move(run_folder)),
      progress_(progress),
      rng_(config_.seed),
      lock_(locked(folder_)),
      log_(folder_) {}

Experiment::~Experiment() = default;

RunResults Experiment::run() {
  dream_shape_ = require_prompted_dream(config_);  // what is missing is said now, not after hours
  prepare();
  if (!is_prompted(config_)) {
    learn_experience_model();
  }
  if (wants("zero_shot")) {
    stage("zero_shot", [&](StageRecord&) {
      save_policy(config_.policy.model.empty() ? policy_of(domain_.model) : untrained_policy(),
                  model_path("zero_shot"));
    });
  }
  imitate("start", data_.demonstrations, config_.start_sft);
  if (wants("sft_all")) {
    imitate("sft_all", successes(data_.offline), config_.all_sft);
  }
  if (wants("dpo")) {
    prefer();
  }
  measure_experience_model();
  check_free_running();
  train_policies("", config_.dream, config_.s2r, config_.traditional);
  train_policies("_ppo", config_.dream_ppo, config_.s2r_ppo, config_.traditional_ppo);
  if (world_ != nullptr) {
    evaluate_random();
    for (const ArmTitle& arm : arm_titles()) {
      if (arm.name != "random" && std::filesystem::exists(model_path(arm.name))) {
        evaluate(arm.name);
      }
    }
  }
  return summarise();
}

// The same three stages for every algorithm; its name is the suffix of theirs.
void Experiment::train_policies(const std::string& suffix,
                                const PolicyTrainingConfig& in_dream,
                                const PolicyTrainingConfig& s2r,
                                const PolicyTrainingConfig& traditional) {
  if (wants("dream" + suffix) || wants("s2r" + suffix)) {
    train_in_dream("dream" + suffix, in_dream, config_.curriculum);
  }
  if (suffix.empty() && wants("dream_uniform")) {
    CurriculumConfig none = config_.curriculum;
    none.choice = TaskChoice::kUniform;
    none.generated_share = 0;
    train_in_dream("dream_uniform", in_dream, none);
  }
  if (world_ == nullptr) {
    return;
  }
  if (wants("s2r" + suffix)) {
    train_in_reality("s2r" + suffix, "dream" + suffix, s2r, s2r_budget());
  }
  if (suffix.empty() && wants("traditional_equal")) {
    // S2R's settings and budget, so that only the policy they start from differs.
    PolicyTrainingConfig alone = s2r;
    alone.dream_share = 0;
    train_in_reality("traditional_equal", "start", alone, s2r_budget());
  }
  if (wants("traditional" + suffix)) {
    train_in_reality("traditional" + suffix, "start", traditional, data_.offline_steps);
  }
}

bool Experiment::wants(const std::string& arm) const {
  return std::find(config_.arms.begin(), config_.arms.end(), arm) != config_.arms.end();
}

std::size_t Experiment::s2r_budget() const {
  return static_cast<std::size_t>(config_.s2r_budget_share *
                                  static_cast<double>(data_.offline_steps));
}

Path Experiment::model_path(const std::string& name) const { return folder_ / "models" / name; }

Path Experiment::checkpoint_path(const std::string& name) const {
  return folder_ / "checkpoints" / name;
}

std::unique_ptr<Dreamer> Experiment::dreamer(const ReplayBuffer& buffer, bool may_ask_reality) const {
  DreamerParts parts{config_, model_path("experience"), &buffer, config_.threads, auditor(), data_.experience(), {}, {}};
  if (world_ != nullptr && may_ask_reality) {
    parts.make_environment = [world = world_.get()] { return world->make_environment(); };
    parts.explain = explain_real();
  }
  return make_dreamer(parts);
}

std::shared_ptr<const EpisodeAuditor> Experiment::auditor() const {
  return world_ != nullptr ? world_->make_episode_auditor() : nullptr;
}

std::unique_ptr<Experiment::Actor> Experiment::actor(const std::string& policy) {
  auto actor = std::make_unique<Actor>(load_run_policy(model_path(policy)), config_);
  actor->policy.model.weights.arrays.clear();  // the engine has its own
  return actor;
}

PolicyModel Experiment::untrained_policy() const {
  if (!config_.policy.model.empty()) {
    return load_policy(config_.policy.model, chat_of(config_.policy));
  }
  return policy_of(config_.policies_from == "base" ? domain_.model
                                                   : load_run_model(model_path("experience")));
}

std::unique_ptr<EnvironmentBatch> Experiment::reality() const {
  return std::make_unique<SingleEnvironmentBatch>([world = world_.get()] { return world->make_environment(); },
                                                  environment_threads(config_));
}

void Experiment::stage(const std::string& name, const std::function<void(StageRecord&)>& work) {
  if (log_.done(name)) {
    return;
  }
  if (!CheckpointFolder::any_in(checkpoint_path(name))) {
    recorder_->restore(log_.recorder_state());  // forget what a killed attempt at this stage left
  }
  const auto start = std::chrono::steady_clock::now();
  peak_bytes_ = peak_bytes();
  restart_peak_resident_bytes();
  StageRecord record;
  recorder_->set_phase(name);
  work(record);
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  record.peak_bytes = peak_resident_bytes();
  log_.finish(name, std::move(record), recorder_->save());
}

std::size_t Experiment::peak_bytes() const { return std::max(peak_bytes_, peak_resident_bytes()); }

void Experiment::prepare() {
  world_ = experiment_world(config_);
  if (config_.experience.reward_by_rule && auditor() == nullptr) {
    throw Error(ErrorKind::kConfig,
                fmt::format("experience.reward_by_rule: the world '{}' has no rule that reads a success off an "
                            "episode's text",
                            config_.world),
                "leave it out: the model's trace is then held against itself");
  }
  if (const std::string program = begun_by(folder_);
      log_.done("prepare") && !program.empty() && program != program_version()) {
    progress_.note(fmt::format("begun by the program {}, goes on with {}: stages that are done keep what the other made",
                               program,
                               program_version()));
  }
  // What would else be missed only after the episodes are collected.
  (void)compute_type_named(config_.policy.compute);
  std::optional<ModelFiles> base;
  if (!config_.base.model.empty()) {
    base = load_model(find_model(config_.base.model));
  }
  if (world_ != nullptr) {
    for (const std::string& split : {config_.data.train_split, config_.data.eval_split}) {
      (void)world_->tasks(world_options(config_, split, 1));
    }
  }
  data_ = prepare_data(config_, world_.get(), folder_, rng_.fork("data"), progress_);
  mappers_ = experiment_mappers(world_.get(), data_.offline);
  if (!log_.done("prepare")) {
    for (const char* file : {"experience.sqlite", "experience.sqlite-wal", "experience.sqlite-shm",
                             "metrics.jsonl", "episodes.jsonl"}) {
      std::filesystem::remove(folder_ / file);  // of an attempt that was killed while preparing
    }
  }
  buffer_ = open_buffer(config_.replay, folder_ / "experience.sqlite");
  if (!buffer_->index_note().empty()) {
    progress_.note(buffer_->index_note());
  }
  if (log_.done("prepare") && buffer_->num_real() == 0) {
    if (const auto back = buffer_->add(data_.experience()); back.added > 0) {
      progress_.note(fmt::format("experience.sqlite was empty or gone: {} offline transitions are in it again; what "
                                 "was dreamed is lost",
                                 back.added));
    }
  }
  recorder_ = std::make_unique<RunRecorder>(folder_, buffer_.get(), config_.episodes_kept);
  if (!log_.done("prepare")) {
    buffer_->add(data_.experience());
    write_run_description(folder_, config_);
    StageRecord record;
    record.measures["offline_steps"] = static_cast<double>(data_.offline_steps);
    std::size_t experience_steps = 0;
    for (const Trajectory& story : data_.experience()) {
      experience_steps += story.steps.size();
    }
    record.measures["experience_steps"] = static_cast<double>(experience_steps);
    log_.finish("prepare", std::move(record), recorder_->save());
  }
  if (!base) {
    base = fresh_model(data_.offline, config_.base.preset, rng_.fork("weights").next());
  }
  domain_ = adapt_vocabulary(*base, data_.offline, vocabulary_plan(config_.base), rng_.fork("vocabulary"));
  progress_.note(fmt::format(
      "{} offline episodes ({} real steps), {} training tasks, {} evaluation tasks; "
      "{} names, {} of them spelled out; {} parameters",
      data_.offline.size(),
      data_.offline_steps,
      data_.training_tasks.size(),
      data_.panel.size(),
      domain_.names.size(),
      domain_.names_left_out,
      num_parameters(domain_.model.weights.config)));
  std::optional<TransformerConfig> policy;
  if (!config_.policy.model.empty()) {
    policy = load_policy(config_.policy.model, chat_of(config_.policy)).model.weights.config;
    progress_.note(fmt::format("the policies are {}, {} parameters, {}",
                               config_.policy.model,
                               num_parameters(*policy),
                               config_.policy.lora_rank > 0
                                   ? fmt::format("LoRA of rank {}", config_.policy.lora_rank)
                                   : "all trained"));
  }
  const MemoryPlan memory = plan_memory(config_,
                                        domain_.model.weights.config,
                                        data_.offline_steps,
                                        policy ? &*policy : nullptr,
                                        dream_shape_ ? &*dream_shape_ : nullptr);
  progress_.note(fmt::format("predicted peak memory {}", bytes_text(memory.total_bytes())));
}

void Experiment::learn_experience_model() {
  stage("experience", [&](StageRecord& record) {
    TrainableModel model(domain_.model.weights, config_.threads);
    const TeachingPlan plan = epoch_plan(experience_lessons(config_,
                                                            domain_.model.tokenizer,
                                                            data_.experience(),
                                                            data_.training_tasks,
                                                            *buffer_,
                                                            rng_),
                                         config_.experience_sft,
                                         rng_.fork("experience order"),
                                         domain_.content_names);
    const SftReport report = train_sft(
        model,
        plan,
        config_.experience_sft,
        {"experience", recorder_.get(), &progress_, recorder_.get(), checkpoint_path("experience")});
    record.tokens = report.tokens;
    save_model({model.weights("experience"), domain_.model.tokenizer}, model_path("experience"));
  });
}

void Experiment::imitate(const std::string& name,
                         const std::vector<Trajectory>& demonstrations,
                         const SftConfig& config) {
  stage(name, [&](StageRecord& record) {
    record.tokens = dreamgym::imitate(untrained_policy(),
                                      demonstrations,
                                      config_,
                                      config,
                                      domain_.content_names,
                                      rng_,
                                      {name, recorder_.get(), &progress_, recorder_.get(), checkpoint_path(name)},
                                      model_path(name))
                        .tokens;
  });
}

PanelResult Experiment::play_panel(Actor& actor,
                                   EnvironmentBatch& environment,
                                   std::span<const Task> tasks,
                                   const std::string& stream,
                                   const std::string& simulator) {
  TokenAgent agent(actor.engine,
                   actor.policy.prompt,
                   {.temperature = config_.evaluation.temperature,
                    .history_steps = config_.agent.history_steps});
  PanelOptions options;
  options.max_steps = config_.max_steps;
  options.num_threads = config_.threads;
  options.provenance = simulator.empty() ? Provenance::kReal : Provenance::kDreamed;
  options.simulator_version = simulator;
  return evaluate_agent(agent, environment, mappers_.get(), tasks, rng_.fork(stream), options);
}

void Experiment::measure_experience_model() {
  stage("fidelity", [&](StageRecord& record) {
    if (data_.held_out.empty()) {
      progress_.note("no logged episode was kept apart: how often the dream is right is not measured "
                     "(more logs, or a larger data.held_out_share)");
    }
    const auto dreamed_by = dreamer(*buffer_);
    const std::size_t count =
        std::min(config_.evaluation.fidelity_episodes, data_.held_out.size());
    const ExperienceFidelity fidelity = dreamed_by->fidelity(
        std::span<const Trajectory>(data_.held_out).first(count), mappers_.get());
    record.measures = fidelity_measures(fidelity);
    for (const auto& [name, value] : dreamed_by->progress()) {
      record.measures["dream_" + name] = value;  // of a dream that asks others: what the measurement cost
    }
    for (std::size_t i = 0; i < fidelity.misses.size(); ++i) {
      record.note += (i == 0 ? "" : "\n") + fidelity.misses[i];
    }
  });
}

void Experiment::check_free_running() {
  stage("check", [&](StageRecord& record) {
    const auto dreamed_by = dreamer(*buffer_);
    StepwiseDream& dream = dreamed_by->dream();
    const auto start = actor("start");
    std::vector<Task> tasks = data_.training_tasks;
    Rng stream = rng_.fork("check tasks");
    stream.shuffle(tasks);
    tasks.resize(std::min(tasks.size(), config_.check.tasks));
    const auto auditor = this->auditor();
    const PanelResult dreamed = play_panel(*start, dream, tasks, "check", dreamed_by->version());
    std::optional<PanelResult> real;
    if (world_ != nullptr) {
      const auto environment = reality();
      real = play_panel(*start, *environment, tasks, "check", "");
      const DreamToReal replayed = replay_in_reality(*environment, dreamed.episodes);
      record.measures["replay_real_successes"] = static_cast<double>(replayed.real_successes);
      record.measures["replay_dreamed_successes"] = static_cast<double>(replayed.dreamed_successes);
      record.measures["replay_confirmed"] = static_cast<double>(replayed.confirmed_successes);
      record.measures["replay_same_observation"] =
          static_cast<double>(replayed.same_observation) /
          static_cast<double>(std::max<std::size_t>(1, replayed.steps));
      record.real_steps = real->environment_steps;
    }
    recorder_->keep_episodes(dreamed.episodes, kEvaluationEpisodesKept, "check");
    const auto lucky = std::span<const Episode>(dreamed.episodes)
                           .first(std::min(dreamed.episodes.size(), kLuckEpisodes));
    const EnvironmentLuck luck = measure_environment_luck(
        dream, lucky, config_.evaluation.luck_replays, rng_.fork("luck"));
    const FreeRunningCheck check =
        free_running_check(dreamed,
                           {.real = real ? &*real : nullptr,
                            .auditor = auditor.get(),
                            .logged_success = success_of(data_.offline)},
                           config_.check.max_gap);
    record.dreamed_steps = dreamed.environment_steps;
    record.real_steps += dreamed_by->real_steps();
    record.measures["luck_return_deviation"] = luck.return_deviation;
    record.measures["luck_flipped_share"] = luck.flipped_share;
    for (const auto& [name, value] : dreamed_by->measures()) {
      record.measures["dream_" + name] = value;
    }
    record.measures["passed"] = check.passed ? 1 : 0;
    record.measures["num_tasks"] = static_cast<double>(check.num_tasks);
    const auto keep = [&](const std::string& name, const Estimate& estimate) {
      record.measures[name] = estimate.value;
      record.measures[name + "_low"] = estimate.low;
      record.measures[name + "_high"] = estimate.high;
    };
    keep("dreamed_success", check.dreamed_success);
    if (check.real_success) {
      keep("real_success", *check.real_success);
      keep("gap", *check.gap);
    }
    keep("logged_success", *check.logged_success);
    keep("above_logs", *check.above_logs);
    if (check.confirmed_share) {
      record.measures["confirmed_share"] = *check.confirmed_share;
    }
    if (check.second_looks_agree) {
      record.measures["second_looks_agree"] = *check.second_looks_agree;
    }
    if (check.contradictions_per_episode) {
      record.measures["contradictions_per_episode"] = *check.contradictions_per_episode;
    }
    record.note = check.verdict;
    progress_.note("free-running check: " + check.verdict);
    for (const std::string& alarm : check.alarms) {
      record.note += "\n" + alarm;
      progress_.note("alarm: " + alarm);
    }
    if (!check.passed && !config_.check.force) {
      throw Error(ErrorKind::kDiverged, "the free-running check failed: " + check.verdict);
    }
  });
}

TaskRevision Experiment::task_revision() const {
  const std::shared_ptr<TaskReviser> reviser =
      world_ != nullptr ? world_->make_task_reviser() : nullptr;
  if (!reviser) {
    return grammar_revision(TaskGrammar(data_.training_tasks, domain_.names, data_.experience()));
  }
  return [reviser](const Task& seed, const std::string& instruction) {
    return reviser->revise(seed, instruction);
  };
}

void Experiment::evaluate(const std::string& arm) {
  stage("evaluate_" + arm, [&](StageRecord& record) {
    const auto player = actor(arm);
    const auto environment = reality();
    // The same stream for every arm: the same tasks and the same luck.
    const PanelResult result = play_panel(*player, *environment, data_.panel, "panel", "");
    recorder_->keep_episodes(result.episodes, kEvaluationEpisodesKept, "evaluate_" + arm);
    record.outcomes = result.outcomes();
    record.measures["mean_return"] = result.mean_return;
    for (const auto& [type, estimate] : result.by_type) {
      record.measures[type] = estimate.value;
      record.measures[type + "_low"] = estimate.low;
      record.measures[type + "_high"] = estimate.high;
    }
    progress_.note(fmt::format("{}: {:.1f}% of {} held-out tasks",
                               arm,
                               100 * result.success.value,
                               result.episodes.size()));
  });
}

void Experiment::evaluate_random() {
  if (!wants("random")) {
    return;
  }
  stage("evaluate_random", [&](StageRecord& record) {
    const auto policy = world_->make_policy(PolicyKind::kRandom, 0.0);
    const auto environment = world_->make_environment();
    PanelOptions options;
    options.max_steps = config_.max_steps;
    const PanelResult result =
        evaluate_scripted(*policy, *environment, data_.panel, rng_.fork("panel"), options);
    record.outcomes = result.outcomes();
    record.measures["mean_return"] = result.mean_return;
  });
}

}  // namespace dreamgym

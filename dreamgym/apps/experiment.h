// The whole loop of a run, stage by stage, each resumable: data, experience model, start policy,
// free-running check, the arms of the comparison, evaluation, report.
//
// Every arm has the same model, start and evaluation; they differ in where they train.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dreamgym/apps/domain_vocabulary.h"
#include "dreamgym/apps/dreamer.h"
#include "dreamgym/apps/experiment_data.h"
#include "dreamgym/apps/policy_model.h"
#include "dreamgym/apps/run_recorder.h"
#include "dreamgym/apps/stage_log.h"
#include "dreamgym/apps/task_provenance.h"
#include "dreamgym/config/experiment_config.h"
#include "dreamgym/curriculum/task_generator.h"
#include "dreamgym/eval/performance_bound.h"
#include "dreamgym/eval/policy_panel.h"
#include "dreamgym/report/results.h"
#include "dreamgym/train/policy_trainer.h"

namespace dreamgym {

class Experiment {
 public:
  /// @param run_folder  created if needed; must not be in use by another process.
  Experiment(ExperimentConfig config, Path run_folder, ProgressSink& progress);
  ~Experiment();

  /// Runs what is not done yet and returns the results (also in results.json).
  /// @throws Error kDiverged if the free-running check fails and is not overruled.
  RunResults run();
  /// Largest resident memory of the process since the experiment began.
  [[nodiscard]] std::size_t peak_bytes() const;

 private:
  struct Actor;           // a model ready to act
  struct Learner;         // a policy ready to act and learn
  struct PolicyTraining;  // what distinguishes one stage of it from another

  void prepare();
  void learn_experience_model();
  void imitate(const std::string& stage,
               const std::vector<Trajectory>& demonstrations,
               const SftConfig& config);
  void measure_experience_model();
  void check_free_running();
  void prefer();
  void train_policies(const std::string& suffix,
                      const PolicyTrainingConfig& in_dream,
                      const PolicyTrainingConfig& s2r,
                      const PolicyTrainingConfig& traditional);
  void train_in_dream(const std::string& stage,
                      const PolicyTrainingConfig& config,
                      const CurriculumConfig& choice);
  void train_in_reality(const std::string& stage,
                        const std::string& from,
                        const PolicyTrainingConfig& config,
                        std::size_t step_budget);
  PolicyReport train_policy(const PolicyTraining& training);
  void evaluate(const std::string& arm);
  void evaluate_random();
  RunResults summarise();
  void add_alarms(const std::string& stage, RunResults& results) const;

  [[nodiscard]] bool wants(const std::string& arm) const;
  [[nodiscard]] std::size_t s2r_budget() const;
  [[nodiscard]] Path model_path(const std::string& name) const;
  [[nodiscard]] Path checkpoint_path(const std::string& stage) const;
  /// Rule check of the world's episodes; null if it has none.
  [[nodiscard]] std::shared_ptr<const EpisodeAuditor> auditor() const;
  /// Who dreams, with a buffer to retrieve from. @param may_ask_reality  where it is unsure and the options say so.
  [[nodiscard]] std::unique_ptr<Dreamer> dreamer(const ReplayBuffer& buffer, bool may_ask_reality = true) const;
  /// Traces of a real episode: by the world's explainer, or from the text alone where it can't read it.
  [[nodiscard]] std::function<void(Trajectory&)> explain_real() const;
  /// Holds a generated task against the world, or against the tasks one has.
  [[nodiscard]] TaskRevision task_revision() const;
  /// Whether a generated task can be done, by the engine; empty where there is none that can tell.
  [[nodiscard]] SolvabilityAudit solvability_audit() const;
  /// Tree and audit of a stage's generated tasks, into the run folder.
  void keep_provenance(const std::string& stage, const TaskCurriculum& curriculum, StageRecord& record);
  std::unique_ptr<Actor> actor(const std::string& policy);
  /// What every policy is before it has seen an action.
  [[nodiscard]] PolicyModel untrained_policy() const;
  std::unique_ptr<EnvironmentBatch> reality() const;
  /// Reality for training: answers in time, failures reported instead of thrown.
  std::unique_ptr<EnvironmentBatch> training_ground() const;
  [[nodiscard]] Playground dreamed_place(Dreamer& dreamer) const;
  /// Of Theorem 1: the measured errors of the dream; nothing if it is not to be evaluated.
  [[nodiscard]] std::optional<BoundInputs> theory_inputs() const;
  std::unique_ptr<TrainableModel> critic_of(const std::string& model) const;
  std::unique_ptr<ReplayBuffer> own_buffer(const std::string& dream) const;
  /// Runs `work` if the stage is not done, times it and marks it as done.
  void stage(const std::string& name, const std::function<void(StageRecord&)>& work);
  PanelResult play_panel(Actor& actor,
                         EnvironmentBatch& environment,
                         std::span<const Task> tasks,
                         const std::string& stream,
                         const std::string& simulator);

  ExperimentConfig config_;
  Path folder_;
  ProgressSink& progress_;
  Rng rng_;
  FolderLock lock_;
  StageLog log_;
  std::unique_ptr<World> world_;
  std::unique_ptr<ActionMapperFactory> mappers_;
  ExperimentData data_;
  DomainModel domain_;
  std::optional<TransformerConfig> dream_shape_;  // of a pretrained model that dreams
  std::unique_ptr<ReplayBuffer> buffer_;
  std::unique_ptr<RunRecorder> recorder_;
  RunResults results_;
  std::size_t peak_bytes_ = 0;  // before the present stage
};

}  // namespace dreamgym

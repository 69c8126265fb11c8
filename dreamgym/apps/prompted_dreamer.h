// Dreamers that are asked in prompts: a server (experience.endpoint), or a pretrained chat model that runs here
// (experience.model). The same dream, the same task generator; they differ in who answers.
//
// Thread safety: as Dreamer.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "dreamgym/apps/dreamer.h"
#include "dreamgym/curriculum/prompted_task_generator.h"
#include "dreamgym/experience/prompted_experience.h"
#include "dreamgym/llm/chat_model.h"
#include "dreamgym/llm/checkpoint/transformer_config.h"

namespace dreamgym {

/// A chat model with what it counts.
class ChatSource {
 public:
  virtual ~ChatSource() = default;
  virtual ChatModel& chat() = 0;
  [[nodiscard]] virtual std::map<std::string, double> counters() const = 0;
  /// Whether iterations of training should show the counters: not where a resumed run, whose caches are cold, would
  /// count other numbers for the same iteration.
  [[nodiscard]] virtual bool shown_while_training() const = 0;
  /// Computing answers took so long; nothing where waiting and computing can't be told apart.
  [[nodiscard]] virtual std::optional<double> seconds() const = 0;
};

class PromptedDreamer final : public Dreamer {
 public:
  PromptedDreamer(std::unique_ptr<ChatSource> source,
                  const ReplayBuffer* buffer,
                  PromptedOptions options,
                  PromptedTaskOptions task_options);

  StepwiseDream& dream() override { return dream_; }
  [[nodiscard]] std::string version() const override { return source_->chat().version(); }
  ExperienceFidelity fidelity(std::span<const Trajectory> held_out, const ActionMapperFactory* mappers) override;
  TaskVariation variation(TaskRevision revise) override;
  [[nodiscard]] std::map<std::string, double> measures() const override;
  [[nodiscard]] std::map<std::string, double> progress() const override;
  [[nodiscard]] std::optional<EnvironmentTimes> times() const override;

 private:
  std::unique_ptr<ChatSource> source_;
  PromptedTaskOptions task_options_;
  PromptedExperience dream_;
  std::optional<PromptedTaskGenerator> generator_;
};

/// The server of experience.endpoint, whoever else dreams.
std::unique_ptr<PromptedDreamer> make_endpoint_dreamer(const DreamerParts& parts);
/// The model of experience.model.
/// @throws Error as require_prompted_dream().
std::unique_ptr<PromptedDreamer> make_model_dreamer(const DreamerParts& parts);

/// Reads what is needed to know that the prompted dream of a run can be asked: its description, and of a model its
/// shape, tokenizer and chat format. Returns the model's shape, nothing where none is configured.
/// @throws Error as read_description(); of a model kConfig or its reader's kind naming experience.model.
std::optional<TransformerConfig> require_prompted_dream(const ExperimentConfig& config);

}  // namespace dreamgym

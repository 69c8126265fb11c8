#include "dreamgym/apps/dreamer.h"

#include <optional>

#include <fmt/format.h>

#include "dreamgym/apps/prompted_dreamer.h"
#include "dreamgym/apps/run_files.h"
#include "dreamgym/apps/timed_model.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/number.h"
#include "dreamgym/base/text.h"
#include "dreamgym/experience/experience_model.h"
#include "dreamgym/experience/training_data.h"
#include "dreamgym/nn/generation_engine.h"

namespace dreamgym {
namespace {

ExperienceOptions dream_options(const DreamerParts& parts, const std::shared_ptr<const BpeTokenizer>& tokenizer) {
  ExperienceOptions options = parts.config.experience;
  options.num_threads = parts.threads;
  if (options.max_history_tokens >= kWholeHistory && !parts.taught.empty()) {
    const ExperiencePrompt prompt(tokenizer, options.max_demonstration_tokens);
    options.max_history_tokens = usual_history(prompt, parts.taught, parts.config.experience_data);
  }
  return options;
}

class TrainedDreamer final : public Dreamer {
 public:
  explicit TrainedDreamer(const DreamerParts& parts)
      : files_(load_run_model(parts.model)),
        engine_(files_.weights,
                files_.tokenizer,
                {.num_threads = parts.threads,
                 .cache_budget_bytes = parts.config.cache_megabytes << 20U,
                 .weights = parts.config.dream_model.weights,
                 .cache = parts.config.dream_model.cache}),
        timed_(engine_),
        options_(dream_options(parts, files_.tokenizer)),
        buffer_(parts.buffer),
        rule_(parts.rule),
        task_options_(parts.config.task_generator),
        dream_(timed_, files_.tokenizer, buffer_, options_, rule_) {}

  StepwiseDream& dream() override { return dream_; }
  [[nodiscard]] std::string version() const override { return "experience"; }

  ExperienceFidelity fidelity(std::span<const Trajectory> held_out, const ActionMapperFactory* mappers) override {
    return measure_fidelity(engine_, files_.tokenizer, buffer_, options_, held_out, mappers, rule_.get());
  }

  TaskVariation variation(TaskRevision revise) override {
    generator_.emplace(engine_, files_.tokenizer, std::move(revise), task_options_);
    return [this](std::span<const Task> seeds, const Rng& rng) { return generator_->vary(seeds, rng); };
  }

  [[nodiscard]] std::map<std::string, double> measures() const override {
    const DreamCounters& counted = dream_.counters();
    return {{"refused_successes", static_cast<double>(counted.refused_successes)},
            {"overruled", static_cast<double>(counted.overruled)},
            {"unparsable", static_cast<double>(counted.unparsable)},
            {"held", static_cast<double>(counted.held)},
            {"resampled", static_cast<double>(counted.resampled)},
            {"kept_contradictions", static_cast<double>(counted.contradictions)},
            {"retrieval_seconds", counted.retrieval_seconds}};
  }
  [[nodiscard]] std::optional<EnvironmentTimes> times() const override {
    return EnvironmentTimes{timed_.seconds(), dream_.counters().retrieval_seconds};
  }

 private:
  ModelFiles files_;
  GenerationEngine engine_;
  TimedModel timed_;
  ExperienceOptions options_;
  const ReplayBuffer* buffer_;
  std::shared_ptr<const EpisodeAuditor> rule_;
  TaskGeneratorOptions task_options_;
  ExperienceModel dream_;
  std::optional<TaskGenerator> generator_;
};

// A dreamer with someone to ask: an endpoint or reality.
class UnsureDreamer final : public Dreamer {
 public:
  UnsureDreamer(const DreamerParts& parts, std::unique_ptr<Dreamer> first) : first_(std::move(first)) {
    const DreamFallbackConfig& fallback = parts.config.dream_fallback;
    FallbackOptions options = fallback.options;
    if (fallback.ask == FallbackTo::kReality) {
      witness_.emplace(parts.make_environment, parts.explain, fallback.budget);
      dream_.emplace(first_->dream(), *witness_, "reality", options);
    } else {
      second_ = make_endpoint_dreamer(parts);
      options.budget = fallback.budget;
      dream_.emplace(first_->dream(), second_->dream(), second_->version(), options);
    }
  }

  StepwiseDream& dream() override { return *dream_; }
  [[nodiscard]] std::string version() const override { return first_->version(); }
  ExperienceFidelity fidelity(std::span<const Trajectory> held_out, const ActionMapperFactory* mappers) override {
    return first_->fidelity(held_out, mappers);
  }
  TaskVariation variation(TaskRevision revise) override { return first_->variation(std::move(revise)); }

  [[nodiscard]] std::map<std::string, double> measures() const override {
    std::map<std::string, double> out = first_->measures();
    out.merge(fallback_measures());
    return out;
  }
  [[nodiscard]] std::map<std::string, double> progress() const override {
    std::map<std::string, double> out = first_->progress();
    out.merge(fallback_measures());
    return out;
  }
  [[nodiscard]] std::optional<EnvironmentTimes> times() const override { return first_->times(); }
  [[nodiscard]] std::uint64_t real_steps() const override { return witness_ ? witness_->real_steps() : 0; }

  [[nodiscard]] std::string save() const override {
    return fmt::format("{} {}", dream_->counters().asked, real_steps());
  }
  void restore(const std::string& state) override {
    const auto fields = words(state);
    const auto asked = fields.size() == 2 ? parse_unsigned(fields[0]) : std::nullopt;
    const auto steps = fields.size() == 2 ? parse_unsigned(fields[1]) : std::nullopt;
    if (!asked || !steps) {
      throw Error(ErrorKind::kCorrupt,
                  "the state of the dream's fallback is damaged: " + shorten(state, 60),
                  "resume from the checkpoint before");
    }
    dream_->set_asked(*asked);
    if (witness_) {
      witness_->set_real_steps(*steps);
    }
  }

 private:
  [[nodiscard]] std::map<std::string, double> fallback_measures() const {
    std::map<std::string, double> out;
    const FallbackCounters& counted = dream_->counters();
    out["unsure_steps"] = static_cast<double>(counted.unsure);
    out["fallback_asked"] = static_cast<double>(counted.asked);
    out["fallback_unanswered"] = static_cast<double>(counted.unanswered);
    out["fallback_overruled"] = static_cast<double>(counted.overruled);
    out["fallback_changed"] = static_cast<double>(counted.changed);
    if (witness_) {
      out["fallback_real_steps"] = static_cast<double>(witness_->real_steps());
    }
    if (second_) {
      for (const auto& [name, value] : second_->measures()) {
        out["fallback_" + name] = value;
      }
    }
    return out;
  }

  std::unique_ptr<Dreamer> first_;
  std::optional<RealityWitness> witness_;
  std::unique_ptr<Dreamer> second_;
  std::optional<FallbackDream> dream_;
};

}  // namespace

std::unique_ptr<Dreamer> make_dreamer(const DreamerParts& parts) {
  std::unique_ptr<Dreamer> dreamer;
  switch (dream_source(parts.config)) {
    case DreamSource::kTrained:
      dreamer = std::make_unique<TrainedDreamer>(parts);
      break;
    case DreamSource::kModel:
      dreamer = make_model_dreamer(parts);
      break;
    case DreamSource::kEndpoint:
      dreamer = make_endpoint_dreamer(parts);
      break;
  }
  const FallbackTo ask = parts.config.dream_fallback.ask;
  if (ask == FallbackTo::kEndpoint || (ask == FallbackTo::kReality && parts.make_environment)) {
    dreamer = std::make_unique<UnsureDreamer>(parts, std::move(dreamer));
  }
  return dreamer;
}

}  // namespace dreamgym

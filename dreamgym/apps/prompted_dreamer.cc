#include "dreamgym/apps/prompted_dreamer.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "dreamgym/apps/adapted_weights.h"
#include "dreamgym/apps/timed_model.h"
#include "dreamgym/base/error.h"
#include "dreamgym/eval/stepwise_fidelity.h"
#include "dreamgym/llm/endpoint/endpoint_chat.h"
#include "dreamgym/llm/local_chat.h"
#include "dreamgym/llm/pretrained_model.h"
#include "dreamgym/nn/generation_engine.h"

namespace dreamgym {
namespace {

constexpr const char* kEndpointSection = "experience.endpoint";
constexpr const char* kModelSection = "experience.model";

class EndpointSource final : public ChatSource {
 public:
  explicit EndpointSource(const DreamEndpointConfig& config)
      : chat_(std::make_shared<EndpointFleet>(config.server),
              structured_output_named(config.structured),
              config.logprobs) {}

  ChatModel& chat() override { return chat_; }
  [[nodiscard]] std::map<std::string, double> counters() const override {
    const EndpointCounters wire = chat_.counters();
    return {{"endpoint_attempts", static_cast<double>(wire.attempts)},
            {"endpoint_faults", static_cast<double>(wire.faults())}};
  }
  [[nodiscard]] bool shown_while_training() const override { return true; }
  [[nodiscard]] std::optional<double> seconds() const override { return std::nullopt; }

 private:
  EndpointChat chat_;
};

// Says which part of the configuration an error of the model's files is about.
template <class Read>
auto reading_model(const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(error.kind(),
                fmt::format("{}.path: {}", kModelSection, error.what()),
                "name a pretrained chat model: a .gguf file, or a folder with config.json, model.safetensors, "
                "tokenizer.json and a chat template");
  }
}

ModelLanguage language_of(const DreamModelConfig& config) {
  if (!std::filesystem::exists(config.path)) {
    throw Error(ErrorKind::kNotFound, fmt::format("there is no file or folder {}", config.path));
  }
  if (std::filesystem::is_directory(config.path) && !has_tokenizer(config.path)) {
    throw Error(ErrorKind::kNotFound, config.path + ": has no tokenizer.json");
  }
  ModelLanguage language = load_model_language(config.path);
  if (!language.pretrained) {
    throw Error(ErrorKind::kUnsupported, config.path + ": is one of our own models, which has no chat format");
  }
  (void)chat_template_of(language, config.chat_template, config.path);
  return language;
}

// Named as a person would: the folder, or folder and file.
AdaptedWeights weights_of(const DreamModelConfig& config) {
  const Path path(config.path);
  TransformerWeights weights = load_model_weights(path);
  const bool is_file = !std::filesystem::is_directory(path);
  weights.version = is_file && path.has_parent_path() ? path.parent_path().filename() / path.filename() : path.filename();
  return separate_adapter(std::move(weights), path);
}

class ModelSource final : public ChatSource {
 public:
  ModelSource(const DreamModelConfig& config, const EngineConfig& engine)
      : language_(reading_model([&] { return language_of(config); })),
        model_(reading_model([&] { return weights_of(config); })),
        engine_(model_.weights, language_.tokenizer, engine),
        timed_(engine_),
        chat_(timed_, language_, chat_template_of(language_, config.chat_template, config.path)) {
    give_adapter(model_.adapter, engine_);
    model_ = {};  // the engine has its own
  }

  ChatModel& chat() override { return chat_; }
  [[nodiscard]] std::map<std::string, double> counters() const override {
    const EngineCounters counted = engine_.counters();
    return {{"ended_answers", static_cast<double>(chat_.num_brought_to_end())},
            {"read_tokens", static_cast<double>(counted.prefill_tokens)},
            {"reused_tokens", static_cast<double>(counted.reused_tokens)},
            {"model_seconds", timed_.seconds()}};
  }
  [[nodiscard]] bool shown_while_training() const override { return false; }
  [[nodiscard]] std::optional<double> seconds() const override { return timed_.seconds(); }

 private:
  ModelLanguage language_;
  AdaptedWeights model_;
  GenerationEngine engine_;
  TimedModel timed_;
  LocalChat chat_;
};

// The options of the sections experience and of the one who is asked together.
PromptedOptions prompted_options(const ExperienceOptions& experience, PromptedOptions own, std::string domain) {
  own.domain = std::move(domain);
  own.num_demonstrations = experience.num_demonstrations;
  own.num_recollections = experience.num_recollections;
  own.retrieval = experience.retrieval;
  own.reasoning = experience.reasoning;
  own.verify_success = experience.verify_success;
  own.consistency_attempts = experience.consistency_attempts;
  own.history_steps = experience.history_steps;
  return own;
}

PromptedTaskOptions task_options(const TaskGeneratorOptions& generator, std::string domain) {
  return {.domain = std::move(domain), .candidates = generator.candidates, .temperature = generator.temperature};
}

}  // namespace

PromptedDreamer::PromptedDreamer(std::unique_ptr<ChatSource> source,
                                 const ReplayBuffer* buffer,
                                 PromptedOptions options,
                                 PromptedTaskOptions task_options)
    : source_(std::move(source)),
      task_options_(std::move(task_options)),
      dream_(source_->chat(), buffer, std::move(options)) {}

ExperienceFidelity PromptedDreamer::fidelity(std::span<const Trajectory> held_out,
                                             const ActionMapperFactory* mappers) {
  return measure_stepwise_fidelity(dream_, held_out, mappers).fidelity;
}

TaskVariation PromptedDreamer::variation(TaskRevision revise) {
  generator_.emplace(source_->chat(), std::move(revise), task_options_);
  return [this](std::span<const Task> seeds, const Rng& rng) { return generator_->vary(seeds, rng); };
}

std::map<std::string, double> PromptedDreamer::progress() const {
  const PromptedCounters& counted = dream_.counters();
  std::map<std::string, double> out = {
      {"refused_successes", static_cast<double>(counted.refused_successes)},
      {"resampled", static_cast<double>(counted.asked_again)},
      {"kept_contradictions", static_cast<double>(counted.contradictions)},
      {"unanswered_steps", static_cast<double>(counted.infrastructure_errors)},
      {"repaired_answers", static_cast<double>(counted.replies.repaired)},
      {"rejected_answers", static_cast<double>(counted.replies.rejected)},
      {"prompt_tokens", static_cast<double>(counted.replies.prompt_tokens)},
      {"completion_tokens", static_cast<double>(counted.replies.completion_tokens)}};
  if (generator_) {
    const PromptedTaskCounts& tasks = generator_->counts();
    out["proposed_tasks"] = static_cast<double>(tasks.candidates.proposed);
    out["infeasible_tasks"] = static_cast<double>(tasks.candidates.malformed);
    out["task_prompt_tokens"] = static_cast<double>(tasks.replies.prompt_tokens);
    out["task_completion_tokens"] = static_cast<double>(tasks.replies.completion_tokens);
  }
  if (source_->shown_while_training()) {
    out.merge(source_->counters());
  }
  return out;
}

std::map<std::string, double> PromptedDreamer::measures() const {
  std::map<std::string, double> out = progress();
  out.merge(source_->counters());
  out["asked_steps"] = static_cast<double>(dream_.counters().steps);
  return out;
}

std::optional<EnvironmentTimes> PromptedDreamer::times() const {
  const auto seconds = source_->seconds();
  return seconds ? std::optional(EnvironmentTimes{*seconds, dream_.counters().retrieval_seconds}) : std::nullopt;
}

std::unique_ptr<PromptedDreamer> make_endpoint_dreamer(const DreamerParts& parts) {
  const ExperimentConfig& config = parts.config;
  const std::string domain = read_description(kEndpointSection, config.dream_endpoint.description);
  return std::make_unique<PromptedDreamer>(std::make_unique<EndpointSource>(config.dream_endpoint),
                                           parts.buffer,
                                           prompted_options(config.experience, config.dream_endpoint.prompt, domain),
                                           task_options(config.task_generator, domain));
}

std::unique_ptr<PromptedDreamer> make_model_dreamer(const DreamerParts& parts) {
  const ExperimentConfig& config = parts.config;
  const DreamModelConfig& model = config.dream_model;
  const std::string domain = read_description(kModelSection, model.description);
  PromptedTaskOptions tasks = task_options(config.task_generator, domain);
  tasks.max_reply_tokens = model.prompt.max_reply_tokens;
  return std::make_unique<PromptedDreamer>(
      std::make_unique<ModelSource>(model,
                                    EngineConfig{.num_threads = parts.threads,
                                                 .cache_budget_bytes = config.cache_megabytes << 20U,
                                                 .weights = model.weights,
                                                 .cache = model.cache}),
      parts.buffer,
      prompted_options(config.experience, model.prompt, domain),
      std::move(tasks));
}

std::optional<TransformerConfig> require_prompted_dream(const ExperimentConfig& config) {
  (void)read_description(kEndpointSection, config.dream_endpoint.description);
  const DreamModelConfig& model = config.dream_model;
  if (model.path.empty()) {
    return std::nullopt;
  }
  (void)read_description(kModelSection, model.description);
  return reading_model([&] {
    (void)language_of(model);
    return load_model_config(model.path);
  });
}

}  // namespace dreamgym

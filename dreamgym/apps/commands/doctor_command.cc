#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dreamgym/agent/chat_agent_prompt.h"
#include "dreamgym/apps/abilities.h"
#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/apps/memory_plan.h"
#include "dreamgym/apps/model_folder.h"
#include "dreamgym/apps/prompted_dreamer.h"
#include "dreamgym/apps/run_description.h"
#include "dreamgym/base/error.h"
#include "dreamgym/nn/generation_engine.h"
#include "dreamgym/nn/trainable_model.h"

namespace dreamgym {
namespace {

void plan(const std::string& config_path, const std::vector<std::string>& assignments) {
  const ExperimentConfig config = load_experiment(config_path, assignments);
  const TransformerConfig shape = config.base.model.empty()
                                      ? transformer_preset(config.base.preset)
                                      : load_model_config(config.base.model);
  std::optional<TransformerConfig> policy;
  if (!config.policy.model.empty()) {
    policy = load_model_config(config.policy.model);
  }
  const auto dreamer = require_prompted_dream(config);
  const std::size_t offline = config.data.collect_episodes * config.max_steps / 2;
  const MemoryPlan memory = plan_memory(config, shape, offline, policy ? &*policy : nullptr, dreamer ? &*dreamer : nullptr);
  for (const auto& [name, bytes] : memory.parts) {
    fmt::print("{:<26} {:>10}\n", name, bytes_text(bytes));
  }
  fmt::print("{:<26} {:>10}\n", "peak", bytes_text(memory.total_bytes()));
}

// Sampled log-probabilities recomputed by the trainer must agree.
double worst_disagreement(const PretrainedModel& model) {
  GenerationEngine engine(model.weights, model.language.tokenizer, {});
  GenerationRequest request;
  request.context = model.language.tokenizer->encode("You are in the middle of a room.");
  request.max_tokens = 48;
  request.seed = 7;
  const auto reply = engine.generate(std::span(&request, 1)).front();
  std::vector<TokenId> whole = request.context;
  whole.insert(whole.end(), reply.tokens.begin(), reply.tokens.end());
  PackedBatch batch;
  const std::uint32_t segment = batch.add_segment(whole);
  for (std::size_t i = request.context.size(); i < whole.size(); ++i) {
    (void)batch.add_query(segment, static_cast<std::uint32_t>(i));
  }
  const TrainableModel trainer(model.weights, 1);
  const auto scores = trainer.score(std::span(&batch, 1)).front();
  double worst = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    worst = std::max(worst, static_cast<double>(std::abs(scores[i].logprob - reply.logprobs[i])));
  }
  return worst;
}

// Whether an episode in the model's chat format is one sequence of tokens, and still is if the model thinks.
void examine_chat(const ModelLanguage& language, const std::string& folder) {
  const ChatTemplate format = chat_template_of(language, "", folder);
  (void)ChatAgentPrompt(language.pretrained, format, kAgentRules);
  fmt::print("chat format {}: only appends: ok\n", chat_template_name(format));
  fmt::print("with thoughts (policy.thinks): {}\n",
             ChatAgentPrompt::keeps_thoughts(format)
                 ? "only appends: ok"
                 : "the template forgets them once another turn follows: each turn gets a context of its own");
}

void examine_model(const std::string& folder, std::size_t probes) {
  const PretrainedModel model = load_pretrained_model(folder);
  const Tokenizer& tokenizer = *model.language.tokenizer;
  const TransformerConfig& shape = model.weights.config;
  fmt::print("{}: {} parameters, {} layers of {}, vocabulary {}\n",
             folder,
             num_parameters(shape),
             shape.num_layers,
             shape.hidden_size,
             shape.vocab_size);
  const std::string text = "You open the drawer 1. In it, you see a mug 12, and a caf\xc3\xa9.";
  const bool round_trip = tokenizer.decode(tokenizer.encode(text)) == text;
  fmt::print("tokenizer round trip: {}\n", round_trip ? "ok" : "FAILED");
  const double worst = worst_disagreement(model);
  const bool agree = worst < 1e-4;
  fmt::print("trainer and engine: largest log-probability difference {:.2g}: {}\n", worst, agree ? "ok" : "FAILED");
  if (model.language.pretrained) {
    examine_chat(model.language, folder);
  } else if (probes > 0) {
    const Abilities abilities = measure_abilities(load_model(folder), probes, 1);
    fmt::print("copy {:.3f}, recall after 500 tokens {:.3f}, state tracking {:.3f}, acting {:.3f} ({} probes each)\n",
               abilities.copy,
               abilities.recall,
               abilities.tracking,
               abilities.acting,
               probes);
  }
  if (!round_trip || !agree) {
    throw Error(ErrorKind::kCorrupt, folder + ": the model does not pass");
  }
}

void examine_machine() {
  fmt::print("dreamgym {}\n", program_version());
  const auto say = [](const char* feature, bool present) {
    fmt::print("{:<12} {}\n", feature, present ? "yes" : "no");
  };
  say("avx2", __builtin_cpu_supports("avx2") != 0);
  say("fma", __builtin_cpu_supports("fma") != 0);
  say("avx512f", __builtin_cpu_supports("avx512f") != 0);
  say("avx512bf16", __builtin_cpu_supports("avx512bf16") != 0);
}

}  // namespace

void add_doctor_command(CLI::App& app) {
  CLI::App* group = app.add_subcommand(
      "doctor",
      "Is this machine, this configuration, this model fit for the job?\n"
      "Examples: dreamgym doctor\n"
      "          dreamgym doctor plan configs/alfworld_real.toml\n"
      "          dreamgym doctor model models/nano");
  group->require_subcommand(0, 1);
  auto config = std::make_shared<std::string>();
  auto assignments = std::make_shared<std::vector<std::string>>();
  CLI::App* plan_verb = group->add_subcommand("plan", "Predicted peak memory of a run.");
  plan_verb->add_option("config", *config, "TOML file; none = the quickstart");
  plan_verb->add_option("--set", *assignments, "section.key=value, may be repeated");
  plan_verb->callback([config, assignments] { plan(*config, *assignments); });
  auto folder = std::make_shared<std::string>();
  auto probes = std::make_shared<std::size_t>(100);
  CLI::App* model_verb = group->add_subcommand("model", "Checks a model: tokenizer, trainer against engine, chat format with and without thoughts.");
  model_verb->add_option("folder", *folder, "model folder, or .gguf file")->required();
  model_verb->add_option("--probes", *probes, "held-out questions per ability of one of our own; 0 = none")->capture_default_str();
  model_verb->callback([folder, probes] { examine_model(*folder, *probes); });
  group->callback([group] {
    if (group->get_subcommands().empty()) {
      examine_machine();
    }
  });
}

}  // namespace dreamgym

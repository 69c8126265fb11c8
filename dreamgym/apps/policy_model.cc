#include "dreamgym/apps/policy_model.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/agent/agent_prompt.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

constexpr const char* kAgentFile = "agent.json";

AgentChat read_chat(const Path& file) {
  const auto json = nlohmann::json::parse(read_file(file), nullptr, false);
  const auto text = [&](const char* key) {
    if (!json.is_object() || !json.contains(key) || !json[key].is_string()) {
      throw Error(ErrorKind::kParse,
                  fmt::format("{}: expected an object with the text \"{}\"", file.string(), key),
                  "delete the file to talk to the model with the default rules");
    }
    return json[key].get<std::string>();
  };
  const auto thought = json.value("max_thought_tokens", nlohmann::json(0));
  if (!thought.is_number_unsigned()) {
    throw Error(ErrorKind::kParse,
                fmt::format("{}: expected a number of tokens of at least 0 as \"max_thought_tokens\"", file.string()),
                "0 = the policy does not think");
  }
  return {text("chat_template"),
          text("rules"),
          json.value("names_actions", nlohmann::json(false)) == true,
          thought.get<std::size_t>()};
}

std::shared_ptr<const TurnPrompt> prompt_of(const ModelLanguage& language,
                                            const AgentChat& chat,
                                            const std::string& model) {
  if (!language.pretrained) {
    return std::make_shared<const AgentPrompt>(language.tokenizer);
  }
  return std::make_shared<const ChatAgentPrompt>(language.pretrained,
                                                 chat_template_of(language, chat.chat_template, model),
                                                 chat.rules,
                                                 chat.names_actions,
                                                 chat.max_thought_tokens);
}

// @param merged  the weights with the adapter in them.
void write_policy(const TransformerWeights& merged,
                  const PolicyModel& like,
                  const std::optional<LoraAdapter>& adapter,
                  const Path& folder) {
  replace_folder(folder, [&](const Path& temporary) {
    save_weights(merged, temporary.string(), NumberType::kFloat32);
    write_language(like.language, temporary);
    if (like.language.pretrained) {
      const nlohmann::ordered_json chat = {{"chat_template", like.chat.chat_template},
                                           {"rules", like.chat.rules},
                                           {"names_actions", like.chat.names_actions},
                                           {"max_thought_tokens", like.chat.max_thought_tokens}};
      write_file(temporary / kAgentFile, chat.dump(2) + "\n");
    }
    if (adapter) {
      write_adapter(*adapter, like.model.numbers, temporary);
    }
  });
}

}  // namespace

AgentChat chat_of(const PolicyConfig& config) {
  return {config.chat_template,
          config.rules,
          config.names_actions,
          config.thinks ? config.max_thought_tokens : 0};
}

PolicyModel load_policy(const Path& model, const std::optional<AgentChat>& chat) {
  if (std::filesystem::is_directory(model) && !has_tokenizer(model)) {
    throw Error(ErrorKind::kNotFound,
                model.string() + ": has no tokenizer.json, so it can't read an episode",
                "put the model's tokenizer.json beside its weights");
  }
  PretrainedModel loaded = load_pretrained_model(model);
  const Path settings = model / kAgentFile;
  PolicyModel policy{separate_adapter(std::move(loaded.weights), model), std::move(loaded.language), {}, nullptr};
  policy.chat = chat                              ? *chat
                : std::filesystem::exists(settings) ? read_chat(settings)
                                                    : AgentChat{};
  policy.prompt = prompt_of(policy.language, policy.chat, model.string());
  return policy;
}

PolicyModel policy_of(const ModelFiles& model) {
  PolicyModel policy{{.weights = model.weights}, {}, {}, nullptr};
  policy.language.tokenizer = model.tokenizer;
  policy.prompt = prompt_of(policy.language, policy.chat, "");
  return policy;
}

void save_policy(const TrainableModel& trained,
                 const PolicyModel& start,
                 const std::string& version,
                 const Path& folder) {
  std::optional<LoraAdapter> adapter = trained.adapter();
  if (adapter) {
    adapter->base_model = start.model.weights.version;
  }
  write_policy(trained.weights(version), start, adapter, folder);
}

void save_policy(const PolicyModel& policy, const Path& folder) {
  AdaptedWeights merged = policy.model;
  merge_adapter(merged);
  write_policy(merged.weights, policy, policy.model.adapter, folder);
}

PolicyModel ready_to_train(PolicyModel policy, const PolicyConfig& config) {
  policy.model = frozen_base(std::move(policy.model), config);
  return policy;
}

TrainableModel trainable_policy(const PolicyModel& policy,
                                const PolicyConfig& config,
                                std::uint64_t seed,
                                std::size_t threads) {
  const TransformerWeights& weights = policy.model.weights;
  const auto as_configured = [&](TrainableModel model) {
    model.set_recompute(config.recompute);
    model.set_compute(compute_type_named(config.compute));
    return model;
  };
  if (config.lora_rank == 0) {
    return as_configured(TrainableModel(weights, threads));
  }
  return as_configured(TrainableModel(weights,
                                      policy.model.adapter
                                          ? *policy.model.adapter
                                          : initial_lora(weights.config, wanted_adapter(config), seed),
                                      threads));
}

}  // namespace dreamgym

#include "dreamgym/apps/adapted_weights.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/nn/engine_numbers.h"

namespace dreamgym {
namespace {

constexpr const char* kAdapterFolder = "adapter";
constexpr const char* kBaseFile = "base.json";

std::string read_numbers(const Path& file) {
  const auto json = nlohmann::json::parse(read_file(file), nullptr, false);
  if (!json.is_object() || !json.contains("numbers") ||
      (json["numbers"] != "bf16" && json["numbers"] != "int8")) {
    throw Error(ErrorKind::kParse,
                file.string() + R"(: expected {"numbers": "bf16"} or {"numbers": "int8"})",
                "delete the folder's adapter/ to take its merged weights as they are");
  }
  return json["numbers"].get<std::string>();
}

std::string shape_of(const LoraAdapter& adapter, const std::string& numbers) {
  return fmt::format("rank {}, alpha {}{}, {} on {} weights",
                     adapter.rank,
                     adapter.alpha,
                     adapter.rank_stabilized ? " by its root" : "",
                     join(adapter.target_modules, " "),
                     numbers);
}

}  // namespace

LoraAdapter wanted_adapter(const PolicyConfig& config) {
  LoraAdapter wanted;
  wanted.rank = static_cast<std::int64_t>(config.lora_rank);
  wanted.alpha = config.lora_alpha;
  wanted.rank_stabilized = config.lora_rank_stabilized;
  wanted.target_modules = config.lora_targets;
  std::ranges::sort(wanted.target_modules);
  return wanted;
}

AdaptedWeights separate_adapter(TransformerWeights merged, const Path& model) {
  AdaptedWeights separated{.weights = std::move(merged)};
  const Path folder = model / kAdapterFolder;
  if (!std::filesystem::exists(folder / kBaseFile)) {
    return separated;
  }
  separated.numbers = read_numbers(folder / kBaseFile);
  separated.adapter = load_lora(folder.string());
  unmerge_to_engine_numbers(separated.weights, *separated.adapter, separated.numbers);
  return separated;
}

void write_adapter(const LoraAdapter& adapter, const std::string& numbers, const Path& folder) {
  const Path inside = folder / kAdapterFolder;
  make_folder(inside);
  save_lora(adapter, inside.string());
  if (numbers != "fp32") {
    write_file(inside / kBaseFile, nlohmann::json{{"numbers", numbers}}.dump(2) + "\n");
  }
}

void merge_adapter(AdaptedWeights& model) {
  if (model.adapter) {
    merge_lora(*model.adapter, model.weights);
  }
  model.adapter.reset();
  model.numbers = "fp32";
}

AdaptedWeights frozen_base(AdaptedWeights model, const PolicyConfig& config) {
  if (config.lora_rank == 0 || config.weights == "fp32") {
    merge_adapter(model);
    return model;
  }
  if (!model.adapter) {
    round_to_engine_numbers(model.weights, config.weights);
    model.numbers = config.weights;
    return model;
  }
  const std::string there = shape_of(*model.adapter, model.numbers);
  const std::string wanted = shape_of(wanted_adapter(config), config.weights);
  if (there != wanted) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("\"{}\" holds an adapter of {}; the settings train one of {}",
                            model.weights.version,
                            there,
                            wanted),
                "train with its settings, with policy.weights = fp32, or merge it for good with "
                "dreamgym lm convert");
  }
  return model;
}

void give_adapter(const std::optional<LoraAdapter>& adapter, GenerationEngine& engine) {
  if (adapter) {
    engine.set_adapter(*adapter, engine.version());
  }
}

}  // namespace dreamgym

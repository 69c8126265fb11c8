// Training a real language model: all weights or an adapter, in fp32 or bf16, all kept or computed
// again; a group whose prompt is computed once; and the engine's log-probabilities against the
// trainer's.
//
//   lm_training_bench [--model=FILE|DIR] [--tokens=512] [--sequences=2] [--rank=16] [--steps=2]
//                     [--only=WAY] [--peer=PYTHON]
//
// Without --only every WAY, one after the other.
// WAY is full or lora, with -bf16 and -recompute behind it, or group, or agreement(-bf16). Peak memory is a
// process's, so each way runs in one of its own. tokens_per_second: forward, backward and optimiser
// step of one batch of --sequences sequences of --tokens tokens, one thread, processor time, the
// fastest step. --peer trains the same batches in PyTorch eager (bench/peers/lm_train_peer.py), each
// way right after ours; the losses are compared first. The group: 8 completions of 24 tokens after a
// prompt of 192, as a tree and as 8 sequences.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/child_process.h"
#include "bench/peer_option.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/llm/pretrained_model.h"
#include "dreamgym/nn/generation_engine.h"
#include "dreamgym/nn/trainable_model.h"

namespace dreamgym {
namespace {

struct Settings {
  std::string model;
  std::size_t tokens = 512;
  std::size_t sequences = 2;
  std::int64_t rank = 16;
  std::size_t steps = 2;
  std::string only;
  std::string peer;
};

constexpr const char* kWays[] = {"full",
                                 "full-recompute",
                                 "full-bf16",
                                 "full-bf16-recompute",
                                 "lora",
                                 "lora-recompute",
                                 "lora-bf16",
                                 "lora-bf16-recompute"};

bool is_way_to_train(std::string_view name) {
  return std::ranges::find(kWays, name) != std::end(kWays);
}

double seconds_of(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

std::vector<TokenId> random_tokens(Rng& rng, std::size_t count, std::int64_t vocabulary) {
  std::vector<TokenId> tokens(count);
  for (TokenId& token : tokens) {
    token = static_cast<TokenId>(rng.below(static_cast<std::uint64_t>(vocabulary)));
  }
  return tokens;
}

LoraAdapter adapter_of(const Settings& settings, const TransformerConfig& config) {
  LoraAdapter adapter;
  adapter.rank = settings.rank;
  adapter.alpha = 2.0 * static_cast<double>(settings.rank);
  adapter.target_modules = {
      "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
  return initial_lora(config, adapter, 1);
}

// A step without the update; the mean negative log-probability of every token asked for.
double accumulate(TrainableModel& model, std::span<const PackedBatch> batches) {
  double loss = 0;
  (void)model.accumulate(batches, [&loss](std::size_t, std::span<const TokenScore> scores) {
    const auto count = static_cast<double>(scores.size());
    for (const TokenScore& score : scores) {
      loss -= score.logprob / count;
    }
    return std::vector<TokenGradient>(scores.size(), {static_cast<float>(-1.0 / count), 0.0F});
  });
  return loss;
}

std::vector<std::vector<TokenId>> workload(const Settings& settings, std::int64_t vocabulary) {
  Rng rng(1);
  std::vector<std::vector<TokenId>> sequences(settings.sequences);
  for (auto& sequence : sequences) {
    sequence = random_tokens(rng, settings.tokens, vocabulary);
  }
  return sequences;
}

bool has(std::string_view way, std::string_view part) {
  return way.find(part) != std::string_view::npos;
}

TrainableModel trained_model(const Settings& settings, TransformerWeights weights) {
  const TransformerConfig config = weights.config;
  TrainableModel model = has(settings.only, "lora")
                             ? TrainableModel(std::move(weights), adapter_of(settings, config), 1)
                             : TrainableModel(std::move(weights), 1);
  model.set_recompute(has(settings.only, "recompute"));
  model.set_compute(compute_type_named(has(settings.only, "bf16") ? "bf16" : "fp32"));
  return model;
}

void time_training(const Settings& settings, TransformerWeights weights) {
  TrainableModel model = trained_model(settings, std::move(weights));
  PackedBatch batch;
  for (const auto& sequence : workload(settings, model.config().vocab_size)) {
    const auto segment = batch.add_segment(sequence);
    for (std::uint32_t i = 1; i < sequence.size(); ++i) {
      batch.add_query(segment, i);
    }
  }
  double best = 0;
  std::vector<double> losses;
  for (std::size_t step = 0; step < settings.steps; ++step) {
    const double seconds = seconds_of([&] {
      losses.push_back(accumulate(model, std::span(&batch, 1)));
      (void)model.update({.learning_rate = 1e-5});
    });
    best = std::max(best, static_cast<double>(batch.num_tokens()) / seconds);
  }
  fmt::print("{}\n",
             nlohmann::ordered_json{{"name", settings.only},
                                    {"tokens_per_second", std::round(10 * best) / 10},
                                    {"peak_bytes", peak_bytes()},
                                    {"losses", losses}}
                 .dump());
}

// One prompt and 8 completions: as a tree, or as sequences of their own.
PackedBatch group_batch(std::int64_t vocabulary, bool shared) {
  Rng rng(2);
  const auto prompt = random_tokens(rng, 192, vocabulary);
  PackedBatch batch;
  std::uint32_t trunk = 0;
  if (shared) {
    trunk = batch.add_segment(prompt);
  }
  for (int member = 0; member < 8; ++member) {
    std::vector<TokenId> tokens = random_tokens(rng, 24, vocabulary);
    std::uint32_t first = 0;
    std::uint32_t segment = 0;
    if (shared) {
      segment = batch.add_segment(tokens, trunk, static_cast<std::uint32_t>(prompt.size()));
    } else {
      tokens.insert(tokens.begin(), prompt.begin(), prompt.end());
      segment = batch.add_segment(tokens);
      first = static_cast<std::uint32_t>(prompt.size());
    }
    for (std::uint32_t i = 0; i < 24; ++i) {
      batch.add_query(segment, first + i);
    }
  }
  return batch;
}

// Under an adapter, whose gradient shows in what a step makes of it.
void time_group(const Settings& settings, const PretrainedModel& model) {
  const std::int64_t vocabulary = model.weights.config.vocab_size;
  std::vector<double> seconds;
  std::vector<double> norms;
  for (const bool shared : {true, false}) {
    TrainableModel trained(model.weights, adapter_of(settings, model.weights.config), 1);
    const PackedBatch batch = group_batch(vocabulary, shared);
    double best = 1e30;
    for (std::size_t repeat = 0; repeat < settings.steps; ++repeat) {
      trained.discard_gradients();
      best = std::min(best, seconds_of([&] { (void)accumulate(trained, std::span(&batch, 1)); }));
    }
    seconds.push_back(best);
    norms.push_back(trained.update({.learning_rate = 0}).gradient_norm);
  }
  fmt::print("{}\n",
             nlohmann::ordered_json{{"name", "group of 8, prompt 192, completions 24"},
                                    {"gradient_norm_relative_difference",
                                     std::abs(norms[0] - norms[1]) / norms[1]},
                                    {"seconds_shared", seconds[0]},
                                    {"seconds_of_unshared", seconds[0] / seconds[1]}}
                 .dump());
}

// Largest difference between what the engine says of the tokens it samples and what the trainer does.
void compare_with_engine(const PretrainedModel& model, const std::string& numbers) {
  GenerationEngine engine(model.weights, model.language.tokenizer, {.weights = numbers});
  TrainableModel trainer(model.weights, 1);
  trainer.set_compute(compute_type_named(numbers));
  GenerationRequest request;
  request.context = model.language.tokenizer->encode(
      "You are in the middle of a room. Looking quickly around you, you see a cabinet 1, a desk 1, "
      "and a drawer 1. Your task is to: put a vase in the drawer.");
  request.max_tokens = 64;
  double largest = 0;
  double sum = 0;
  constexpr std::uint64_t kReplies = 4;
  for (std::uint64_t seed = 0; seed < kReplies; ++seed) {
    request.seed = seed;
    const auto reply = engine.generate(std::span(&request, 1)).front();
    std::vector<TokenId> whole = request.context;
    whole.insert(whole.end(), reply.tokens.begin(), reply.tokens.end());
    PackedBatch batch;
    const auto segment = batch.add_segment(whole);
    for (std::size_t i = request.context.size(); i < whole.size(); ++i) {
      (void)batch.add_query(segment, static_cast<std::uint32_t>(i));
    }
    const auto scores = trainer.score(std::span(&batch, 1)).front();
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double difference = std::abs(scores[i].logprob - reply.logprobs[i]);
      largest = std::max(largest, difference);
      sum += difference / static_cast<double>(scores.size() * kReplies);
    }
  }
  fmt::print("{}\n",
             nlohmann::ordered_json{{"name", "engine against trainer, " + numbers},
                                    {"largest_difference", largest},
                                    {"mean_difference", sum}}
                 .dump());
}

void run_way(const Settings& settings) {
  PretrainedModel model = load_pretrained_model(settings.model);
  if (settings.only == "group") {
    time_group(settings, model);
  } else if (settings.only == "agreement") {
    compare_with_engine(model, "fp32");
  } else if (settings.only == "agreement-bf16") {
    compare_with_engine(model, "bf16");
  } else if (is_way_to_train(settings.only)) {
    time_training(settings, std::move(model.weights));
  } else {
    throw Error(ErrorKind::kInvalidArgument,
                "no way to train called " + settings.only,
                fmt::format("one of {}, group, agreement, agreement-bf16", fmt::join(kWays, ", ")));
  }
}

void compare_with_peer(const Settings& settings, const std::string& way, const nlohmann::json& ours) {
  const auto script = std::filesystem::path(DREAMGYM_SOURCE_DIR) / "bench/peers/lm_train_peer.py";
  const auto folder = std::filesystem::temp_directory_path() / "dreamgym_lm_train_peer";
  if (!std::filesystem::exists(folder / "workload.json")) {
    const PretrainedModel model = load_pretrained_model(settings.model);
    save_weights(model.weights, folder.string(), NumberType::kFloat32);
    std::ofstream(folder / "workload.json")
        << nlohmann::json(workload(settings, model.weights.config.vocab_size)).dump();
  }
  // An adapter begins at the same loss and then goes its own way, since its A is random.
  auto losses = ours.at("losses").get<std::vector<double>>();
  losses.resize(has(way, "lora") ? 1 : losses.size());
  const auto peer = json_line_of(fmt::format("'{}' '{}' '{}' {} --steps {} --rank {} --losses {}",
                                             settings.peer,
                                             script.string(),
                                             folder.string(),
                                             way,
                                             settings.steps,
                                             settings.rank,
                                             fmt::join(losses, " ")));
  print_ratios(way, ours, peer);
}

void run_all(const Settings& settings) {
  std::filesystem::remove_all(std::filesystem::temp_directory_path() / "dreamgym_lm_train_peer");
  const auto ours = [&](const std::string& way) {
    return json_line_of(fmt::format("'{}' --model='{}' --tokens={} --sequences={} --rank={} --steps={} --only={}",
                                    this_program(),
                                    settings.model,
                                    settings.tokens,
                                    settings.sequences,
                                    settings.rank,
                                    settings.steps,
                                    way));
  };
  for (const std::string way : kWays) {
    if (!settings.only.empty() && settings.only != way) {
      continue;
    }
    if (has(way, "bf16") && !can_compute(ComputeType::kBFloat16)) {
      continue;
    }
    const auto line = ours(way);
    if (!settings.peer.empty()) {
      compare_with_peer(settings, way, line);
    }
  }
  if (!settings.only.empty()) {
    return;
  }
  (void)ours("group");
  (void)ours("agreement");
  (void)ours("agreement-bf16");
}

Settings parse(int argc, char** argv) {
  Settings settings;
  settings.peer = take_peer(argc, argv);
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe): one thread
  settings.model =
      std::string(home == nullptr ? "" : home) + "/.cache/dreamgym/models/smollm2/model.gguf";
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (consume_prefix(argument, "--model=")) {
      settings.model = argument;
    } else if (consume_prefix(argument, "--only=")) {
      settings.only = argument;
    } else if (consume_prefix(argument, "--tokens=")) {
      settings.tokens = std::stoul(std::string(argument));
    } else if (consume_prefix(argument, "--rank=")) {
      settings.rank = std::stol(std::string(argument));
    } else if (consume_prefix(argument, "--sequences=")) {
      settings.sequences = std::stoul(std::string(argument));
    } else if (consume_prefix(argument, "--steps=")) {
      settings.steps = std::stoul(std::string(argument));
    } else {
      throw Error(ErrorKind::kInvalidArgument, "unknown argument " + std::string(argument));
    }
  }
  return settings;
}

}  // namespace
}  // namespace dreamgym

int main(int argc, char** argv) {
  try {
    const dreamgym::Settings settings = dreamgym::parse(argc, argv);
    const bool compares = !settings.peer.empty() && dreamgym::is_way_to_train(settings.only);
    settings.only.empty() || compares ? dreamgym::run_all(settings) : dreamgym::run_way(settings);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "lm_training_bench: {}\n", error.what());
    return 1;
  }
}

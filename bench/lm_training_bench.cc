// Training a real language model: all weights or an adapter, all kept or computed again, and a group
// whose prompt is computed once.
//
//   lm_training_bench [--model=FILE|DIR] [--tokens=512] [--rank=16] [--repeats=2]
//
// tokens_per_second: forward, backward and optimiser step of two sequences of --tokens tokens, one thread,
// processor time. The group: 8 completions of 24 tokens after a prompt of 192, as a tree and as 8
// sequences; the gradients are compared first. Peak memory is that of the process so far, so each way
// is a run of its own (--only=full|full-recompute|lora|lora-recompute|group).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/llm/pretrained_model.h"
#include "dreamgym/nn/trainable_model.h"

namespace dreamgym {
namespace {

struct Settings {
  std::string model;
  std::size_t tokens = 512;
  std::int64_t rank = 16;
  std::size_t repeats = 2;
  std::string only;
};

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

// Mean negative log-probability of every token asked for.
void accumulate(TrainableModel& model, std::span<const PackedBatch> batches) {
  (void)model.accumulate(batches, [](std::size_t, std::span<const TokenScore> scores) {
    return std::vector<TokenGradient>(
        scores.size(), {-1.0F / static_cast<float>(scores.size()), 0.0F});
  });
}

std::size_t peak_bytes() {
  std::size_t kilobytes = 0;
  for_each_line("/proc/self/status", [&](std::size_t, std::string_view line) {
    if (!consume_prefix(line, "VmHWM:")) {
      return true;
    }
    kilobytes = std::stoul(std::string(trim(line)));
    return false;
  });
  return kilobytes << 10U;
}

void time_training(const Settings& settings, const std::string& name, TrainableModel model) {
  Rng rng(1);
  std::vector<PackedBatch> batches(2);
  for (PackedBatch& batch : batches) {
    const auto segment =
        batch.add_segment(random_tokens(rng, settings.tokens, model.config().vocab_size));
    for (std::uint32_t i = 1; i < settings.tokens; ++i) {
      batch.add_query(segment, i);
    }
  }
  double best = 0;
  for (std::size_t repeat = 0; repeat < settings.repeats; ++repeat) {
    const double seconds = seconds_of([&] {
      accumulate(model, batches);
      (void)model.update({.learning_rate = 1e-5});
    });
    best = std::max(best, static_cast<double>(2 * settings.tokens) / seconds);
  }
  fmt::print("{}\n",
             nlohmann::ordered_json{{"name", name},
                                    {"tokens_per_second", std::round(10 * best) / 10},
                                    {"peak_bytes", peak_bytes()}}
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
    for (std::size_t repeat = 0; repeat < settings.repeats; ++repeat) {
      trained.discard_gradients();
      best = std::min(best, seconds_of([&] { accumulate(trained, std::span(&batch, 1)); }));
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

void run(const Settings& settings) {
  const PretrainedModel model = load_pretrained_model(settings.model);
  const auto wanted = [&](const char* name) {
    return settings.only.empty() || settings.only == name;
  };
  const auto all = [&](bool recompute) {
    TrainableModel trained(model.weights, 1);
    trained.set_recompute(recompute);
    return trained;
  };
  const auto low_rank = [&](bool recompute) {
    TrainableModel trained(model.weights, adapter_of(settings, model.weights.config), 1);
    trained.set_recompute(recompute);
    return trained;
  };
  if (wanted("lora")) {
    time_training(settings, "lora", low_rank(false));
  }
  if (wanted("lora-recompute")) {
    time_training(settings, "lora-recompute", low_rank(true));
  }
  if (wanted("full")) {
    time_training(settings, "full", all(false));
  }
  if (wanted("full-recompute")) {
    time_training(settings, "full-recompute", all(true));
  }
  if (wanted("group")) {
    time_group(settings, model);
  }
}

Settings parse(int argc, char** argv) {
  Settings settings;
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
    } else if (consume_prefix(argument, "--repeats=")) {
      settings.repeats = std::stoul(std::string(argument));
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
    dreamgym::run(dreamgym::parse(argc, argv));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "lm_training_bench: {}\n", error.what());
    return 1;
  }
}

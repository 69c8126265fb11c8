// What training gains from playing the next iteration while it learns from this one (`overlap`), with the same start,
// tasks and seeds: the rate of iterations and, since episodes come from the policy before the last update, the curve.
//
//   overlap_bench --model=RUN/models/start [--waits=0,50] [--iterations=8] [--tasks=24] [--threads=2] [--seeds=1]
//
// GRPO with step advantages in the generated houses of `dreamgym quickstart --seed 1`. With a wait every environment
// answers each turn after so many milliseconds, up to 128 of them waited for at once, as a server or a browser would;
// without one (0) the processor is the bound. Checked first: without overlap the wait changes no episode.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "bench/number_option.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/number.h"
#include "dreamgym/base/text.h"
#include "dreamgym/env/environment_batch.h"
#include "dreamgym/llm/bpe_tokenizer.h"
#include "dreamgym/llm/checkpoint/weights.h"
#include "dreamgym/nn/generation_engine.h"
#include "dreamgym/train/policy_algorithm.h"
#include "dreamgym/worlds/catalog.h"

namespace dreamgym {
namespace {

constexpr std::size_t kWaitedForAtOnce = 128;

struct Settings {
  std::string model;
  std::vector<std::size_t> waits = {0, 50};
  std::size_t iterations = 8;
  std::size_t tasks = 24;
  std::size_t threads = 2;
  std::size_t seeds = 1;
};

/// Answers late.
class Distant final : public Environment {
 public:
  Distant(std::unique_ptr<Environment> inner, std::chrono::milliseconds wait)
      : inner_(std::move(inner)), wait_(wait) {}
  Observation reset(const Task& task, std::uint64_t seed) override {
    std::this_thread::sleep_for(wait_);
    return inner_->reset(task, seed);
  }
  StepResult step(const Action& action) override {
    std::this_thread::sleep_for(wait_);
    return inner_->step(action);
  }

 private:
  std::unique_ptr<Environment> inner_;
  std::chrono::milliseconds wait_;
};

/// Success of the rollouts, iteration by iteration.
class Curve final : public TrainingListener {
 public:
  void on_iteration(std::size_t /*iteration*/,
                    const std::vector<Episode>& /*episodes*/,
                    const std::map<std::string, double>& metrics) override {
    success.push_back(metrics.at("rollout/success_share"));
  }
  [[nodiscard]] std::string save() const override { return ""; }
  void restore(const std::string& /*state*/) override {}

  std::vector<double> success;
};

struct Trained {
  double seconds = 0;
  std::vector<double> success;
};

Trained train(const Settings& settings, std::size_t wait, bool overlap, std::uint64_t seed) {
  const Path folder = settings.model;
  const auto tokenizer = std::make_shared<const BpeTokenizer>(read_tokenizer(folder / "tokenizer.json"));
  const TransformerWeights weights = load_weights(settings.model);
  TrainableModel model(weights, settings.threads);
  GenerationEngine engine(weights, tokenizer, {.num_threads = settings.threads});
  const auto world = make_world("alfworld");
  const std::map<std::string, std::string> houses = {
      {"receptacles", "8"}, {"houses", "24"}, {"tasks_per_house", "42"}, {"text", "compact"}};
  TaskCurriculum curriculum(
      world->tasks({.split = "train", .count = 1000, .seed = 1, .extra = houses}), {.generated_share = 0}, {});
  const auto make = [&world, wait]() -> std::unique_ptr<Environment> {
    auto environment = world->make_environment();
    return wait == 0 ? std::move(environment)
                     : std::make_unique<Distant>(std::move(environment), std::chrono::milliseconds(wait));
  };
  SingleEnvironmentBatch environments(make, wait == 0 ? settings.threads : kWaitedForAtOnce);
  const auto mappers = world->make_action_mapper_factory();
  PolicyTrainingConfig config;
  apply_algorithm("gigpo", config);
  config.iterations = settings.iterations;
  config.tasks_per_iteration = settings.tasks;
  config.mini_batches = 4;
  config.passes = 2;
  config.warmup_iterations = 2;
  config.validate_every = 0;
  config.overlap = overlap;
  config.mismatch_correction = overlap ? MismatchCorrection::kTokenTruncated : MismatchCorrection::kNone;
  const auto trainer = make_policy_trainer({model, engine, tokenizer},
                                           nullptr,
                                           curriculum,
                                           {environments, mappers.get(), Provenance::kReal},
                                           config,
                                           Rng(seed));
  Curve curve;
  trainer->listener = &curve;
  const auto start = std::chrono::steady_clock::now();
  trainer->run("overlap");
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), curve.success};
}

std::string percents(const std::vector<double>& shares) {
  std::vector<std::string> texts;
  for (const double share : shares) {
    texts.push_back(fmt::format("{:.0f}", 100 * share));
  }
  return join(texts, " ");
}

double mean_of_second_half(const std::vector<double>& values) {
  double sum = 0;
  for (std::size_t i = values.size() / 2; i < values.size(); ++i) {
    sum += values[i];
  }
  return sum / static_cast<double>(values.size() - values.size() / 2);
}

void run(const Settings& settings) {
  Settings small = settings;
  small.iterations = 1;
  small.tasks = 2;
  check(train(small, 0, false, 1).success == train(small, 5, false, 1).success, "a wait changes no episode");
  for (const std::size_t wait : settings.waits) {
    double log_ratio = 0;
    double apart = 0;
    for (std::uint64_t seed = 1; seed <= settings.seeds; ++seed) {
      const Trained in_turn = train(settings, wait, false, seed);
      const Trained at_once = train(settings, wait, true, seed);
      log_ratio += std::log(in_turn.seconds / at_once.seconds) / static_cast<double>(settings.seeds);
      apart += 100 *
               (mean_of_second_half(at_once.success) - mean_of_second_half(in_turn.success)) /
               static_cast<double>(settings.seeds);
      fmt::print("wait {} ms a turn, seed {}: {:.1f} s in turn, {:.1f} s at once\n  success in % in turn: {}\n  at once:              {}\n",
                 wait,
                 seed,
                 in_turn.seconds,
                 at_once.seconds,
                 percents(in_turn.success),
                 percents(at_once.success));
      std::fflush(stdout);
    }
    fmt::print("wait {} ms a turn: {:.2f} x the rate of iterations; success over the second half {:+.1f} points\n",
               wait,
               std::exp(log_ratio),
               apart);
  }
}

}  // namespace
}  // namespace dreamgym

int main(int argc, char** argv) {
  using namespace dreamgym;
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    take_number(argument, "--iterations=", settings.iterations);
    take_number(argument, "--tasks=", settings.tasks);
    take_number(argument, "--threads=", settings.threads);
    take_number(argument, "--seeds=", settings.seeds);
    if (consume_prefix(argument, "--model=")) {
      settings.model = argument;
    }
    if (consume_prefix(argument, "--waits=")) {
      settings.waits.clear();
      for (const std::string& wait : split(argument, ',')) {
        settings.waits.push_back(parse_unsigned(wait).value_or(0));
      }
    }
  }
  if (settings.model.empty() || settings.iterations == 0 || settings.seeds == 0) {
    fmt::print(stderr,
               "overlap_bench --model=RUN/models/start [--waits=0,50] [--iterations=8] [--tasks=24] [--threads=2] "
               "[--seeds=1]\n");
    return 2;
  }
  try {
    run(settings);
  } catch (const std::exception& error) {
    fmt::print(stderr, "overlap_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}

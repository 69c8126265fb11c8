// Training of the default preset: forward, backward and an optimiser step.
//
//   nn_train_bench                  ours alone, with 1 and 2 threads
//   nn_train_bench --peer=PYTHON    the same model and batches in PyTorch eager instead
//                                   (bench/peers/train_peer.py), in fp32 with 1 and 2 threads, in
//                                   bf16 and with layers computed again; each way of ours and of
//                                   PyTorch's in a process of its own, with the ratios
//   nn_train_bench --way=WAY        one of those of ours: fp32, fp32-2-threads, bf16 or recompute;
//                                   processor time, with 2 threads the clock's
// Linear: 8 micro-batches of about 4000 tokens, sequences of 200 to 600 tokens, every token asked
// for. Branches: an episode each, whose steps read the shared history and ask for 30 tokens.
// tokens_per_second counts tokens computed; linear_tokens_per_second counts a branch's history as
// often as a trainer without shared histories would compute it.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/child_process.h"
#include "bench/peer_option.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/nn/trainable_model.h"

namespace dreamgym {
namespace {

constexpr std::int64_t kVocabulary = 1024;
constexpr std::size_t kMicroBatches = 8;
constexpr std::size_t kSequencesPerBatch = 10;

TransformerWeights nano_weights() {
  TransformerConfig config = transformer_preset("nano");
  config.vocab_size = kVocabulary;
  return initial_weights(config, 1);
}

std::vector<TokenId> random_tokens(Rng& rng, std::size_t count) {
  std::vector<TokenId> tokens(count);
  for (TokenId& token : tokens) {
    token = static_cast<TokenId>(rng.below(kVocabulary));
  }
  return tokens;
}

// Sorted by length before they are cut into micro-batches, so that a padding peer wastes little.
std::vector<PackedBatch> linear_batches() {
  Rng rng(3);
  std::vector<std::size_t> lengths(kMicroBatches * kSequencesPerBatch);
  for (std::size_t& length : lengths) {
    length = 200 + rng.below(401);
  }
  std::ranges::sort(lengths);
  std::vector<PackedBatch> batches(kMicroBatches);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    PackedBatch& batch = batches[i / kSequencesPerBatch];
    const auto segment = batch.add_segment(random_tokens(rng, lengths[i]));
    for (std::uint32_t offset = 1; offset < lengths[i]; ++offset) {
      batch.add_query(segment, offset);
    }
  }
  return batches;
}

// 25 steps of 40 tokens after 100; each step's branch holds 100 tokens, the last 30 asked for.
std::vector<PackedBatch> branch_batches() {
  Rng rng(4);
  std::vector<PackedBatch> batches(kMicroBatches);
  for (PackedBatch& batch : batches) {
    const auto trunk = batch.add_segment(random_tokens(rng, 1100));
    for (std::uint32_t step = 0; step < 25; ++step) {
      const auto branch = batch.add_segment(random_tokens(rng, 100), trunk, 140 + 40 * step);
      for (std::uint32_t offset = 70; offset < 100; ++offset) {
        batch.add_query(branch, offset);
      }
    }
  }
  return batches;
}

struct TokenCounts {
  std::size_t computed = 0;
  std::size_t linear = 0;
  std::size_t asked = 0;
};

TokenCounts count_tokens(const std::vector<PackedBatch>& batches) {
  TokenCounts counts;
  for (const PackedBatch& batch : batches) {
    counts.computed += batch.num_tokens();
    counts.asked += batch.queries.size();
    for (const Segment& segment : batch.segments) {
      counts.linear += segment.end - segment.begin + segment.parent_end;
    }
  }
  return counts;
}

// Mean negative log-probability of one forward and backward pass; gradients are its own.
double train_once(TrainableModel& model, const std::vector<PackedBatch>& batches) {
  const auto asked = static_cast<double>(count_tokens(batches).asked);
  const auto scores =
      model.accumulate(batches, [asked](std::size_t, std::span<const TokenScore> batch) {
        return std::vector<TokenGradient>(batch.size(), {static_cast<float>(-1.0 / asked), 0.0F});
      });
  double loss = 0;
  for (const auto& batch : scores) {
    for (const TokenScore& score : batch) {
      loss -= score.logprob / asked;
    }
  }
  return loss;
}

OptimizerConfig optimizer() {
  OptimizerConfig config;
  config.learning_rate = 1e-3;
  return config;
}

void train(benchmark::State& state, const std::vector<PackedBatch>& batches, OptimizerKind kind) {
  TrainableModel model(nano_weights(), static_cast<std::size_t>(state.range(0)));
  OptimizerConfig config = optimizer();
  config.kind = kind;
  const double first = train_once(model, batches);
  model.update(config);
  double last = first;
  for (auto _ : state) {
    last = train_once(model, batches);
    model.update(config);
  }
  // The check: a guess costs log(vocabulary), and steps on the same batches must lower that.
  if (std::abs(first - std::log(kVocabulary)) > 0.3 || !(last < first)) {
    state.SkipWithError("the loss did not start at a guess's or did not fall");
  }
  const TokenCounts counts = count_tokens(batches);
  const auto rate = [&](std::size_t tokens) {
    return benchmark::Counter(static_cast<double>(state.iterations() * tokens),
                              benchmark::Counter::kIsRate);
  };
  state.counters["tokens_per_second"] = rate(counts.computed);
  state.counters["linear_tokens_per_second"] = rate(counts.linear);
  state.counters["asked_per_second"] = rate(counts.asked);
}

void linear_adamw(benchmark::State& state) {
  train(state, linear_batches(), OptimizerKind::kAdamW);
}

void linear_muon(benchmark::State& state) {
  train(state, linear_batches(), OptimizerKind::kMuon);
}

void branches_muon(benchmark::State& state) {
  train(state, branch_batches(), OptimizerKind::kMuon);
}

void score_linear(benchmark::State& state) {
  const auto batches = linear_batches();
  const TrainableModel model(nano_weights(), static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(model.score(batches));
  }
  state.counters["tokens_per_second"] =
      benchmark::Counter(static_cast<double>(state.iterations() * count_tokens(batches).computed),
                         benchmark::Counter::kIsRate);
}

BENCHMARK(linear_adamw)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(linear_muon)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(branches_muon)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(score_linear)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// --- The peer ------------------------------------------------------------------------------------

void write_workload(const std::filesystem::path& file, const std::vector<PackedBatch>& batches) {
  std::vector<std::string> rows;
  for (const PackedBatch& batch : batches) {
    std::vector<std::string> sequences;
    for (const Segment& segment : batch.segments) {
      sequences.push_back(fmt::format(
          "[{}]",
          fmt::join(
              batch.tokens.begin() + segment.begin, batch.tokens.begin() + segment.end, ",")));
    }
    rows.push_back(fmt::format("[{}]", fmt::join(sequences, ",")));
  }
  std::ofstream(file) << fmt::format("[{}]", fmt::join(rows, ","));
}

// The fastest of four steps, and the losses, which the peer's are held against.
void measure(const std::string& way) {
  const std::size_t num_threads = way == "fp32-2-threads" ? 2 : 1;
  TrainableModel model(nano_weights(), num_threads);
  model.set_compute(compute_type_named(way == "bf16" ? "bf16" : "fp32"));
  model.set_recompute(way == "recompute");
  const auto batches = linear_batches();
  std::vector<double> losses;
  double best = INFINITY;
  for (int step = 0; step < 4; ++step) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t processor_start = std::clock();
    losses.push_back(train_once(model, batches));
    model.update(optimizer());
    const std::chrono::duration<double> clock = std::chrono::steady_clock::now() - start;
    const double processor = static_cast<double>(std::clock() - processor_start) / CLOCKS_PER_SEC;
    best = std::min(best, num_threads == 1 ? processor : clock.count());
  }
  fmt::print("{}\n",
             nlohmann::ordered_json{
                 {"name", "nano " + way},
                 {"tokens_per_second",
                  std::round(static_cast<double>(count_tokens(batches).computed) / best)},
                 {"peak_bytes", peak_bytes()},
                 {"losses", losses}}
                 .dump());
}

void compare_with_peer(const std::string& python) {
  const auto folder = std::filesystem::temp_directory_path() / "dreamgym_train_peer";
  save_weights(nano_weights(), folder.string(), NumberType::kFloat32);
  write_workload(folder / "workload.json", linear_batches());
  const auto script = std::filesystem::path(DREAMGYM_SOURCE_DIR) / "bench/peers/train_peer.py";
  for (const std::string way : {"fp32", "fp32-2-threads", "bf16", "recompute"}) {
    if (way == "bf16" && !can_compute(ComputeType::kBFloat16)) {
      continue;
    }
    const auto ours = json_line_of(fmt::format("'{}' --way={}", this_program(), way));
    const auto peer =
        json_line_of(fmt::format("'{}' '{}' '{}' {} --losses {}",
                                 python,
                                 script.string(),
                                 folder.string(),
                                 way,
                                 fmt::join(ours.at("losses").get<std::vector<double>>(), " ")));
    print_ratios(way, ours, peer);
  }
}

}  // namespace
}  // namespace dreamgym

int main(int argc, char** argv) {
  try {
    constexpr std::string_view kWay = "--way=";
    if (argc == 2 && std::string_view(argv[1]).starts_with(kWay)) {
      dreamgym::measure(argv[1] + kWay.size());
      return 0;
    }
    if (const std::string python = dreamgym::take_peer(argc, argv); !python.empty()) {
      dreamgym::compare_with_peer(python);
      return 0;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "nn_train_bench: {}\n", error.what());
    return 1;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 2;
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

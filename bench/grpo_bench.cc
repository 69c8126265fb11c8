// One GRPO iteration: 8 prompts of 192 tokens, 8 completions of 24 tokens each, rewards, advantages,
// one optimiser step, and the new weights in the engine.
//
//   grpo_bench                  ours alone, with 1 and 2 threads
//   grpo_bench --peer=PYTHON    also TRL's GRPOTrainer on the same model, prompts and completion
//                               lengths, one thread each, by processor time, so that neighbours on the
//                               machine matter little (bench/peers/grpo_peer.py), with the ratios
// The model is a Llama of hidden size 256, 6 layers, 8 heads (4 of keys), MLP 688, vocabulary 2048.
// tokens_per_second counts 64 x (192 + 24) tokens an iteration, however many of them are computed: a
// group's prompt is read once and learnt from once. The check: every completion has its length, the
// trainer's log-probabilities of what the engine sampled are the engine's, and learning raises the
// reward (the share of even tokens).
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/peer_option.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/nn/generation_engine.h"
#include "dreamgym/train/policy_advantages.h"
#include "dreamgym/train/policy_update.h"

namespace dreamgym {
namespace {

constexpr std::size_t kPrompts = 8;
constexpr std::size_t kGroup = 8;
constexpr std::size_t kPromptTokens = 192;
constexpr std::size_t kCompletionTokens = 24;
constexpr double kTokens = kPrompts * kGroup * (kPromptTokens + kCompletionTokens);
constexpr int kIterations = 6;

TransformerWeights llama() {
  TransformerConfig config;
  config.family = "llama";
  config.vocab_size = 2048;
  config.hidden_size = 256;
  config.num_layers = 6;
  config.num_heads = 8;
  config.num_kv_heads = 4;
  config.head_dim = 32;
  config.intermediate_size = 688;
  config.convolution_taps = 0;
  return initial_weights(config, 1);
}

std::vector<std::vector<TokenId>> prompts() {
  Rng rng(5);
  std::vector<std::vector<TokenId>> out(kPrompts);
  for (auto& prompt : out) {
    for (std::size_t i = 0; i < kPromptTokens; ++i) {
      prompt.push_back(static_cast<TokenId>(3 + rng.below(2045)));
    }
  }
  return out;
}

double reward_of(std::span<const TokenId> completion) {
  return static_cast<double>(std::ranges::count_if(completion, [](TokenId t) { return t % 2 == 0; })) /
         static_cast<double>(completion.size());
}

/// Policy and engine, and what an iteration does with them.
class Loop {
 public:
  explicit Loop(std::size_t threads)
      : model_(llama(), threads), engine_(llama(), nullptr, {.num_threads = threads}) {}

  /// Mean reward of the iteration's completions.
  double iterate() {
    const std::vector<Episode> episodes = play();
    std::vector<EpisodeRewards> rewards;
    double sum = 0;
    for (const Episode& episode : episodes) {
      rewards.push_back(episode_rewards(episode, {}));
      sum += rewards.back().score;
    }
    const auto advantages = policy_advantages(episodes, rewards, {});
    std::vector<PolicyLesson> lessons;
    std::vector<const PolicyLesson*> pointers;
    for (std::size_t e = 0; e < episodes.size(); ++e) {
      lessons.push_back({&episodes[e], advantages[e]});
    }
    for (const PolicyLesson& lesson : lessons) {
      pointers.push_back(&lesson);
    }
    const PolicyStep step = step_policy(model_,
                                        nullptr,
                                        pointers,
                                        {.optimizer = {.learning_rate = 1e-3, .weight_decay = 0},
                                         .tokens_per_micro_batch = 800});
    apart_ = std::max(apart_, std::abs(step.sums.kl_to_old / step.sums.tokens));
    engine_.set_weights(model_.weights(""));
    return sum / static_cast<double>(episodes.size());
  }

  /// Largest mean difference of trainer and engine, nats.
  [[nodiscard]] double apart() const { return apart_; }

 private:
  std::vector<Episode> play() {
    std::vector<GenerationRequest> requests;
    const auto texts = prompts();
    for (std::size_t i = 0; i < kPrompts * kGroup; ++i) {
      requests.push_back({.context = texts[i / kGroup],
                          .max_tokens = kCompletionTokens,
                          .temperature = 1.0,
                          .seed = Rng(7).fork("completion", round_ * 1000 + i).next()});
    }
    ++round_;
    const auto replies = engine_.generate(requests);
    std::vector<Episode> episodes(replies.size());
    for (std::size_t i = 0; i < replies.size(); ++i) {
      Episode& episode = episodes[i];
      episode.group = i / kGroup;
      TokenLedger& ledger = episode.ledgers.emplace_back();
      ledger.append_read(requests[i].context, TokenSource::kPrompt);
      ledger.append_sampled(replies[i].tokens,
                            replies[i].logprobs,
                            std::vector<std::vector<TokenId>>(replies[i].tokens.size()),
                            "",
                            1.0F);
      Transition& step = episode.trajectory.steps.emplace_back();
      step.reward = reward_of(replies[i].tokens);
      step.terminated = true;
      episode.trajectory.episode_return = step.reward;
    }
    return episodes;
  }

  TrainableModel model_;
  GenerationEngine engine_;
  std::size_t round_ = 0;
  double apart_ = 0;
};

void iteration(benchmark::State& state) {
  Loop loop(static_cast<std::size_t>(state.range(0)));
  const double first = loop.iterate();
  double last = first;
  for (auto _ : state) {
    last = loop.iterate();
  }
  if (loop.apart() > 1e-3 || last <= first) {
    state.SkipWithError("trainer and engine disagree, or nothing was learnt");
  }
  state.counters["tokens_per_second"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kTokens,
                         benchmark::Counter::kIsRate);
}

BENCHMARK(iteration)->ArgName("threads")->Arg(1)->Arg(2)->Iterations(kIterations)->UseRealTime()->Unit(
    benchmark::kMillisecond);

// --- The peer ------------------------------------------------------------------------------------

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double fastest_seconds() {
  Loop loop(1);
  double fastest = INFINITY;
  for (int i = 0; i < kIterations; ++i) {
    const double start = processor_seconds();
    (void)loop.iterate();
    fastest = std::min(fastest, processor_seconds() - start);
  }
  return fastest;
}

long peak_kibibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

int compare_with_peer(const std::string& python) {
  const auto folder = std::filesystem::temp_directory_path() / "dreamgym_grpo_peer";
  save_weights(llama(), folder.string(), NumberType::kFloat32);
  std::vector<std::string> rows;
  for (const auto& prompt : prompts()) {
    rows.push_back(fmt::format("[{}]", fmt::join(prompt, ",")));
  }
  std::ofstream(folder / "prompts.json") << fmt::format("[{}]", fmt::join(rows, ","));
  const auto script = std::filesystem::path(DREAMGYM_SOURCE_DIR) / "bench/peers/grpo_peer.py";
  const double ours = fastest_seconds();
  const std::string command = fmt::format("'{}' '{}' '{}' --ours {:.6f} --ours-kibibytes {}",
                                          python,
                                          script.string(),
                                          folder.string(),
                                          ours,
                                          peak_kibibytes());
  return std::system(command.c_str()) == 0 ? 0 : 1;  // NOLINT(cert-env33-c): a benchmark's own script
}

}  // namespace
}  // namespace dreamgym

int main(int argc, char** argv) {
  const std::string python = dreamgym::take_peer(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 2;
  }
  if (!python.empty()) {
    return dreamgym::compare_with_peer(python);  // alone, so that the peak memory is its own
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

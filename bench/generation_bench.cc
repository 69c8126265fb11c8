// Generation with the default preset: reading, free decoding and choices of 64 episodes.
//
//   generation_bench                       the engine alone; every workload's replies are checked
//                                          against the plain double transformer first
//   generation_bench --peer=PYTHON         also the same weights in Hugging Face transformers
//                                          (bench/peers/generate_peer.py), and the ratios
// tokens_per_second counts what a caller gets: tokens read (reading), new tokens (the others).
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/peer_option.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/llm/checkpoint/weights.h"
#include "dreamgym/llm/trie_walk.h"
#include "dreamgym/nn/engine/reference_transformer.h"
#include "dreamgym/nn/generation_engine.h"

namespace dreamgym {
namespace {

constexpr std::size_t kNumEpisodes = 64;
constexpr std::size_t kContextTokens = 256;
constexpr std::size_t kNewTokens = 64;
constexpr std::size_t kNumChoices = 12;
constexpr std::size_t kChoiceTokens = 5;
constexpr std::size_t kStepTokens = 20;  // an observation between two choices
constexpr std::int64_t kVocabulary = 1024;

TransformerWeights nano_weights(std::int64_t taps) {
  TransformerConfig config = transformer_preset("nano");
  config.vocab_size = kVocabulary;
  config.convolution_taps = taps;
  TransformerWeights weights = initial_weights(config, 1);
  weights.version = "bench";
  // Peaked as a trained model's, so that greedy replies do not hang on the last bit.
  for (float& value : weights.arrays.at("model.embed_tokens.weight").values) {
    value *= 10.0F;
  }
  return weights;
}

std::vector<TokenId> random_tokens(Rng& rng, std::size_t count) {
  std::vector<TokenId> tokens(count);
  for (TokenId& token : tokens) {
    token = static_cast<TokenId>(rng.below(kVocabulary));
  }
  return tokens;
}

// One request an episode; sessions 1...
std::vector<GenerationRequest> free_requests(std::size_t count) {
  std::vector<GenerationRequest> requests(count);
  for (std::size_t i = 0; i < count; ++i) {
    Rng rng = Rng(7).fork("context", i);
    requests[i].session = i + 1;
    requests[i].context = random_tokens(rng, kContextTokens);
    requests[i].max_tokens = kNewTokens;
    requests[i].seed = i;
  }
  return requests;
}

// Actions of kChoiceTokens tokens that share beginnings, the last one common.
std::shared_ptr<const TokenTrie> some_choices(std::uint64_t index) {
  Rng rng = Rng(8).fork("choices", index);
  std::vector<std::vector<TokenId>> choices;
  for (std::size_t i = 0; i < kNumChoices; ++i) {
    std::vector<TokenId> choice = random_tokens(rng, kChoiceTokens);
    choice[0] = static_cast<TokenId>(10 + i / 3);
    choice[1] = static_cast<TokenId>(20 + i % 3);
    choice.back() = 1;
    choices.push_back(std::move(choice));
  }
  return std::make_shared<TokenTrie>(choices);
}

std::vector<GenerationRequest> choice_requests(std::size_t count) {
  std::vector<GenerationRequest> requests = free_requests(count);
  for (std::size_t i = 0; i < count; ++i) {
    requests[i].choices = some_choices(i);
  }
  return requests;
}

GenerationEngine engine_of(const TransformerWeights& weights, std::size_t num_threads) {
  EngineConfig config;
  config.num_threads = num_threads;
  return {weights, nullptr, config};
}

// Whether a reply's log-probabilities are those of the plain transformer.
bool agrees_with_reference(const TransformerWeights& weights,
                           const GenerationRequest& request,
                           const GenerationReply& reply) {
  std::vector<TokenId> tokens = request.context;
  tokens.insert(tokens.end(), reply.tokens.begin(), reply.tokens.end());
  const auto logits = engine::reference_logits(weights, tokens);
  const auto allowed = request.choices ? allowed_along(*request.choices, reply.tokens)
                                       : std::vector<std::vector<TokenId>>(reply.tokens.size());
  for (std::size_t i = 0; i < reply.tokens.size(); ++i) {
    std::vector<double> row = logits[request.context.size() + i - 1];
    if (request.choices) {
      std::vector<double> masked(row.size(), -INFINITY);
      for (const TokenId token : allowed[i]) {
        masked[static_cast<std::size_t>(token)] = row[static_cast<std::size_t>(token)];
      }
      row = masked;
    }
    const double temperature = request.temperature > 0 ? request.temperature : 1.0;
    const double expected = engine::reference_logprob(row, temperature, reply.tokens[i]);
    if (!(std::abs(double{reply.logprobs[i]} - expected) < 1e-4)) {
      return false;
    }
  }
  return !reply.tokens.empty();
}

bool is_checked(benchmark::State& state, const std::vector<GenerationRequest>& requests) {
  const TransformerWeights weights = nano_weights(4);
  GenerationEngine engine = engine_of(weights, 1);
  if (agrees_with_reference(weights, requests.back(), engine.generate(requests).back())) {
    return true;
  }
  state.SkipWithError("the engine disagrees with the plain transformer");
  return false;
}

void set_rate(benchmark::State& state, const std::string& name, std::size_t per_iteration) {
  state.counters[name] = benchmark::Counter(
      static_cast<double>(state.iterations()) * static_cast<double>(per_iteration),
      benchmark::Counter::kIsRate);
}

void release_all(GenerationEngine& engine) {
  for (std::uint64_t session = 1; session <= kNumEpisodes; ++session) {
    engine.release(std::span(&session, 1));
  }
}

// Contexts read from nothing; one token sampled each.
void reading(benchmark::State& state) {
  std::vector<GenerationRequest> requests = free_requests(kNumEpisodes);
  for (GenerationRequest& request : requests) {
    request.max_tokens = 1;
  }
  if (!is_checked(state, requests)) {
    return;
  }
  GenerationEngine engine = engine_of(nano_weights(4), static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(engine.generate(requests));
    state.PauseTiming();
    release_all(engine);
    state.ResumeTiming();
  }
  set_rate(state, "tokens_per_second", kNumEpisodes * kContextTokens);
}
BENCHMARK(reading)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(
    benchmark::kMillisecond);

// kNewTokens after contexts that have been read.
void decoding(benchmark::State& state) {
  const auto num_sequences = static_cast<std::size_t>(state.range(1));
  const std::vector<GenerationRequest> requests = free_requests(num_sequences);
  if (!is_checked(state, requests)) {
    return;
  }
  GenerationEngine engine = engine_of(nano_weights(4), static_cast<std::size_t>(state.range(0)));
  engine.generate(requests);
  for (auto _ : state) {
    benchmark::DoNotOptimize(engine.generate(requests));
  }
  set_rate(state, "tokens_per_second", num_sequences * kNewTokens);
}
BENCHMARK(decoding)
    ->ArgNames({"threads", "sequences"})
    ->Args({1, 1})
    ->Args({1, 8})
    ->Args({1, 64})
    ->Args({2, 64})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// A step of 64 episodes: each reads kStepTokens new tokens and chooses one of kNumChoices actions.
void choosing(benchmark::State& state) {
  std::vector<GenerationRequest> requests = choice_requests(kNumEpisodes);
  if (!is_checked(state, requests)) {
    return;
  }
  GenerationEngine engine = engine_of(nano_weights(4), static_cast<std::size_t>(state.range(0)));
  for (GenerationRequest& request : requests) {
    request.kept_tokens = kContextTokens - kStepTokens;
  }
  engine.generate(requests);
  const EngineCounters before = engine.counters();
  for (auto _ : state) {
    benchmark::DoNotOptimize(engine.generate(requests));
    state.PauseTiming();
    // Another observation, so that it has to be read.
    for (GenerationRequest& request : requests) {
      TokenId& first = request.context[request.kept_tokens];
      first = (first + 1) % static_cast<TokenId>(kVocabulary);
    }
    state.ResumeTiming();
  }
  const EngineCounters after = engine.counters();
  const double calls = static_cast<double>(state.iterations());
  state.counters["read"] =
      static_cast<double>(after.prefill_tokens - before.prefill_tokens) / calls;
  set_rate(state, "choices_per_second", kNumEpisodes);
  set_rate(state, "tokens_per_second", kNumEpisodes * kChoiceTokens);
}
BENCHMARK(choosing)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(
    benchmark::kMillisecond);

// --- The peer ------------------------------------------------------------------------------------

// Processor time of this program: neighbours on a busy machine do not count, here and in the peer.
double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::string json_of(const std::vector<TokenId>& tokens) {
  return fmt::format("[{}]", fmt::join(tokens, ","));
}

// One generate() of all episodes, as JSON for the peer: {"contexts":[[..]],"choices":[[[..]]],
// "replies":[[..]]}; the choices are empty where the replies are free.
std::string json_of(const std::vector<GenerationRequest>& requests,
                    const std::vector<GenerationReply>& replies) {
  std::vector<std::string> contexts;
  std::vector<std::string> choices;
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    contexts.push_back(json_of(requests[i].context));
    tokens.push_back(json_of(replies[i].tokens));
    if (requests[i].choices) {
      std::vector<std::string> each;
      for (const auto& choice : all_paths(*requests[i].choices)) {
        each.push_back(json_of(choice));
      }
      choices.push_back(fmt::format("[{}]", fmt::join(each, ",")));
    }
  }
  return fmt::format(R"({{"contexts":[{}],"choices":[{}],"replies":[{}]}})",
                     fmt::join(contexts, ","),
                     fmt::join(choices, ","),
                     fmt::join(tokens, ","));
}

// What was asked, call by call, and what it cost.
struct Played {
  double seconds = 0;
  std::size_t new_tokens = 0;
  std::vector<std::string> calls;
};

void play_call(GenerationEngine& engine,
               const std::vector<GenerationRequest>& requests,
               std::vector<GenerationReply>& replies,
               Played& played) {
  const double start = processor_seconds();
  replies = engine.generate(requests);
  played.seconds += processor_seconds() - start;
  played.calls.push_back(json_of(requests, replies));
  for (const GenerationReply& reply : replies) {
    played.new_tokens += reply.tokens.size();
  }
}

// kNewTokens after contexts that nobody has read.
Played play_fresh(GenerationEngine& engine) {
  Played played;
  std::vector<GenerationRequest> requests = free_requests(kNumEpisodes);
  for (GenerationRequest& request : requests) {
    request.temperature = 0;
  }
  std::vector<GenerationReply> replies;
  play_call(engine, requests, replies, played);
  return played;
}

void append_to_contexts(std::vector<GenerationRequest>& requests,
                        const std::vector<GenerationReply>& replies) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].context.insert(
        requests[i].context.end(), replies[i].tokens.begin(), replies[i].tokens.end());
  }
}

// Whole episodes, as rollouts play them: in each of kNumTurns turns an observation of kStepTokens
// arrives, kTurnTokens are written freely and one of kNumChoices actions is chosen.
Played play_episodes(GenerationEngine& engine) {
  constexpr std::size_t kNumTurns = 8;
  constexpr std::size_t kTurnTokens = 24;
  Played played;
  std::vector<GenerationRequest> requests = free_requests(kNumEpisodes);
  std::vector<GenerationReply> replies;
  for (std::size_t turn = 0; turn < kNumTurns; ++turn) {
    for (std::size_t i = 0; i < kNumEpisodes; ++i) {
      Rng rng = Rng(9).fork("observation", turn * kNumEpisodes + i);
      if (turn == 0) {
        requests[i].context.resize(kContextTokens / 2);
      }
      const auto observation = random_tokens(rng, kStepTokens);
      requests[i].context.insert(requests[i].context.end(), observation.begin(), observation.end());
      requests[i].temperature = 0;
      requests[i].max_tokens = kTurnTokens;
      requests[i].choices = nullptr;
    }
    play_call(engine, requests, replies, played);
    append_to_contexts(requests, replies);
    for (std::size_t i = 0; i < kNumEpisodes; ++i) {
      requests[i].choices = some_choices(turn * kNumEpisodes + i);
    }
    play_call(engine, requests, replies, played);
    append_to_contexts(requests, replies);
  }
  return played;
}

// Best of three, each from empty sessions.
Played best_of(GenerationEngine& engine, Played (*play)(GenerationEngine&)) {
  Played best;
  for (int run = 0; run < 3; ++run) {
    release_all(engine);
    Played played = play(engine);
    if (run == 0 || played.seconds < best.seconds) {
      best = std::move(played);
    }
  }
  return best;
}

// The same calls by us and by the peer; both greedy, on one thread.
int compare_with_peer(const std::string& python) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "dreamgym_generation_peer";
  TransformerWeights weights = nano_weights(0);  // no convolutions: plain Llama
  weights.config.family = "llama";
  save_weights(weights, folder.string(), NumberType::kFloat32);
  GenerationEngine engine = engine_of(weights, 1);
  std::vector<std::string> entries;
  for (const auto& [name, play] :
       {std::pair{"fresh", &play_fresh}, std::pair{"episodes", &play_episodes}}) {
    const Played played = best_of(engine, play);
    entries.push_back(fmt::format(R"("{}":{{"our_seconds":{:.6f},"calls":[{}]}})",
                                  name,
                                  played.seconds,
                                  fmt::join(played.calls, ",")));
    fmt::print("engine, {}: {:.3f} s, {:.0f} new tokens/s\n",
               name,
               played.seconds,
               static_cast<double>(played.new_tokens) / played.seconds);
  }
  std::fflush(stdout);
  std::ofstream(folder / "workload.json") << fmt::format("{{{}}}", fmt::join(entries, ","));
  const std::string script =
      (std::filesystem::path(DREAMGYM_SOURCE_DIR) / "bench/peers/generate_peer.py").string();
  const std::string command = fmt::format("'{}' '{}' '{}'", python, script, folder.string());
  return std::system(command.c_str()) == 0 ? 0 : 1;  // NOLINT(cert-env33-c): its own script
}

}  // namespace
}  // namespace dreamgym

int main(int argc, char** argv) {
  const std::string python = dreamgym::take_peer(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 2;
  }
  benchmark::RunSpecifiedBenchmarks();
  return python.empty() ? 0 : dreamgym::compare_with_peer(python);
}

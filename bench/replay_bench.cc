// Embedding and exact retrieval: how long a text and a query take.
//
// Every retrieval run is checked against a plain double loop over all rows before it is timed.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/replay/embedder.h"
#include "dreamgym/replay/replay_buffer.h"
#include "dreamgym/replay/vector_index.h"

namespace dreamgym {
namespace {

constexpr std::size_t kNumTransitions = 50'000;
constexpr std::size_t kDimension = 256;
constexpr std::size_t kTopK = 4;

std::vector<float> random_unit_vectors(Rng& rng, std::size_t count) {
  std::vector<float> vectors(count * kDimension);
  for (std::size_t i = 0; i < count; ++i) {
    double squares = 0;
    for (std::size_t d = 0; d < kDimension; ++d) {
      const double x = rng.normal();
      vectors[i * kDimension + d] = static_cast<float>(x);
      squares += x * x;
    }
    for (std::size_t d = 0; d < kDimension; ++d) {
      vectors[i * kDimension + d] /= static_cast<float>(std::sqrt(squares));
    }
  }
  return vectors;
}

bool equals_brute_force(const std::vector<float>& rows,
                        const std::vector<float>& queries,
                        const std::vector<std::vector<VectorIndex::Neighbour>>& found) {
  for (std::size_t q = 0; q < found.size(); ++q) {
    std::vector<double> scores(rows.size() / kDimension);
    for (std::size_t row = 0; row < scores.size(); ++row) {
      for (std::size_t d = 0; d < kDimension; ++d) {
        scores[row] +=
            static_cast<double>(rows[row * kDimension + d]) * queries[q * kDimension + d];
      }
    }
    auto sorted = scores;
    std::partial_sort(sorted.begin(), sorted.begin() + kTopK, sorted.end(), std::greater<>());
    for (std::size_t i = 0; i < kTopK; ++i) {
      // Float sums differ from double ones by less than this.
      if (std::abs(scores[found[q][i].key] - sorted[i]) > 1e-5 ||
          std::abs(found[q][i].similarity - sorted[i]) > 1e-5) {
        return false;
      }
    }
  }
  return true;
}

void top4_among_50000_vectors(benchmark::State& state) {
  const auto num_queries = static_cast<std::size_t>(state.range(0));
  Rng rng(1);
  const auto rows = random_unit_vectors(rng, kNumTransitions);
  const auto queries = random_unit_vectors(rng, num_queries);
  const auto index = make_flat_index(kDimension);
  for (std::size_t i = 0; i < kNumTransitions; ++i) {
    index->add(i, i, std::span(rows).subspan(i * kDimension, kDimension));
  }
  if (!equals_brute_force(rows, queries, index->search(queries, kTopK, {}, 1))) {
    state.SkipWithError("the result differs from brute force");
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(index->search(queries, kTopK, {}, 1));
  }
  state.counters["query"] = benchmark::Counter(
      static_cast<double>(num_queries),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(top4_among_50000_vectors)
    ->Arg(1)
    ->Arg(8)
    ->Arg(64)
    ->Arg(256)
    ->Unit(benchmark::kMillisecond);

std::string invented_observation(Rng& rng) {
  std::string text = fmt::format("You arrive at shelf {}. On it, you see", rng.below(30));
  for (int i = 0; i < 5; ++i) {
    text += fmt::format(" a thing{} {},", rng.below(500), rng.below(9));
  }
  return text;
}

// The whole way of a query: embed, search, filter, hand out; from records with episodes and dreams.
void top4_from_replay_buffer(benchmark::State& state) {
  Rng rng(2);
  ReplayBuffer buffer(std::make_shared<HashedNgramEmbedder>());
  std::vector<StoredTransition> records(kNumTransitions);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].world = "invented";
    records[i].split = "train";
    records[i].episode_id = std::to_string(i / 12);
    records[i].provenance = i % 2 == 0 ? Provenance::kReal : Provenance::kDreamed;
    records[i].transition.observation.text = invented_observation(rng);
    records[i].transition.action = fmt::format("take thing{} 1", rng.below(500));
    records[i].transition.next_observation.text = invented_observation(rng);
  }
  buffer.add(records);
  std::vector<ReplayQuery> queries;
  for (std::size_t i = 0; i < static_cast<std::size_t>(state.range(0)); ++i) {
    const auto& record = records[i * 131];
    queries.push_back({.state = record.transition.observation.text,
                       .action = record.transition.action,
                       .world = "invented",
                       .episode_id = record.episode_id});
  }
  for (const auto& hits : buffer.search(queries, {.k = kTopK})) {
    if (hits.size() != kTopK) {
      state.SkipWithError("a query found fewer than k");
      return;
    }
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(buffer.search(queries, {.k = kTopK}));
  }
  state.counters["query"] = benchmark::Counter(
      static_cast<double>(queries.size()),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(top4_from_replay_buffer)->Arg(64)->Unit(benchmark::kMillisecond);

void embed_state_and_action(benchmark::State& state) {
  Rng rng(3);
  const HashedNgramEmbedder embedder;
  const std::string observation = invented_observation(rng);
  const std::string action = "take thing7 1 from shelf 3";
  for (auto _ : state) {
    benchmark::DoNotOptimize(embedder.embed_pair(observation, action));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(observation.size() + action.size()));
}
BENCHMARK(embed_state_and_action);

}  // namespace
}  // namespace dreamgym

BENCHMARK_MAIN();

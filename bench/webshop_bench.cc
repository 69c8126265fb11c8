// WebShop: steps with available actions, searches, rewards, making a shop. Every result is checked.
//
// Peer (WebShop 64fa2a5 with pyserini 0.17.0, one core, 1,000 products): 22 steps/s with available
// actions, a search 76 ms (Lucene alone 44 queries/s cold), buying 68 ms, start-up 5.8 s, 412 MB.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>

#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/query_words.h"
#include "dreamgym/worlds/webshop/real_data.h"
#include "dreamgym/worlds/webshop/shop_generator.h"
#include "dreamgym/worlds/webshop/webshop_environment.h"

namespace dreamgym::webshop {
namespace {

void require(bool holds, const char* what) {
  if (!holds) {
    throw std::runtime_error(what);
  }
}

bool has_real_data() {
  return std::filesystem::exists(real_data_folder() / "items_shuffle_1000.json");
}

/// The 1,000 real products where they are, else as many generated ones.
Task some_task(const std::string& mode) {
  Task task{.id = "benchmark", .world = "webshop", .settings = {{settings::kMode, mode}}};
  if (has_real_data()) {
    task.settings[settings::kData] = real_data_folder().string();
    task.settings[settings::kGoals] = "synthetic";
  } else {
    task.settings[settings::kGenerated] = to_text({.num_products = 1000});
  }
  return task;
}

/// A random walk over the admissible actions; a new session at each end.
void walk(benchmark::State& state, const std::string& mode) {
  const auto library = std::make_shared<ShopLibrary>();
  WebshopEnvironment environment(library);
  Task task = some_task(mode);
  const std::size_t num_goals = library->find(task)->goals().size();
  Rng rng(1);
  std::int64_t steps = 0;
  bool running = false;
  Observation observation;
  for (auto _ : state) {
    if (!running) {
      task.settings[settings::kSession] = std::to_string(rng.below(num_goals));
      observation = environment.reset(task, 0);
    }
    StepResult result = environment.step(rng.choose(observation.admissible));
    require(result.action_valid, "an admissible action is possible");
    running = !result.terminated;
    observation = std::move(result.observation);
    ++steps;
  }
  state.SetItemsProcessed(steps);
}
BENCHMARK_CAPTURE(walk, text, "text");
BENCHMARK_CAPTURE(walk, text_rich, "text_rich");
BENCHMARK_CAPTURE(walk, html, "html");

std::vector<std::string> queries_of(const Shop& shop, std::size_t count) {
  std::vector<std::string> queries;
  Rng rng(2);
  for (std::size_t i = 0; i < count; ++i) {
    queries.push_back(
        suggest_queries(shop.goals().goal(rng.below(shop.goals().size())).instruction).front());
  }
  return queries;
}

void time_searches(benchmark::State& state, const Shop& shop) {
  const std::vector<std::string> queries = queries_of(shop, 500);
  std::vector<double> microseconds;
  std::size_t next = 0;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    const auto hits = shop.index().search(queries[next++ % queries.size()], 50);
    const auto end = std::chrono::steady_clock::now();
    require(!hits.empty() && std::ranges::is_sorted(hits, std::ranges::greater(), &SearchHit::score),
            "hits come best first");
    microseconds.push_back(std::chrono::duration<double, std::micro>(end - begin).count());
  }
  std::ranges::sort(microseconds);
  state.counters["p50_us"] = microseconds[microseconds.size() / 2];
  state.counters["p99_us"] = microseconds[microseconds.size() * 99 / 100];
}

void search_catalogue(benchmark::State& state) {
  time_searches(state, *ShopLibrary().find(some_task("text")));
}
BENCHMARK(search_catalogue)->Unit(benchmark::kMicrosecond)->Iterations(20000);

/// Human-like goals of a generated shop of that many products.
void search_generated(benchmark::State& state) {
  const auto shop = generate_shop(
      {.num_products = static_cast<std::size_t>(state.range(0)), .instructions_per_product = 1},
      GoalKind::kHuman);
  time_searches(state, *shop);
}
BENCHMARK(search_generated)
    ->Arg(1000)
    ->Arg(100000)
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(2000);

void make_shop(benchmark::State& state) {
  const Task task = some_task("text");
  for (auto _ : state) {
    require(ShopLibrary().find(task)->catalogue().size() == 1000, "all products are there");
  }
}
BENCHMARK(make_shop)->Unit(benchmark::kMillisecond);

void buy(benchmark::State& state) {
  const auto shop = ShopLibrary().find(some_task("text"));
  Rng rng(3);
  double sum = 0;
  for (auto _ : state) {
    const Goal goal = shop->goals().goal(rng.below(shop->goals().size()));
    sum += shop->reward(goal, static_cast<ProductIndex>(rng.below(1000)), {"black", "large"}).reward;
  }
  require(sum >= 0, "rewards are not negative");
}
BENCHMARK(buy)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace dreamgym::webshop

BENCHMARK_MAIN();

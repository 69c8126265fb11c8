// WebShop: steps with available actions, searches, rewards, making a shop. Every result is checked.
//
// Peer (WebShop 64fa2a5 with pyserini 0.17.0, one core, 1,000 products): 22 steps/s with available
// actions, a search 76 ms (Lucene alone 44 queries/s cold), buying 68 ms, start-up 5.8 s, 412 MB.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "dreamgym/base/file.h"
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

/// Of this thread, so that others on the machine do not count.
double cpu_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

void time_searches(benchmark::State& state,
                   const SearchIndex& index,
                   const std::vector<std::string>& queries) {
  std::vector<double> microseconds;
  std::size_t next = 0;
  for (auto _ : state) {
    const double begin = cpu_microseconds();
    const auto hits = index.search(queries[next++ % queries.size()], 50);
    microseconds.push_back(cpu_microseconds() - begin);
    require(
        !hits.empty() && std::ranges::is_sorted(hits, std::ranges::greater(), &SearchHit::score),
        "hits come best first");
  }
  std::ranges::sort(microseconds);
  state.counters["p50_us"] = microseconds[microseconds.size() / 2];
  state.counters["p99_us"] = microseconds[microseconds.size() * 99 / 100];
}

void search_catalogue(benchmark::State& state) {
  const auto shop = ShopLibrary().find(some_task("text"));
  time_searches(state, shop->index(), queries_of(*shop, 500));
}
BENCHMARK(search_catalogue)->Unit(benchmark::kMicrosecond)->Iterations(20000);

/// The index alone, of that many generated products, and the words of their instructions.
void search_generated(benchmark::State& state) {
  constexpr std::size_t kBatch = 1000;
  SearchIndexBuilder builder;
  std::vector<std::string> queries;
  const auto count = static_cast<std::size_t>(state.range(0));
  for (std::size_t done = 0; done < count; done += kBatch) {
    for (const Product& product : generate_products(
             {.num_products = std::min(kBatch, count - done), .seed = done / kBatch})) {
      builder.add(product.asin, searchable_text(product));
      if (queries.size() < 2000) {
        queries.push_back(suggest_queries(product.human_instructions.back().text).front());
      }
    }
  }
  time_searches(state, builder.build(), queries);
}
BENCHMARK(search_generated)
    ->Arg(1000)
    ->Arg(100000)
    ->Arg(1180000)
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(2000);

/// Bytes a session holds beyond the shop, in mid-episode.
void live_sessions(benchmark::State& state) {
  const auto shop = ShopLibrary().find(some_task("text"));
  const auto resident_bytes = [] {
    return static_cast<double>(std::stoll(words(read_file("/proc/self/statm")).at(1)) * 4096);
  };
  constexpr std::size_t kSessions = 10000;
  for (auto _ : state) {
    const double before = resident_bytes();
    std::vector<Session> sessions;
    sessions.reserve(kSessions);
    for (std::size_t i = 0; i < kSessions; ++i) {
      const std::size_t number = i % shop->goals().size();
      sessions.emplace_back(shop, std::to_string(number), shop->goals().goal(number), i);
      require(sessions.back().act("search[black shoes]"), "a search is possible");
    }
    state.counters["bytes_a_session"] = (resident_bytes() - before) / kSessions;
  }
}
BENCHMARK(live_sessions)->Unit(benchmark::kMillisecond)->Iterations(1);

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
    sum +=
        shop->reward(goal, static_cast<ProductIndex>(rng.below(1000)), {"black", "large"}).reward;
  }
  require(sum >= 0, "rewards are not negative");
}
BENCHMARK(buy)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace dreamgym::webshop

BENCHMARK_MAIN();

// WebShop: steps with available actions, searches, rewards, making a shop, start-up at full size,
// malformed actions. Every result is checked.
//
// Peer (WebShop 64fa2a5 with pyserini 0.17.0, one core, 1,000 products): 22 steps/s with available
// actions, a search 76 ms (Lucene alone 44 queries/s cold), buying 68 ms, start-up 5.8 s, 412 MB.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "dreamgym/base/file.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/query_words.h"
#include "dreamgym/worlds/webshop/random_actions.h"
#include "dreamgym/worlds/webshop/real_data.h"
#include "dreamgym/worlds/webshop/shop_generator.h"
#include "dreamgym/worlds/webshop/webshop_environment.h"
#include "tests/temporary_folder.h"

namespace dreamgym::webshop {
namespace {

constexpr double kMib = 1 << 20;
constexpr std::size_t kSessions = 10000;

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

double resident_mib() {
  return static_cast<double>(std::stoll(words(read_file("/proc/self/statm")).at(1))) * 4096 / kMib;
}

/// Most that was resident since the last call of reset_peak().
double peak_mib() {
  for (const std::string& line : split(read_file("/proc/self/status"), '\n')) {
    if (line.starts_with("VmHWM:")) {
      return std::stod(words(line).at(1)) * 1024 / kMib;
    }
  }
  return 0;
}

void reset_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

/// A shop from the files, the seconds of processor time it took and the most that was resident.
struct Loaded {
  std::shared_ptr<const Shop> shop{};
  double seconds = 0;
  double peak_mib = 0;
};

Loaded load(const Path& folder) {
  reset_peak();
  const double begin = cpu_microseconds();
  Loaded out{.shop = load_shop({.data_folder = (folder / "data").string(),
                                .cache = (folder / "cache").string()})};
  out.seconds = (cpu_microseconds() - begin) / 1e6;
  out.peak_mib = peak_mib();
  return out;
}

/// Calls f in a process of its own, so that its memory does not count for what follows.
template <class F>
void apart(const F& f) {
  const pid_t child = fork();
  if (child == 0) {
    f();
    _exit(0);
  }
  int status = 0;
  require(child > 0 && waitpid(child, &status, 0) == child && status == 0, "the first start works");
}

/// From the files of that many generated products to a shop: reading them once (first_), mapping
/// what was kept in another process (later_); then searches over the mapped index.
/// Writes some 3 GB of files to the temporary folder for 1.18 million products.
void start_up(benchmark::State& state) {
  const TemporaryFolder folder;
  const auto count = static_cast<std::size_t>(state.range(0));
  apart([&] { write_catalogue(folder.path() / "data", {.num_products = count}); });
  apart([&] {
    const Loaded first = load(folder.path());
    write_file(folder.path() / "first", fmt::format("{} {}", first.seconds, first.peak_mib));
  });
  const std::vector<std::string> first = words(read_file(folder.path() / "first"));
  state.counters["first_s"] = std::stod(first.at(0));
  state.counters["first_peak_mib"] = std::stod(first.at(1));
  const Loaded later = load(folder.path());
  state.counters["later_s"] = later.seconds;
  state.counters["later_peak_mib"] = later.peak_mib;
  require(later.shop->catalogue().size() == count, "all products are there");
  time_searches(state, later.shop->index(), queries_of(*later.shop, 2000));
  state.counters["resident_mib"] = resident_mib();
  state.counters["file_mib"] = static_cast<double>(later.shop->catalogue().size_bytes()) / kMib;
}
BENCHMARK(start_up)
    ->Arg(1000)
    ->Arg(100000)
    ->Arg(1180000)
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(2000);

/// Bytes a session holds beyond the shop, in mid-episode.
void live_sessions(benchmark::State& state) {
  const auto shop = ShopLibrary().find(some_task("text"));
  for (auto _ : state) {
    const double before = resident_mib();
    std::vector<Session> sessions;
    sessions.reserve(kSessions);
    for (std::size_t i = 0; i < kSessions; ++i) {
      const std::size_t number = i % shop->goals().size();
      sessions.emplace_back(shop, std::to_string(number), shop->goals().goal(number), i);
      require(sessions.back().act("search[black shoes]"), "a search is possible");
    }
    state.counters["bytes_a_session"] = (resident_mib() - before) * kMib / kSessions;
  }
}
BENCHMARK(live_sessions)->Unit(benchmark::kMillisecond)->Iterations(1);

/// A million random actions, half of them malformed, on ten thousand live sessions.
void any_actions(benchmark::State& state) {
  constexpr std::size_t kActions = 1'000'000;
  const auto shop = ShopLibrary().find(some_task("text"));
  Rng rng(6);
  const auto new_session = [&] {
    const std::size_t number = rng.below(shop->goals().size());
    return std::make_unique<Session>(
        shop, std::to_string(number), shop->goals().goal(number), number);
  };
  for (auto _ : state) {
    std::vector<std::unique_ptr<Session>> sessions(kSessions);
    std::ranges::generate(sessions, new_session);
    std::size_t taken = 0;
    for (std::size_t i = 0; i < kActions; ++i) {
      auto& session = sessions[i % kSessions];
      if (session->done()) {
        session = new_session();
      }
      const std::string url = session->state().url;
      if (session->act(random_action(*session, rng))) {
        ++taken;
      } else {
        require(session->state().url == url, "what is not possible changes nothing");
      }
      require(!render(*shop, session->state(), ObservationMode::kTextRich).empty(),
              "every page shows something");
      if (i == kActions / 2) {
        state.counters["half_way_mib"] = resident_mib();
      }
    }
    state.counters["at_the_end_mib"] = resident_mib();
    state.counters["taken"] = static_cast<double>(taken);
  }
}
BENCHMARK(any_actions)->Unit(benchmark::kSecond)->Iterations(1);

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

// A replay buffer of a million transitions on disk: how long a start, a query and a build take, and what is found.
//
//   million_bench [--transitions=1000000] [--index=hnsw] [--links=32] [--build-effort=80] [--search-effort=64]
//                 [--threads=2] [--folder=DIR]
//
// Texts are invented, as a world's are: many places, few kinds of things, so that vectors lie in clusters. What the
// approximate index finds is held against exact search before anything is printed. Needs some 5 GB of memory and of
// disk for a million.

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dreamgym/base/number.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/replay/replay_buffer.h"

namespace dreamgym {
namespace {

constexpr std::size_t kBatch = 20'000;
constexpr std::size_t kQueries = 500;
constexpr std::size_t kTopK = 8;

struct Settings {
  std::size_t transitions = 1'000'000;
  IndexKind index = IndexKind::kHnsw;
  ApproximateIndexOptions options;
  std::filesystem::path folder;
};

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double cpu_seconds() {
  rusage usage{};
  (void)::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double thread_seconds() {
  timespec time{};
  (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double resident_gib() {
  long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    long size = 0;
    if (std::fscanf(file, "%ld %ld", &size, &pages) != 2) {
      pages = 0;
    }
    (void)std::fclose(file);
  }
  return static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0 * 1024.0);
}

// A look, a move or a treatment in one of many invented places.
StoredTransition invented(Rng& rng, std::size_t number) {
  static const std::vector<std::string> places = {"shelf", "drawer", "cabinet", "desk", "fridge", "sinkbasin", "safe", "bed"};
  static const std::vector<std::string> things = {"mug", "pen", "book", "plate", "cup", "apple", "knife", "vase", "cloth", "key", "lamp", "fork"};
  const auto place = [&] { return fmt::format("{} {}", rng.choose(places), 1 + rng.below(20)); };
  const auto thing = [&] { return fmt::format("{} {}", rng.choose(things), 1 + rng.below(4)); };
  StoredTransition record;
  record.world = "invented";
  record.split = "train";
  record.instruction = fmt::format("put a {} in {}", rng.choose(things), rng.choose(places));
  record.episode_id = fmt::format("e{}", number / 15);
  record.step_index = number % 15;
  record.provenance = number % 10 == 0 ? Provenance::kReal : Provenance::kDreamed;
  const std::string here = place();
  record.transition.observation.text = fmt::format("You arrive at {}. On the {}, you see a {}", here, here, thing());
  for (std::size_t i = rng.below(5); i > 0; --i) {
    record.transition.observation.text += ", a " + thing();
  }
  switch (rng.below(3)) {
    case 0:
      record.transition.action = "go to " + place();
      break;
    case 1:
      record.transition.action = fmt::format("take {} from {}", thing(), here);
      break;
    default:
      record.transition.action = fmt::format("move {} to {}", thing(), here);
  }
  record.transition.next_observation.text = fmt::format("You are at {}. You see a {}, and a {}.", place(), thing(), thing());
  return record;
}

std::vector<ReplayQuery> queries() {
  Rng rng(99);
  std::vector<ReplayQuery> asked;
  for (std::size_t i = 0; i < kQueries; ++i) {
    const StoredTransition record = invented(rng, 1'000'000'000 + i);
    asked.push_back({.state = record.transition.observation.text, .action = record.transition.action, .world = "invented", .episode_id = ""});
  }
  return asked;
}

double recall(const ReplayBuffer& buffer, const Settings& settings) {
  // Exact search over the same vectors, without another copy of the records.
  const HashedNgramEmbedder embedder;
  const auto exact = make_flat_index(embedder.dimension());
  const auto records = buffer.records();
  for (std::size_t i = 0; i < records.size(); ++i) {
    exact->add(i, demonstration_hash(records[i]->transition),
               embedder.embed_pair(records[i]->transition.observation.text, records[i]->transition.action));
  }
  std::vector<float> vectors;
  const auto asked = queries();
  for (const ReplayQuery& query : asked) {
    const auto vector = embedder.embed_pair(query.state, query.action);
    vectors.insert(vectors.end(), vector.begin(), vector.end());
  }
  const auto truth = exact->search(vectors, kTopK, {}, settings.options.build_threads);
  const auto found = buffer.search(asked, {.k = kTopK, .num_threads = settings.options.build_threads});
  // Of equally similar ones any will do: a found one counts if it is as similar as the worst of the true k.
  double hits = 0;
  for (std::size_t q = 0; q < asked.size(); ++q) {
    const double worst = truth[q].back().similarity - 1e-6;
    hits += static_cast<double>(std::count_if(found[q].begin(), found[q].end(), [&](const ReplayHit& hit) { return hit.similarity >= worst; }));
  }
  return hits / static_cast<double>(kTopK * asked.size());
}

void run(const Settings& settings) {
  const std::filesystem::path store = settings.folder / "experience.sqlite";
  ReplayBufferOptions options;
  options.dreamed_capacity = settings.transitions;
  options.index = settings.index;
  options.approximate = settings.options;
  if (!std::filesystem::exists(store)) {
    Rng rng(1);
    ReplayBuffer buffer(std::make_shared<HashedNgramEmbedder>(), store, options);
    const double before = cpu_seconds();
    const double wall = seconds_of([&] {
      for (std::size_t begin = 0; begin < settings.transitions; begin += kBatch) {
        std::vector<StoredTransition> records;
        for (std::size_t i = begin; i < std::min(settings.transitions, begin + kBatch); ++i) {
          records.push_back(invented(rng, i));
        }
        (void)buffer.add(records);
      }
      buffer.save_index();
    });
    fmt::print("written: {} transitions in {:.0f} s, {:.0f} s of processor time\n", buffer.size(), wall, cpu_seconds() - before);
  }
  std::unique_ptr<ReplayBuffer> buffer;
  const double before = cpu_seconds();
  const double wall = seconds_of([&] {
    buffer = std::make_unique<ReplayBuffer>(std::make_shared<HashedNgramEmbedder>(), store, options);
  });
  fmt::print("start: {} transitions in {:.1f} s, {:.1f} s of processor time, {:.2f} GiB resident\n",
             buffer->size(), wall, cpu_seconds() - before, resident_gib());
  const auto asked = queries();
  (void)buffer->search(std::span(asked).first(50), {.k = kTopK});  // warm
  std::vector<double> times;  // ms of processor time: other work on the machine does not count
  for (const ReplayQuery& query : asked) {
    const double search_before = thread_seconds();
    (void)buffer->search(std::span(&query, 1), {.k = kTopK});
    times.push_back(1000 * (thread_seconds() - search_before));
  }
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) { return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))]; };
  fmt::print("query: top {}, one at a time on one core, ms of processor time: median {:.3f}, 99% within {:.3f}, worst {:.3f}\n",
             kTopK, at(0.5), at(0.99), times.back());
  fmt::print("recall at {}: {:.4f} over {} queries\n", kTopK, recall(*buffer, settings), asked.size());
}

}  // namespace
}  // namespace dreamgym

int main(int argc, char** argv) {
  using namespace dreamgym;
  Settings settings;
  settings.options.build_threads = 2;
  std::string folder;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    const auto number = [&](std::string_view name, std::size_t& value) {
      if (consume_prefix(argument, name)) {
        value = parse_unsigned(argument).value_or(value);
      }
    };
    number("--transitions=", settings.transitions);
    number("--links=", settings.options.links);
    number("--build-effort=", settings.options.build_effort);
    number("--search-effort=", settings.options.search_effort);
    number("--cells=", settings.options.cells);
    number("--searched-cells=", settings.options.searched_cells);
    number("--threads=", settings.options.build_threads);
    if (consume_prefix(argument, "--index=")) {
      settings.index = index_kind_named(argument);
    }
    if (consume_prefix(argument, "--folder=")) {
      folder = argument;
    }
  }
  const bool temporary = folder.empty();
  settings.folder = temporary ? std::filesystem::temp_directory_path() / fmt::format("dreamgym-million-{}", ::getpid())
                              : std::filesystem::path(folder);
  std::filesystem::create_directories(settings.folder);
  run(settings);
  if (temporary) {
    std::filesystem::remove_all(settings.folder);
  }
  return 0;
}

// What a dreamed step costs and where the time goes: a run's dream, many episodes side by side, against the same
// engine's plain decoding of the same replies.
//
//   dream_bench --run=RUN [--episodes=64] [--steps=15] [--rounds=3] [--threads=2] [--out=EPISODES.jsonl]
//
// Somebody wanders through the dream at random. Checked first: the same episodes come out again (--out keeps them, to
// hold two builds against each other). Plain decoding is each of the dream's calls made once more, when all of its
// contexts but their last token is in the cache: the same requests side by side, the same contexts, the same tokens.
// What the dream's own call takes longer is reading. The two follow each other call by call, so that other work on the
// machine meets both alike; all times are processor time, medians over the rounds.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/number_option.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/trajectory_json.h"
#include "dreamgym/eval/long_dreams.h"
#include "dreamgym/experience/experience_model.h"
#include "dreamgym/llm/bpe_tokenizer.h"
#include "dreamgym/llm/checkpoint/weights.h"
#include "dreamgym/nn/generation_engine.h"
#include "dreamgym/worlds/catalog.h"

namespace dreamgym {
namespace {

struct Settings {
  std::string run;
  std::size_t episodes = 64;
  std::size_t steps = 15;
  std::size_t rounds = 3;
  std::size_t threads = 2;
  std::string out;  // file; "" = none
};

// Of all threads of this process.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// What went through a model, and the time it took.
struct Use {
  double seconds = 0;
  std::size_t tokens = 0;  // generated
};

// Measures the calls of a model and, of those that ask for at least `wide` replies, the same call again.
class Metered final : public LanguageModel {
 public:
  Metered(GenerationEngine& inner, std::size_t wide) : inner_(inner), wide_(wide) {}
  std::vector<GenerationReply> generate(std::span<const GenerationRequest> requests) override {
    const std::uint64_t read_before = inner_.counters().prefill_tokens;
    double start = processor_seconds();
    auto replies = inner_.generate(requests);
    dreamed.seconds += processor_seconds() - start;
    read += inner_.counters().prefill_tokens - read_before;
    const std::size_t made = num_tokens(replies);
    dreamed.tokens += made;
    for (const GenerationRequest& request : requests) {
      context_tokens += request.context.size();
      ++num_requests;
    }
    if (requests.size() < wide_) {
      return replies;
    }
    start = processor_seconds();
    const auto again = inner_.generate(requests);
    plain.seconds += processor_seconds() - start;
    plain.tokens += made;
    check(num_tokens(again) == made, "a request that is asked again is answered alike");
    return replies;
  }
  void release(std::span<const std::uint64_t> sessions) override { inner_.release(sessions); }
  [[nodiscard]] const Tokenizer& tokenizer() const override { return inner_.tokenizer(); }
  [[nodiscard]] std::size_t max_context_tokens() const override { return inner_.max_context_tokens(); }
  [[nodiscard]] std::string version() const override { return inner_.version(); }

  Use dreamed;
  Use plain;
  std::uint64_t read = 0;  // context tokens computed
  std::size_t context_tokens = 0;
  std::size_t num_requests = 0;

 private:
  static std::size_t num_tokens(std::span<const GenerationReply> replies) {
    std::size_t count = 0;
    for (const GenerationReply& reply : replies) {
      count += reply.tokens.size();
    }
    return count;
  }

  GenerationEngine& inner_;
  std::size_t wide_;
};

// A dream of all episodes: times and tokens a step. Retrieval's time is the wall clock's.
struct Round {
  double all_ms = 0;
  double model_ms = 0;
  double retrieval_ms = 0;
  double decode_ms = 0;  // of the generated tokens, at plain decoding's rate
  double read = 0;
  double generated = 0;
  double context = 0;    // tokens a request
  std::size_t steps = 0;
};

// Of one member over the rounds.
double median(std::span<const Round> rounds, double Round::*member) {
  std::vector<double> values;
  for (const Round& round : rounds) {
    values.push_back(round.*member);
  }
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void report(std::span<const Round> rounds, std::size_t num_episodes) {
  const double all = median(rounds, &Round::all_ms);
  const double model = median(rounds, &Round::model_ms);
  const double decode = median(rounds, &Round::decode_ms);
  const double generated = median(rounds, &Round::generated);
  const double context = median(rounds, &Round::context);
  fmt::print("{} episodes side by side, {} steps: {:.3f} ms a step; {:.1f} tokens generated and {:.1f} read a step, {:.0f} "
             "in a request's context\n",
             num_episodes,
             rounds.front().steps,
             all,
             generated,
             median(rounds, &Round::read),
             context);
  fmt::print("of the time: decoding {:.1f}%, reading {:.1f}%, all else (retrieval, prompts, rules, mapper) {:.1f}%; "
             "retrieval by the clock on the wall {:.3f} ms a step\n",
             100 * decode / all,
             100 * (model - decode) / all,
             100 * (all - model) / all,
             median(rounds, &Round::retrieval_ms));
  fmt::print("dream {:.0f} generated tokens/s, plain decoding of the same replies {:.0f} tokens/s: ratio {:.2f}\n",
             1000 * generated / all,
             1000 * generated / decode,
             decode / all);
}

void run(const Settings& settings) {
  const Path folder = settings.run;
  const Path model = folder / "models" / "experience";
  const auto tokenizer = std::make_shared<const BpeTokenizer>(read_tokenizer(model / "tokenizer.json"));
  GenerationEngine engine(load_weights(model.string()), tokenizer, {.num_threads = settings.threads});
  const ReplayBuffer buffer(std::make_shared<HashedNgramEmbedder>(), folder / "experience.sqlite");
  std::vector<Task> tasks;
  std::string world;
  for (const Trajectory& story : read_trajectories(folder / "data" / "offline.jsonl")) {
    if (tasks.size() < settings.episodes && !story.steps.empty()) {
      tasks.push_back(story.task);
      tasks.back().settings[task_settings::kFirstObservation] = story.steps.front().observation.text;
      world = story.task.world;
    }
  }
  const auto mappers = make_world(world)->make_action_mapper_factory();
  std::vector<Round> rounds;
  const auto dream_once = [&] {
    Metered metered(engine, tasks.size() / 2);
    ExperienceModel dream(metered, tokenizer, &buffer, {.num_threads = settings.threads});
    const double start = processor_seconds();
    auto stories = wander(dream, *mappers, tasks, settings.steps, Rng(1));
    const double took = processor_seconds() - start - metered.plain.seconds;
    const DreamCounters& counters = dream.counters();
    const auto steps = static_cast<double>(counters.steps);
    const auto generated = static_cast<double>(metered.dreamed.tokens);
    const double seconds_a_token = metered.plain.seconds / static_cast<double>(metered.plain.tokens);
    rounds.push_back(
        {.all_ms = 1000 * took / steps,
         .model_ms = 1000 * metered.dreamed.seconds / steps,
         .retrieval_ms = 1000 * counters.retrieval_seconds / steps,
         .decode_ms = 1000 * seconds_a_token * generated / steps,
         .read = static_cast<double>(metered.read) / steps,
         .generated = generated / steps,
         .context = static_cast<double>(metered.context_tokens) / static_cast<double>(metered.num_requests),
         .steps = counters.steps});
    return stories;
  };
  const auto stories = dream_once();
  if (!settings.out.empty()) {
    write_trajectories(settings.out, stories);
  }
  check(dream_once() == stories, "the same episodes come out again");
  rounds.clear();
  for (std::size_t r = 0; r < settings.rounds; ++r) {
    (void)dream_once();
  }
  report(rounds, tasks.size());
}

}  // namespace
}  // namespace dreamgym

int main(int argc, char** argv) {
  using namespace dreamgym;
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    take_number(argument, "--episodes=", settings.episodes);
    take_number(argument, "--steps=", settings.steps);
    take_number(argument, "--rounds=", settings.rounds);
    take_number(argument, "--threads=", settings.threads);
    if (consume_prefix(argument, "--run=")) {
      settings.run = argument;
    }
    if (consume_prefix(argument, "--out=")) {
      settings.out = argument;
    }
  }
  if (settings.run.empty() || settings.rounds == 0) {
    fmt::print(stderr, "dream_bench --run=RUN [--episodes=64] [--steps=15] [--rounds=3] [--threads=2] [--out=EPISODES.jsonl]\n");
    return 2;
  }
  try {
    run(settings);
  } catch (const std::exception& error) {
    fmt::print(stderr, "dream_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}

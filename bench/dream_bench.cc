// What a dreamed step costs and where the time goes: a run's dream, many episodes side by side, against the same
// engine decoding the same number of tokens for as many plain requests.
//
//   dream_bench --run=RUN [--episodes=64] [--steps=15] [--rounds=3] [--threads=2]
//
// Somebody wanders through the dream at random. Checked first: the same episodes come out again. Both are measured
// in turns within one run, so that other work on the machine meets both alike; medians over the rounds.

#include <algorithm>
#include <chrono>
#include <cstdio>
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
};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Counts what goes through a model, and the time it takes.
class Metered final : public LanguageModel {
 public:
  explicit Metered(LanguageModel& inner) : inner_(inner) {}
  std::vector<GenerationReply> generate(std::span<const GenerationRequest> requests) override {
    const double start = seconds_now();
    auto replies = inner_.generate(requests);
    seconds += seconds_now() - start;
    ++calls;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      generated += replies[i].tokens.size();
      tail += requests[i].context.size() - std::min(requests[i].context.size(), requests[i].kept_tokens);
      longest = std::max(longest, requests[i].context.size());
    }
    return replies;
  }
  void release(std::span<const std::uint64_t> sessions) override { inner_.release(sessions); }
  [[nodiscard]] const Tokenizer& tokenizer() const override { return inner_.tokenizer(); }
  [[nodiscard]] std::size_t max_context_tokens() const override { return inner_.max_context_tokens(); }
  [[nodiscard]] std::string version() const override { return inner_.version(); }

  double seconds = 0;
  std::size_t calls = 0;
  std::size_t generated = 0;
  std::size_t tail = 0;      // tokens read and rolled back: demonstrations, recollections, query
  std::size_t longest = 0;   // context

 private:
  LanguageModel& inner_;
};

struct Round {
  double seconds = 0;
  double model_seconds = 0;
  double retrieval_seconds = 0;
  std::size_t steps = 0;
  std::size_t generated = 0;
  std::size_t tail = 0;
  std::size_t longest = 0;
  double plain_tokens_per_second = 0;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// As many requests as episodes, contexts as long as the dream's longest, each decoding `tokens` without end.
double plain_decode(GenerationEngine& engine, std::size_t episodes, std::size_t context, std::size_t tokens, Rng rng) {
  const auto vocabulary = static_cast<std::uint64_t>(engine.tokenizer().vocabulary_size());
  std::vector<GenerationRequest> requests(episodes);
  std::vector<std::uint64_t> sessions;
  for (std::size_t i = 0; i < episodes; ++i) {
    requests[i].session = i + 1;
    sessions.push_back(i + 1);
    for (std::size_t t = 0; t < context; ++t) {
      requests[i].context.push_back(static_cast<TokenId>(rng.below(vocabulary)));
    }
    requests[i].max_tokens = 1;
    requests[i].temperature = 0;
  }
  const auto read = engine.generate(requests);  // the context is in the cache now
  for (std::size_t i = 0; i < episodes; ++i) {
    requests[i].context.push_back(read[i].tokens.front());
    requests[i].max_tokens = tokens;
  }
  const double start = seconds_now();
  const auto replies = engine.generate(requests);
  const double took = seconds_now() - start;
  std::size_t made = 0;
  for (const GenerationReply& reply : replies) {
    made += reply.tokens.size();
  }
  engine.release(sessions);
  return static_cast<double>(made) / took;
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
  const auto dream_once = [&](Round& round) {
    Metered metered(engine);
    ExperienceModel dream(metered, tokenizer, &buffer, {.num_threads = settings.threads});
    const double start = seconds_now();
    const auto stories = wander(dream, *mappers, tasks, settings.steps, Rng(1));
    round.seconds = seconds_now() - start;
    round.model_seconds = metered.seconds;
    round.retrieval_seconds = dream.counters().retrieval_seconds;
    round.steps = dream.counters().steps;
    round.generated = metered.generated;
    round.tail = metered.tail;
    round.longest = metered.longest;
    return stories;
  };
  Round warm;
  const auto stories = dream_once(warm);
  Round again;
  check(dream_once(again) == stories, "the same episodes come out again");
  std::vector<double> ratio;
  std::vector<double> dreamed;
  std::vector<double> plain;
  std::vector<double> per_step;
  std::vector<double> model_share;
  std::vector<double> retrieval_share;
  for (std::size_t r = 0; r < settings.rounds; ++r) {
    Round round;
    (void)dream_once(round);
    const std::size_t per_reply = std::max<std::size_t>(1, round.generated / std::max<std::size_t>(1, round.steps));
    round.plain_tokens_per_second =
        plain_decode(engine, tasks.size(), round.longest - round.longest / 3, per_reply * 4, Rng(r));
    dreamed.push_back(static_cast<double>(round.generated) / round.seconds);
    plain.push_back(round.plain_tokens_per_second);
    ratio.push_back(dreamed.back() / plain.back());
    per_step.push_back(1000 * round.seconds / static_cast<double>(round.steps));
    model_share.push_back(round.model_seconds / round.seconds);
    retrieval_share.push_back(round.retrieval_seconds / round.seconds);
  }
  fmt::print("{} episodes side by side, {} steps: {:.2f} ms a step; {:.0f} generated and {:.0f} rolled-back tokens a step\n",
             tasks.size(),
             warm.steps,
             median(per_step),
             static_cast<double>(warm.generated) / static_cast<double>(warm.steps),
             static_cast<double>(warm.tail) / static_cast<double>(warm.steps));
  fmt::print("of the time: model {:.1f}%, retrieval {:.1f}%, the rest (prompts, rules, mapper) {:.1f}%\n",
             100 * median(model_share),
             100 * median(retrieval_share),
             100 * (1 - median(model_share) - median(retrieval_share)));
  fmt::print("dream {:.0f} generated tokens/s, plain decode {:.0f} tokens/s: ratio {:.2f}\n",
             median(dreamed),
             median(plain),
             median(ratio));
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
  }
  if (settings.run.empty() || settings.rounds == 0) {
    fmt::print(stderr, "dream_bench --run=RUN [--episodes=64] [--steps=15] [--rounds=3] [--threads=2]\n");
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

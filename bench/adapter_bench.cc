// An adapter beside the sampler's packed weights: how far sampler and trainer are apart, what handing
// over a new adapter costs, and what it costs to decode under one.
//
//   adapter_bench [--model=FILE|DIR] [--ranks=8,16] [--formats=bf16/fp32,bf16/bf16,bf16/int16,int8/fp32,int8/bf16,int8/int16]
//                 [--sequences=1,8,32] [--context=512] [--tokens=32]
//
// "merged": the trainer has exact weights, the sampler packs W + BA in its format. "shared": both have
// the weights rounded to that format, and the adapter is beside them. Differences are those of the
// log-probabilities of sampled tokens (temperature 1). One thread, processor time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/number_option.h"
#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/llm/pretrained_model.h"
#include "dreamgym/nn/engine_numbers.h"
#include "dreamgym/nn/generation_engine.h"
#include "dreamgym/nn/trainable_model.h"

namespace dreamgym {
namespace {

struct Settings {
  std::string model;
  std::vector<std::size_t> ranks{8, 16};
  std::vector<std::string> formats{
      "bf16/fp32", "bf16/bf16", "bf16/int16", "int8/fp32", "int8/bf16", "int8/int16"};
  std::vector<std::size_t> sequences{1, 8, 32};
  std::size_t context = 512;
  std::size_t tokens = 32;
};

void report(const nlohmann::ordered_json& line) {
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
}

template <class Work>
double seconds_of(const Work& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

EngineConfig engine_config(const std::string& format) {
  const auto parts = split(format, '/');
  return {.prefill_chunk_tokens = 128,
          .cache_budget_bytes = std::size_t{8} << 30,
          .weights = parts.at(0),
          .cache = parts.at(1)};
}

// As large as some hundred steps make it: its share of a product is a few percent.
LoraAdapter learnt_adapter(const TransformerConfig& config, std::size_t rank) {
  LoraAdapter settings;
  settings.rank = static_cast<std::int64_t>(rank);
  settings.alpha = 32;
  settings.target_modules = {
      "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
  LoraAdapter adapter = initial_lora(config, std::move(settings), 1);
  Rng rng(2);
  for (auto& [name, pair] : adapter.pairs) {
    for (float& value : pair.b.values) {
      value = static_cast<float>(0.005 * rng.normal());
    }
  }
  return adapter;
}

// Replies to the beginning of an episode, and what the trainer says of their tokens.
struct Sampled {
  std::vector<PackedBatch> batches;
  std::vector<std::vector<float>> logprobs;
};

Sampled sample(GenerationEngine& engine, const Tokenizer& tokenizer) {
  constexpr std::size_t kReplies = 8;
  GenerationRequest request;
  request.context = tokenizer.encode(
      "You are in the middle of a room. Looking quickly around you, you see a bed 1, a desk 2, a "
      "desk 1, a drawer 3, a drawer 2, a drawer 1 and a shelf 1. Your task is to look at the mug "
      "under the desklamp. You go to desk 1. On the desk 1, you see a desklamp 1 and a pencil 2.");
  request.max_tokens = 64;
  std::vector<GenerationRequest> requests(kReplies, request);
  for (std::size_t i = 0; i < kReplies; ++i) {
    requests[i].seed = i;
  }
  Sampled sampled;
  for (const GenerationReply& reply : engine.generate(requests)) {
    std::vector<TokenId> tokens = request.context;
    tokens.insert(tokens.end(), reply.tokens.begin(), reply.tokens.end());
    PackedBatch& batch = sampled.batches.emplace_back();
    const auto segment = batch.add_segment(tokens);
    for (std::size_t t = request.context.size(); t < tokens.size(); ++t) {
      (void)batch.add_query(segment, static_cast<std::uint32_t>(t));
    }
    sampled.logprobs.push_back(reply.logprobs);
  }
  return sampled;
}

void report_difference(const std::string& format,
                       const char* way,
                       const Sampled& sampled,
                       const TrainableModel& trainer) {
  const auto scores = trainer.score(sampled.batches);
  double sum = 0;
  double largest = 0;
  std::size_t count = 0;
  for (std::size_t b = 0; b < scores.size(); ++b) {
    for (std::size_t t = 0; t < scores[b].size(); ++t, ++count) {
      const double apart = std::abs(double{scores[b][t].logprob} - double{sampled.logprobs[b][t]});
      sum += apart;
      largest = std::max(largest, apart);
    }
  }
  report({{"name", "sampler against trainer"},
          {"format", format},
          {"way", way},
          {"tokens", count},
          {"mean", sum / static_cast<double>(count)},
          {"max", largest}});
}

void compare_with_trainer(const Settings& settings, const PretrainedModel& model) {
  const LoraAdapter adapter = learnt_adapter(model.weights.config, settings.ranks.back());
  const Tokenizer& tokenizer = *model.language.tokenizer;
  for (const std::string& format : settings.formats) {
    const EngineConfig config = engine_config(format);
    {
      const TrainableModel exact(model.weights, adapter, 1);
      GenerationEngine merged(exact.weights("merged"), nullptr, config);
      report_difference(format, "merged", sample(merged, tokenizer), exact);
    }
    TransformerWeights frozen = model.weights;
    round_to_engine_numbers(frozen, config.weights);
    GenerationEngine beside(frozen, nullptr, config);
    beside.set_adapter(adapter, "beside");
    const TrainableModel trainer(std::move(frozen), adapter, 1);
    report_difference(format, "shared", sample(beside, tokenizer), trainer);
  }
}

// Median of five.
template <class Work>
double median_seconds(const Work& work) {
  std::vector<double> seconds;
  for (int i = 0; i < 5; ++i) {
    seconds.push_back(seconds_of(work));
  }
  std::ranges::sort(seconds);
  return seconds[2];
}

void hand_over(const Settings& settings, const PretrainedModel& model) {
  for (const std::size_t rank : settings.ranks) {
    const TrainableModel trainer(model.weights, learnt_adapter(model.weights.config, rank), 1);
    for (const char* numbers : {"fp32", "bf16", "int8"}) {
      GenerationEngine engine(model.weights, nullptr, {.weights = numbers});
      const double merged = median_seconds([&] { engine.set_weights(trainer.weights("next")); });
      const double beside = median_seconds([&] { engine.set_adapter(*trainer.adapter(), "next"); });
      report({{"name", "hand-over"},
              {"weights", numbers},
              {"rank", rank},
              {"merged_seconds", merged},
              {"beside_seconds", beside}});
    }
  }
}

std::vector<GenerationRequest> requests_of(const Settings& settings, std::size_t count, std::int64_t vocabulary) {
  std::vector<GenerationRequest> requests(count);
  for (std::size_t i = 0; i < count; ++i) {
    Rng rng(i);
    requests[i].session = i + 1;
    requests[i].seed = i;
    requests[i].max_tokens = 1;
    for (std::size_t t = 0; t < settings.context; ++t) {
      requests[i].context.push_back(
          static_cast<TokenId>(rng.below(static_cast<std::uint64_t>(vocabulary))));
    }
  }
  return requests;
}

struct Speed {
  double reading = 0;   // seconds a token
  double decoding = 0;  // seconds a token of all sequences together
};

Speed speed_of(GenerationEngine& engine, const Settings& settings, std::size_t count, std::int64_t vocabulary) {
  auto requests = requests_of(settings, count, vocabulary);
  std::vector<GenerationReply> first;
  Speed speed;
  speed.reading = seconds_of([&] { first = engine.generate(requests); }) /
                  static_cast<double>(count * settings.context);
  for (std::size_t i = 0; i < count; ++i) {
    requests[i].context.push_back(first[i].tokens[0]);
    requests[i].max_tokens = settings.tokens;
  }
  speed.decoding = seconds_of([&] { (void)engine.generate(requests); }) /
                   static_cast<double>(count * settings.tokens);
  for (const GenerationRequest& request : requests) {
    engine.release(std::span(&request.session, 1));
  }
  return speed;
}

// Each round times the engine without an adapter and under each, so that what else the machine does
// meets all of them; the best round of each counts.
void decode(const Settings& settings, const PretrainedModel& model) {
  const std::int64_t vocabulary = model.weights.config.vocab_size;
  for (const std::string& format : settings.formats) {
    GenerationEngine engine(model.weights, nullptr, engine_config(format));
    for (const std::size_t count : settings.sequences) {
      std::vector<Speed> best(settings.ranks.size() + 1, {INFINITY, INFINITY});
      for (int round = 0; round < 3; ++round) {
        for (std::size_t way = 0; way <= settings.ranks.size(); ++way) {
          if (way == 0) {
            engine.set_weights(model.weights);
          } else {
            engine.set_adapter(learnt_adapter(model.weights.config, settings.ranks[way - 1]), "beside");
          }
          const Speed speed = speed_of(engine, settings, count, vocabulary);
          best[way].reading = std::min(best[way].reading, speed.reading);
          best[way].decoding = std::min(best[way].decoding, speed.decoding);
        }
      }
      for (std::size_t way = 0; way < best.size(); ++way) {
        report({{"name", "decoding"},
                {"format", format},
                {"sequences", count},
                {"rank", way == 0 ? 0 : settings.ranks[way - 1]},
                {"tokens_per_second", std::round(10 / best[way].decoding) / 10},
                {"times_without", best[way].decoding / best[0].decoding},
                {"reading_times_without", best[way].reading / best[0].reading}});
      }
    }
  }
}

template <class T, class Parse>
std::vector<T> list_of(std::string_view text, const Parse& parse) {
  std::vector<T> values;
  for (const auto& part : split(text, ',')) {
    values.push_back(parse(std::string(part)));
  }
  return values;
}

Settings parse(int argc, char** argv) {
  Settings settings;
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe): one thread
  settings.model =
      std::string(home == nullptr ? "" : home) + "/.cache/dreamgym/models/smollm2/model.gguf";
  const auto number = [](const std::string& text) { return std::stoul(text); };
  const auto as_it_is = [](const std::string& text) { return text; };
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    std::string_view value = argument;
    if (consume_prefix(value, "--model=")) {
      settings.model = value;
    } else if (consume_prefix(value, "--ranks=")) {
      settings.ranks = list_of<std::size_t>(value, number);
    } else if (consume_prefix(value, "--sequences=")) {
      settings.sequences = list_of<std::size_t>(value, number);
    } else if (consume_prefix(value, "--formats=")) {
      settings.formats = list_of<std::string>(value, as_it_is);
    } else if (argument.starts_with("--context=") || argument.starts_with("--tokens=")) {
      take_number(argument, "--context=", settings.context);
      take_number(argument, "--tokens=", settings.tokens);
    } else {
      throw Error(ErrorKind::kInvalidArgument, "unknown argument " + std::string(argument));
    }
  }
  return settings;
}

}  // namespace
}  // namespace dreamgym

int main(int argc, char** argv) {
  try {
    const dreamgym::Settings settings = dreamgym::parse(argc, argv);
    const dreamgym::PretrainedModel model = dreamgym::load_pretrained_model(settings.model);
    dreamgym::compare_with_trainer(settings, model);
    dreamgym::hand_over(settings, model);
    dreamgym::decode(settings, model);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "adapter_bench: {}\n", error.what());
    return 1;
  }
}

// A real language model on the generation engine: reading a prompt, decoding 1 to 64 sequences, a
// choice among 40 actions, a group that shares its prompt, and its
// tokenizer.
//
//   lm_bench [--model=FILE|DIR] [--context=512] [--tokens=16] [--sequences=1,8,32,64]
//            [--formats=fp32/fp32,bf16/bf16,int8/bf16] [--threads=1] [--peer=PYTHON]
//
// A format is weights/cache, or weights/cache/device for libtorch's operations (fp32/fp32/torch:cpu). Each is
// checked first: log-probabilities of a text against those of the first format.
// tokens_per_second counts tokens read (reading) or new tokens (decoding) a second, with one thread
// a second of processor time. --peer runs the same
// folder in Hugging Face transformers (bench/peers/lm_peer.py), the same .gguf in llama.cpp (bench/peers/llama_peer.py). What
// of OpenVINO (bench/peers/openvino_peer.py) is run by itself, with the same arguments.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/llm/pretrained_model.h"
#include "dreamgym/nn/generation_engine.h"
#include "dreamgym/nn/internal/matrix_product.h"
#include "dreamgym/nn/kernels/aligned_floats.h"
#include "dreamgym/nn/kernels/kernels.h"

namespace dreamgym {
namespace {

struct Settings {
  std::string model;
  std::size_t context = 512;
  std::size_t tokens = 16;
  std::vector<std::size_t> sequences{1, 8, 32, 64};
  std::vector<std::string> formats{"fp32/fp32", "bf16/bf16", "int8/bf16"};
  std::size_t threads = 1;
  std::string peer;
};

// Processor time of one thread says what a busy machine hides; with several, time is what counts.
double seconds_of(std::size_t threads, const std::function<void()>& work) {
  const auto wall = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  work();
  return threads == 1
             ? static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC
             : std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
}

std::vector<TokenId> random_tokens(std::uint64_t seed, std::size_t count, std::int64_t vocabulary) {
  Rng rng(seed);
  std::vector<TokenId> tokens(count);
  for (TokenId& token : tokens) {
    token = static_cast<TokenId>(rng.below(static_cast<std::uint64_t>(vocabulary)));
  }
  return tokens;
}

void report_values(nlohmann::ordered_json line) {
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
}

void report(const std::string& what, std::size_t sequences, double rate) {
  fmt::print("{}\n",
             nlohmann::ordered_json{{"name", what},
                                    {"sequences", sequences},
                                    {"tokens_per_second", std::round(rate * 10) / 10}}
                 .dump());
  std::fflush(stdout);
}

// Each `group` neighbours have the same context.
std::vector<GenerationRequest> requests_of(const Settings& settings,
                                           std::size_t count,
                                           std::int64_t vocabulary,
                                           std::size_t group = 1) {
  std::vector<GenerationRequest> requests(count);
  for (std::size_t i = 0; i < count; ++i) {
    requests[i].session = i + 1;
    requests[i].context = random_tokens(i / group, settings.context, vocabulary);
    requests[i].seed = i;
    requests[i].max_tokens = 1;
  }
  return requests;
}

// Reads the contexts, then times what follows.
double decoding_rate(GenerationEngine& engine,
                     const Settings& settings,
                     std::size_t count,
                     std::int64_t vocabulary,
                     std::size_t group = 1) {
  auto requests = requests_of(settings, count, vocabulary, group);
  const auto first = engine.generate(requests);
  for (std::size_t i = 0; i < count; ++i) {
    requests[i].context.push_back(first[i].tokens[0]);
    requests[i].max_tokens = settings.tokens;
  }
  const double seconds = seconds_of(settings.threads, [&] { (void)engine.generate(requests); });
  for (const GenerationRequest& request : requests) {
    engine.release(std::span(&request.session, 1));
  }
  return static_cast<double>(count * settings.tokens) / seconds;
}

double reading_rate(GenerationEngine& engine, const Settings& settings, std::int64_t vocabulary) {
  auto requests = requests_of(settings, 1, vocabulary);
  requests[0].session = 0;
  double best = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const double seconds = seconds_of(settings.threads, [&] { (void)engine.generate(requests); });
    best = std::max(best, static_cast<double>(settings.context) / seconds);
  }
  return best;
}

// Operations of reading a context: two a weight of the layers for each token, and attention's.
double reading_operations(const TransformerConfig& config, std::size_t context) {
  const auto length = static_cast<double>(context);
  const double heads = static_cast<double>(config.num_heads * config.head_dim);
  const double keys = static_cast<double>(config.num_kv_heads * config.head_dim);
  const auto hidden = static_cast<double>(config.hidden_size);
  const auto inner = static_cast<double>(config.intermediate_size);
  const double weights = hidden * (2 * heads + 2 * keys + 3 * inner);
  return static_cast<double>(config.num_layers) * length * (2 * weights + 2 * heads * (length + 1));
}

// Operations a second of the fastest fp32 product in reach, at the shape of a layer's widest.
double product_rate(const Settings& settings, const TransformerConfig& config) {
  const std::size_t rows = settings.context;
  const auto inner = static_cast<std::size_t>(config.hidden_size);
  const auto columns = static_cast<std::size_t>(config.intermediate_size);
  const std::vector<float> left(rows * inner, 0.5F);
  const std::vector<float> right(columns * inner, 0.25F);
  std::vector<float> out(rows * columns);
  const internal::SingleThread single;
  double best = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const double seconds = seconds_of(1, [&] {
      internal::multiply({rows, columns, inner},
                         {.data = left.data(), .stride = inner},
                         {.data = right.data(), .stride = inner, .transposed = true},
                         {.data = out.data(), .stride = columns});
    });
    best = std::max(best, 2.0 * static_cast<double>(rows * columns * inner) / seconds);
  }
  return best;
}

void report_reading(const std::string& format,
                    double rate,
                    const Settings& settings,
                    const TransformerConfig& config) {
  const double operations =
      rate / static_cast<double>(settings.context) * reading_operations(config, settings.context);
  report_values({{"name", format + " reading"},
                 {"sequences", 1},
                 {"tokens_per_second", std::round(rate * 10) / 10},
                 {"gigaflops", std::round(operations / 1e9)},
                 {"share_of_sgemm", operations / product_rate(settings, config)}});
}

// 40 actions of about 8 tokens that begin alike, as a household's do.
std::vector<std::vector<TokenId>> actions_of(const Tokenizer& tokenizer) {
  std::vector<std::vector<TokenId>> actions;
  for (int i = 0; i < 40; ++i) {
    actions.push_back(
        tokenizer.encode(fmt::format("put the mug {} in drawer {}", 1 + i % 4, 1 + i / 4)));
    actions.back().push_back(0);
  }
  return actions;
}

// Seconds of a choice against those of free decoding of as many tokens.
void compare_choice(const std::string& format,
                    GenerationEngine& engine,
                    const Settings& settings,
                    const ModelLanguage& language,
                    std::int64_t vocabulary) {
  const auto trie = std::make_shared<TokenTrie>(actions_of(*language.tokenizer));
  for (const std::size_t count : {std::size_t{1}, std::size_t{8}}) {
    auto requests = requests_of(settings, count, vocabulary);
    (void)engine.generate(requests);  // the contexts are read
    for (GenerationRequest& request : requests) {
      request.choices = trie;
      request.max_tokens = 64;
    }
    std::size_t tokens = 0;
    const double chosen = seconds_of(settings.threads, [&] {
      for (const GenerationReply& reply : engine.generate(requests)) {
        tokens += reply.tokens.size();
      }
    });
    for (GenerationRequest& request : requests) {
      request.choices = nullptr;
      request.max_tokens = tokens / count;
    }
    const double unheld = seconds_of(settings.threads, [&] { (void)engine.generate(requests); });
    report_values({{"name", format + " choice among 40 actions"},
                   {"sequences", count},
                   {"tokens", tokens},
                   {"times_free_decoding", chosen / unheld}});
    for (const GenerationRequest& request : requests) {
      engine.release(std::span(&request.session, 1));
    }
  }
}

// Context tokens a group of 8 computes, and the memory of its caches against that of one prompt and 8
// tails without a gap.
void share_prompt(const std::string& format,
                  GenerationEngine& engine,
                  const Settings& settings,
                  std::int64_t vocabulary) {
  constexpr std::size_t kMembers = 8;
  constexpr std::size_t kTail = 24;
  auto requests = requests_of(settings, kMembers, vocabulary);
  for (GenerationRequest& request : requests) {
    request.context = requests.front().context;
    request.max_tokens = kTail;
  }
  const auto before = engine.counters().prefill_tokens;
  const double seconds = seconds_of(settings.threads, [&] { (void)engine.generate(requests); });
  const std::size_t bytes = engine.cache_bytes();
  for (std::size_t i = 1; i < kMembers; ++i) {
    engine.release(std::span(&requests[i].session, 1));
  }
  // Whole blocks, all its own by now.
  const std::size_t tokens_of_one = round_up(settings.context + kTail - 1, kPanelWidth);
  const double token_bytes =
      static_cast<double>(engine.cache_bytes()) / static_cast<double>(tokens_of_one);
  const double bound = token_bytes * static_cast<double>(settings.context + kMembers * kTail);
  report_values({{"name", format + " group of 8, shared prompt"},
                 {"context_tokens", settings.context},
                 {"context_tokens_computed", engine.counters().prefill_tokens - before},
                 {"cache_bytes_of_the_bound", static_cast<double>(bytes) / bound},
                 {"seconds", seconds}});
  engine.release(std::span(&requests[0].session, 1));
}

void read_text(const ModelLanguage& language) {
  std::string text;
  for (int i = 0; text.size() < 1'000'000; ++i) {
    text += fmt::format("You arrive at desk {}. On the desk {}, you see a mug {}, a caf\xc3\xa9's card.\n", i, i, 7 * i);
  }
  std::size_t tokens = 0;
  const double seconds = seconds_of(1, [&] { tokens = language.tokenizer->encode(text).size(); });
  report_values({{"name", "tokenizer"},
                 {"bytes", text.size()},
                 {"tokens", tokens},
                 {"tokens_per_second", std::round(static_cast<double>(tokens) / seconds)}});
}

// Largest and mean difference of log-probabilities.
void compare(const std::string& format,
             const std::vector<float>& got,
             const std::vector<float>& expected) {
  double sum = 0;
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double difference = std::abs(double{got[i]} - double{expected[i]});
    sum += difference;
    worst = std::max(worst, difference);
  }
  fmt::print("{}\n",
             nlohmann::ordered_json{{"name", format + " log-probability difference"},
                                    {"mean", sum / static_cast<double>(got.size())},
                                    {"max", worst}}
                 .dump());
}

void run(const Settings& settings) {
  const PretrainedModel model = load_pretrained_model(settings.model);
  const std::int64_t vocabulary = model.weights.config.vocab_size;
  const auto text = model.language.tokenizer->encode(
      "You are in the middle of a room. Looking quickly around you, you see a bed 1, a desk 2, a "
      "desk 1, a drawer 3, a drawer 2, a drawer 1 and a shelf 1. Your task is to look at the mug "
      "under the desklamp. You go to desk 1. On the desk 1, you see a desklamp 1 and a pencil 2.");
  read_text(model.language);
  std::optional<std::vector<float>> expected;
  for (const std::string& format : settings.formats) {
    const auto parts = split(format, '/');
    EngineConfig config;
    config.num_threads = settings.threads;
    config.prefill_chunk_tokens = 128;
    config.cache_budget_bytes = std::size_t{8} << 30;
    config.weights = std::string(parts.at(0));
    config.cache = std::string(parts.at(1));
    config.device = parts.size() > 2 ? std::string(parts.at(2)) : "";
    GenerationEngine engine(model.weights, nullptr, config);
    const auto logprobs = engine.score(text).logprobs;
    if (expected) {
      compare(format, logprobs, *expected);
    } else {
      expected = logprobs;
    }
    report_reading(
        format, reading_rate(engine, settings, vocabulary), settings, model.weights.config);
    for (const std::size_t count : settings.sequences) {
      report(format + " decoding", count, decoding_rate(engine, settings, count, vocabulary));
      if (count > 1) {
        report(format + " decoding in groups of 8",
               count,
               decoding_rate(engine, settings, count, vocabulary, 8));
      }
    }
    compare_choice(format, engine, settings, model.language, vocabulary);
    share_prompt(format, engine, settings, vocabulary);
  }
}

Settings parse(int argc, char** argv) {
  Settings settings;
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe): one thread
  settings.model =
      std::string(home == nullptr ? "" : home) + "/.cache/dreamgym/models/smollm2/model.gguf";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto value = argument.substr(std::min(argument.find('=') + 1, argument.size()));
    const auto number = [&] { return static_cast<std::size_t>(std::stoul(std::string(value))); };
    if (argument.starts_with("--model=")) {
      settings.model = value;
    } else if (argument.starts_with("--context=")) {
      settings.context = number();
    } else if (argument.starts_with("--tokens=")) {
      settings.tokens = number();
    } else if (argument.starts_with("--threads=")) {
      settings.threads = number();
    } else if (argument.starts_with("--peer=")) {
      settings.peer = value;
    } else if (argument.starts_with("--formats=")) {
      settings.formats.clear();
      for (const auto& part : split(value, ',')) {
        settings.formats.emplace_back(part);
      }
    } else if (argument.starts_with("--sequences=")) {
      settings.sequences.clear();
      for (const auto& part : split(value, ',')) {
        settings.sequences.push_back(std::stoul(std::string(part)));
      }
    } else {
      throw Error(ErrorKind::kInvalidArgument, "unknown argument " + std::string(argument));
    }
  }
  return settings;
}

// The peer reads what it needs from its arguments and prints lines of the same form.
int run_peer(const Settings& settings) {
  std::string sequences;
  for (const std::size_t count : settings.sequences) {
    sequences += (sequences.empty() ? "" : ",") + std::to_string(count);
  }
  const std::string command =
      fmt::format("{} {}/bench/peers/{} {} {} {} {} {}",
                  settings.peer,
                  DREAMGYM_SOURCE_DIR,
                  settings.model.ends_with(".gguf") ? "llama_peer.py" : "lm_peer.py",
                  settings.model,
                  settings.context,
                  settings.tokens,
                  sequences,
                  settings.threads);
  return std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe): one thread
}

}  // namespace
}  // namespace dreamgym

int main(int argc, char** argv) {
  try {
    const dreamgym::Settings settings = dreamgym::parse(argc, argv);
    dreamgym::run(settings);
    return settings.peer.empty() ? 0 : dreamgym::run_peer(settings);
  } catch (const std::exception& error) {
    fmt::print(stderr, "lm_bench: {}\n", error.what());
    return 1;
  }
}

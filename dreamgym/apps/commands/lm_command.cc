#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dreamgym/apps/commands/commands.h"
#include "dreamgym/apps/lm/chat_repl.h"
#include "dreamgym/apps/lm/concurrent_door.h"
#include "dreamgym/apps/lm/convert.h"
#include "dreamgym/apps/lm/json_lines.h"
#include "dreamgym/apps/lm/model_doors.h"
#include "dreamgym/apps/lm/text_doors.h"
#include "dreamgym/nn/sentence_encoder.h"

namespace dreamgym {
namespace {

using lm::Json;

struct Options {
  lm::ModelOptions model;
  lm::ConvertOptions convert;
  lm::ReplOptions repl;
  std::size_t concurrent = 1;
  bool plain = false;
  bool generation_prompt = false;
};

using Shared = std::shared_ptr<Options>;

CLI::App* add_door(CLI::App& verb, const Shared& options, const char* name, const char* help) {
  CLI::App* door = verb.add_subcommand(name, help);
  door->add_option("--model", options->model.model, "folder, or .gguf file")->required();
  return door;
}

void add_engine_options(CLI::App& door, const Shared& options) {
  door.add_option("--adapter", options->model.adapter, "folder of a LoRA adapter to compute beside the weights");
  door.add_option("--chat-template",
                  options->model.chat_template,
                  "format of \"messages\" instead of the model's own");
  door.add_option("--threads", options->model.engine.num_threads)->capture_default_str();
  door.add_option("--weights", options->model.engine.weights, "fp32, bf16 or int8")
      ->capture_default_str();
  door.add_option("--cache", options->model.engine.cache, "keys and values: fp32, bf16 or int16")
      ->capture_default_str();
  door.add_option("--kernels", options->model.engine.kernels, "amx, avx512vnni, avx512, avx2 or plain");
  door.add_option("--device",
                  options->model.engine.device,
                  "compute with libtorch's operations on torch:cpu, cuda (the first NVIDIA GPU) or cuda:1, with "
                  "weights and cache in fp32 or bf16; without it our own kernels compute on the CPU");
}

void answer(const std::function<Json(const Json&)>& one) {
  lm::answer_lines(std::cin, std::cout, [&](const Json& line) {
    return std::vector<Json>{one(line)};
  });
}

void add_text_doors(CLI::App& verb, const Shared& options) {
  CLI::App* tokenize = add_door(
      verb,
      options,
      "tokenize",
      "\"text\" a line to {\"ids\"}\n"
      "Example: echo '\"Hello!\"' | dreamgym lm tokenize --model DIR");
  tokenize->add_flag("--plain", options->plain, "markers in the text are ordinary characters");
  tokenize->callback([options] {
    const lm::TextDoors doors(options->model.model);
    answer([&](const Json& line) { return doors.tokenize(line, options->plain); });
  });
  CLI::App* detokenize = add_door(
      verb,
      options,
      "detokenize",
      "{\"ids\"} a line to {\"text\"}\n"
      "Example: echo '{\"ids\": [1, 2, 3]}' | dreamgym lm detokenize --model DIR");
  detokenize->callback([options] {
    const lm::TextDoors doors(options->model.model);
    answer([&](const Json& line) { return doors.detokenize(line); });
  });
  CLI::App* chat = add_door(
      verb,
      options,
      "chat",
      "{\"messages\", \"tools\"?, \"variables\"?} a line to {\"text\", \"ids\"}\n"
      "Example: echo '{\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}]}' | dreamgym lm chat --model DIR");
  chat->add_flag("--generation-prompt",
                 options->generation_prompt,
                 "end with the beginning of the assistant's turn");
  chat->add_option("--chat-template",
                   options->model.chat_template,
                   "chatml, smollm2, llama3, llama3_1, llama3_2, qwen2_5 or qwen3");
  chat->callback([options] {
    const lm::TextDoors doors(options->model.model);
    answer([&](const Json& line) {
      return doors.chat(line, options->model.chat_template, options->generation_prompt);
    });
  });
}

void add_model_doors(CLI::App& verb, const Shared& options) {
  CLI::App* score = add_door(
      verb,
      options,
      "score",
      "{\"ids\"} a line to {\"logprobs\" of each next id, \"last_logits\"}\n"
      "Example: echo '{\"ids\": [1, 2, 3]}' | dreamgym lm score --model DIR");
  add_engine_options(*score, options);
  score->callback([options] {
    lm::ModelDoors doors(options->model);
    answer([&](const Json& line) { return doors.score(line); });
  });
  CLI::App* generate = add_door(
      verb,
      options,
      "generate",
      "{\"ids\" | \"prompt\" | \"messages\", \"max_tokens\" = 64, \"temperature\" = 1, \"seed\", \"stop\"?, \"choices\"?,\n"
      "\"n\"?, \"top_k\"?, \"top_p\"?, \"min_p\"?, \"repetition_penalty\"?, \"logit_bias\"?, \"session\"?,\n"
      "\"schema\"? (a JSON Schema the reply is held to)} a line to\n"
      "{\"ids\" (the new ones), \"text\", \"logprobs\", \"finish_reason\"}, one line for each of n\n"
      "Example: echo '{\"prompt\": \"Once\", \"temperature\": 0}' | dreamgym lm generate --model DIR");
  add_engine_options(*generate, options);
  generate->add_option("--schema", options->model.schema, "file of a JSON Schema that every reply is held to")
      ->check(CLI::ExistingFile);
  generate->add_option("--concurrent",
                       options->concurrent,
                       "requests under way at once, read ahead of the answers; these stay in the order of the lines")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  generate->callback([options] {
    lm::ModelDoors doors(options->model);
    if (options->concurrent > 1) {
      lm::generate_concurrently(doors, options->concurrent, std::cin, std::cout);
      return;
    }
    lm::answer_lines(std::cin, std::cout, [&](const Json& line) { return doors.generate(line); });
  });
  CLI::App* embed = add_door(
      verb,
      options,
      "embed",
      "\"text\" a line to {\"embedding\"} of a sentence encoder\n"
      "Example: echo '\"a red mug\"' | dreamgym lm embed --model MINILM");
  embed->callback([options] {
    const SentenceEncoder encoder(options->model.model);
    answer([&](const Json& line) {
      return Json{{"embedding", encoder.embed(lm::value_as<std::string>(line, "the text"))}};
    });
  });
}

void add_file_doors(CLI::App& verb, const Shared& options) {
  CLI::App* info = add_door(verb,
                            options,
                            "info",
                            "Shape, size, tokenizer and chat format, as JSON\n"
                            "Example: dreamgym lm info --model model.gguf");
  info->callback([options] { fmt::print("{}\n", lm::describe(options->model.model).dump()); });
  CLI::App* convert = add_door(
      verb,
      options,
      "convert",
      "Write a model as a Hugging Face folder or a .gguf file\n"
      "Example: dreamgym lm convert --model model.gguf --out folder --type bf16");
  convert->add_option("--out", options->convert.out, "folder, or .gguf file")->required();
  convert->add_option("--type", options->convert.type, "f32 (default), f16, bf16 (folders) or q8_0 (.gguf)");
  convert->add_option("--adapter", options->convert.adapter, "folder of a LoRA adapter to merge");
  convert->callback([options] {
    options->convert.model = options->model.model;
    lm::convert(options->convert);
    fmt::print("{} is written\n", options->convert.out);
  });
  CLI::App* repl = add_door(verb,
                            options,
                            "chat-repl",
                            "Talk to a model, a message a line\n"
                            "Example: dreamgym lm chat-repl --model model.gguf");
  add_engine_options(*repl, options);
  repl->add_option("--system", options->repl.system, "system message");
  repl->add_option("--temperature", options->repl.temperature)->capture_default_str();
  repl->add_option("--seed", options->repl.seed)->capture_default_str();
  repl->add_option("--max-tokens", options->repl.max_tokens)->capture_default_str();
  repl->callback([options] {
    lm::ModelDoors doors(options->model);
    lm::chat_repl(doors, options->repl, std::cin, std::cout);
  });
}

}  // namespace

void add_lm_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "lm",
      "Use a language model (Llama, Qwen2, Qwen3, SmolLM2, ours; folder or GGUF): JSON lines in and out.\n"
      "Example: echo '{\"prompt\": \"Once\"}' | dreamgym lm generate --model model.gguf");
  verb->require_subcommand(1);
  add_text_doors(*verb, options);
  add_model_doors(*verb, options);
  add_file_doors(*verb, options);
}

}  // namespace dreamgym

// Readers of people's files answer any damage with an Error: no crash, no other exception, nothing
// allocated from a number nobody checked.
#include <gtest/gtest.h>

#include "dreamgym/llm/chat/chat_template.h"
#include "dreamgym/llm/checkpoint/config_json.h"
#include "dreamgym/llm/checkpoint/lora.h"
#include "dreamgym/llm/checkpoint/weights.h"
#include "dreamgym/llm/endpoint/openai_api.h"
#include "dreamgym/llm/gguf/gguf_model.h"
#include "dreamgym/llm/grammar/byte_automaton.h"
#include "dreamgym/llm/grammar/json_schema.h"
#include "dreamgym/llm/tokenizers/pretrained_tokenizer.h"
#include "dreamgym/llm/tokenizers/word_piece.h"
#include "tests/damaged_bytes.h"
#include "tests/language_model_data.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

TEST(DamagedFiles, SafetensorsAreRefused) {
  const Path file = language_model_data() / "tiny/llama3_tied_bf16/model.safetensors";
  DREAMGYM_NEEDS_FILE(file);
  expect_errors_only(read_file(file), [](const std::string& bytes) {
    for (const auto& [name, array] : read_safetensors(bytes, "x").arrays) {
      (void)widened(array, name, "x");
    }
  });
}

TEST(DamagedFiles, ModelFoldersAreRefused) {
  const Path data = language_model_data() / "tiny/qwen3_tied_f32";
  DREAMGYM_NEEDS_FILE(data);
  const TemporaryFolder folder;
  std::filesystem::copy_file(data / "model.safetensors", folder.path() / "model.safetensors");
  expect_errors_only(read_file(data / "config.json"), [&](const std::string& bytes) {
    write_quickly(folder.path() / "config.json", bytes);
    (void)load_weights(folder.path().string());
  });
}

TEST(DamagedFiles, AdaptersAreRefused) {
  const Path data = language_model_data() / "tiny/llama3_untied_f32_lora";
  DREAMGYM_NEEDS_FILE(data);
  const TemporaryFolder folder;
  const auto read = [&] { (void)load_lora(folder.path().string()); };
  const std::string config = read_file(data / "adapter_config.json");
  const std::string weights = read_file(data / "adapter_model.safetensors");
  write_file(folder.path() / "adapter_model.safetensors", weights);
  expect_errors_only(config, [&](const std::string& bytes) {
    write_quickly(folder.path() / "adapter_config.json", bytes);
    read();
  });
  write_file(folder.path() / "adapter_config.json", config);
  expect_errors_only(weights, [&](const std::string& bytes) {
    write_quickly(folder.path() / "adapter_model.safetensors", bytes);
    read();
  });
}

TEST(DamagedFiles, GgufFilesAreRefused) {
  for (const char* name : {"qwen2_mixed.gguf", "smollm2_q4_1.gguf"}) {
    const Path file = language_model_data() / "gguf" / name;
    DREAMGYM_NEEDS_FILE(file);
    const TemporaryFolder folder;
    expect_errors_only(read_file(file), [&](const std::string& bytes) {
      write_quickly(folder.path() / "x.gguf", bytes);
      const GgufFile gguf(folder.path() / "x.gguf");
      (void)gguf_weights(gguf);
      (void)PretrainedTokenizer(gguf_vocabulary(gguf));
      (void)gguf_chat_template(gguf);
      (void)gguf_generation_config(gguf);
    });
  }
}

// A tokenizer.json of a few tokens, so that each round is cheap.
std::string small_tokenizer_json() {
  PretrainedVocabulary vocabulary;
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary.tokens.emplace_back(1, static_cast<char>(byte));
  }
  vocabulary.tokens.insert(vocabulary.tokens.end(), {"he", "ll", "hell", "hello"});
  vocabulary.merges = {{'h', 'e', 256}, {'l', 'l', 257}, {256, 257, 258}, {258, 'o', 259}};
  vocabulary.added = {{.id = 260, .text = "<|end|>", .special = true}};
  vocabulary.tokens.emplace_back();
  vocabulary.pre_tokenizer = PreTokenizer::kLlama3;
  return vocabulary_to_json(vocabulary);
}

TEST(DamagedFiles, TokenizersAreRefused) {
  expect_errors_only(small_tokenizer_json(), [](const std::string& bytes) {
    const PretrainedTokenizer tokenizer(vocabulary_from_json(bytes, "x"));
    (void)tokenizer.encode("hello there <|end|>");
  });
}

TEST(DamagedFiles, WordPieceTokenizersAreRefused) {
  const std::string json = R"({"added_tokens": [{"id": 0, "content": "[UNK]", "special": true}],
    "normalizer": {"type": "BertNormalizer", "lowercase": true, "clean_text": true,
                   "handle_chinese_chars": true, "strip_accents": null},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "TemplateProcessing",
                       "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                                  {"Sequence": {"id": "A", "type_id": 0}}]},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 100,
              "vocab": {"[UNK]": 0, "[CLS]": 1, "red": 2, "##dish": 3}}})";
  expect_errors_only(json, [](const std::string& bytes) {
    (void)WordPieceTokenizer::from_json(bytes, "x").encode("Reddish red");
  });
}

TEST(DamagedFiles, ConversationsAreRefused) {
  const std::string json = R"([{"role": "system", "content": "You shop."},
    {"role": "user", "content": "find a mug"},
    {"role": "assistant", "content": "", "tool_calls": [{"type": "function",
      "function": {"name": "search", "arguments": {"query": "mug"}}}]},
    {"role": "tool", "content": "a mug"}])";
  for (const ChatTemplate kind : {ChatTemplate::kSmolLm2,
                                  ChatTemplate::kLlama31,
                                  ChatTemplate::kLlama32,
                                  ChatTemplate::kQwen25,
                                  ChatTemplate::kQwen3}) {
    expect_errors_only(json, [&](const std::string& bytes) {
      ChatRequest request;
      request.messages = nlohmann::ordered_json::parse(bytes, nullptr, false);
      (void)render_chat(kind, request);
    });
  }
}

TEST(DamagedFiles, SchemasAreRefused) {
  const std::string json = R"({"type": "object", "properties": {
    "why": {"type": "string", "minLength": 1, "maxLength": 9}, "effect": {"enum": ["new", 3]},
    "all": {"type": "array", "items": {"$ref": "#/$defs/n"}, "maxItems": 3},
    "x": {"anyOf": [{"type": "boolean"}, {"const": null}]}},
    "required": ["why", "effect"], "additionalProperties": false,
    "$defs": {"n": {"type": "integer", "minimum": 0, "maximum": 12}}})";
  expect_errors_only(json, [](const std::string& bytes) {
    ByteAutomaton automaton(*json_schema_pattern(bytes, "x"));
    (void)automaton.next(automaton.start(), "{\"why\": \"");
  });
}

// An answer that can't be used is a reason, never an exception.
template <class Read>
void expect_reasons_only(const std::string& answer, const Read& read) {
  expect_errors_only(answer, [&](const std::string& bytes) {
    const auto json = nlohmann::json::parse(bytes, nullptr, false);
    const auto result = read(json);
    if (!result) {
      throw Error(ErrorKind::kParse, result.error());
    }
  });
}

TEST(DamagedFiles, RepliesOfEndpointsAreRefused) {
  expect_reasons_only(R"({"id": "1", "choices": [{"index": 0, "finish_reason": "stop",
    "message": {"role": "assistant", "content": "Hi", "reasoning_content": null},
    "logprobs": {"content": [{"token": "Hi", "logprob": -0.5, "bytes": [72, 105]}]}}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 1}})",
                      [](const nlohmann::json& json) { return read_chat(json); });
  expect_reasons_only(R"({"choices": [{"text": "Hi", "token_ids": [3, 4], "finish_reason": "length",
    "logprobs": {"token_logprobs": [-0.5, -1.25], "tokens": ["H", "i"]}}]})",
                      [](const nlohmann::json& json) { return read_completion(json); });
  expect_reasons_only(R"({"data": [{"index": 1, "embedding": [0.5, 1]}, {"index": 0, "embedding": [2, 3]}]})",
                      [](const nlohmann::json& json) { return read_embeddings(json, 2); });
}

}  // namespace
}  // namespace dreamgym

// Requests and answers of the OpenAI API as vLLM, llama-server and others speak it. Pure functions.
//
// Every sampler field is sent, since servers differ in their defaults (llama-server: temperature 0.8,
// top_k 40). Source: the API as these servers implement it (2025-26).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "dreamgym/base/expected.h"
#include "dreamgym/llm/chat_model.h"
#include "dreamgym/llm/language_model.h"

namespace dreamgym {

/// How a server is asked to hold its reply to a JSON Schema.
enum class StructuredOutput {
  kSchema,  ///< response_format json_schema
  kObject,  ///< response_format json_object: any JSON object
  kNone,    ///< only the prompt asks for it
};

/// @throws Error kConfig naming the known ones ("schema", "object", "none").
StructuredOutput structured_output_named(std::string_view name);

/// Body of POST /chat/completions.
std::string chat_body(const ChatPrompt& prompt,
                      const std::string& model,
                      StructuredOutput structured,
                      bool logprobs);
/// The reason if the answer has no text. A reply without content but with reasoning (a model that thought up
/// to max_tokens) is an empty text that was cut.
Expected<ChatReply, std::string> read_chat(const nlohmann::json& answer);

/// Body of POST /completions with token ids in and out (return_token_ids).
/// @param choices  texts the reply must be one of (structured_outputs); empty = free.
std::string completion_body(const GenerationRequest& request,
                            const std::string& model,
                            const std::vector<std::string>& choices);

struct Completion {
  std::string text;
  std::vector<TokenId> tokens;   ///< empty if the server does not tell
  std::vector<float> logprobs;   ///< empty if the server does not tell
  std::string finish_reason;
};
Expected<Completion, std::string> read_completion(const nlohmann::json& answer);

/// Body of POST /embeddings.
std::string embedding_body(std::span<const std::string> texts, const std::string& model);
/// [texts][dimension] in the order asked, all of one length.
Expected<std::vector<std::vector<float>>, std::string> read_embeddings(const nlohmann::json& answer,
                                                                       std::size_t num_texts);

}  // namespace dreamgym

#include "dreamgym/llm/endpoint/openai_api.h"

#include <cmath>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

// Servers take signed 64-bit seeds at most.
std::int64_t wire_seed(std::uint64_t seed) { return static_cast<std::int64_t>(seed >> 1U); }

std::string to_body(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Unexpected<std::string> unlike(const std::string& expected, const Json& answer) {
  return Unexpected<std::string>(fmt::format(
      "the answer has no {}: {}",
      expected,
      shorten(answer.dump(-1, ' ', false, Json::error_handler_t::replace), 160)));
}

const Json* member(const Json& object, const char* key) {
  if (!object.is_object()) {
    return nullptr;
  }
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string text_of(const Json& object, const char* key) {
  const Json* const found = member(object, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}

std::size_t count_of(const Json& object, const char* key) {
  const Json* const found = member(object, key);
  return found != nullptr && found->is_number_unsigned() ? found->get<std::size_t>() : 0;
}

const Json* first_choice(const Json& answer) {
  const Json* const choices = member(answer, "choices");
  return choices != nullptr && choices->is_array() && !choices->empty() ? &choices->front() : nullptr;
}

void put_sampling(Json& body, double temperature, std::size_t max_tokens, std::uint64_t seed) {
  body["temperature"] = temperature;
  body["top_p"] = 1.0;
  body["max_tokens"] = max_tokens;
  body["seed"] = wire_seed(seed);
  body["n"] = 1;
  body["stream"] = false;
  body["presence_penalty"] = 0.0;
  body["frequency_penalty"] = 0.0;
}

std::optional<double> mean_of_logprobs(const Json& choice) {
  const Json* const logprobs = member(choice, "logprobs");
  const Json* const content = logprobs == nullptr ? nullptr : member(*logprobs, "content");
  if (content == nullptr || !content->is_array() || content->empty()) {
    return std::nullopt;
  }
  double sum = 0;
  for (const Json& token : *content) {
    const Json* const logprob = member(token, "logprob");
    if (logprob == nullptr || !logprob->is_number() || !std::isfinite(logprob->get<double>())) {
      return std::nullopt;
    }
    sum += logprob->get<double>();
  }
  return sum / static_cast<double>(content->size());
}

}  // namespace

StructuredOutput structured_output_named(std::string_view name) {
  if (name == "schema") {
    return StructuredOutput::kSchema;
  }
  if (name == "object") {
    return StructuredOutput::kObject;
  }
  if (name == "none") {
    return StructuredOutput::kNone;
  }
  throw Error(ErrorKind::kConfig,
              fmt::format("structured output: got '{}', expected schema, object or none", name),
              "schema: vLLM, llama-server, OpenAI; object: servers that know only json_object");
}

std::string chat_body(const ChatPrompt& prompt,
                      const std::string& model,
                      StructuredOutput structured,
                      bool logprobs) {
  Json body = {{"model", model}, {"messages", Json::array()}};
  for (const ChatMessage& message : prompt.messages) {
    body["messages"].push_back({{"role", message.role}, {"content", message.content}});
  }
  put_sampling(body, prompt.temperature, prompt.max_tokens, prompt.seed);
  if (logprobs) {
    body["logprobs"] = true;
  }
  if (!prompt.json_schema.empty() && structured == StructuredOutput::kSchema) {
    body["response_format"] = {{"type", "json_schema"},
                               {"json_schema",
                                {{"name", prompt.schema_name},
                                 {"strict", true},
                                 {"schema", Json::parse(prompt.json_schema)}}}};
  } else if (!prompt.json_schema.empty() && structured == StructuredOutput::kObject) {
    body["response_format"] = {{"type", "json_object"}};
  }
  return to_body(body);
}

Expected<ChatReply, std::string> read_chat(const Json& answer) {
  const Json* const choice = first_choice(answer);
  const Json* const message = choice == nullptr ? nullptr : member(*choice, "message");
  if (message == nullptr || !message->is_object()) {
    return unlike("choices[0].message", answer);
  }
  const Json* const content = member(*message, "content");
  const bool reasoned =
      !text_of(*message, "reasoning").empty() || !text_of(*message, "reasoning_content").empty();
  if (content == nullptr ? !reasoned : !content->is_string()) {
    return unlike("choices[0].message.content", answer);
  }
  ChatReply reply;
  reply.text = content == nullptr ? "" : content->get<std::string>();
  reply.cut = text_of(*choice, "finish_reason") == "length";
  reply.mean_logprob = mean_of_logprobs(*choice);
  if (const Json* const usage = member(answer, "usage")) {
    reply.prompt_tokens = count_of(*usage, "prompt_tokens");
    reply.completion_tokens = count_of(*usage, "completion_tokens");
  }
  return reply;
}

std::string completion_body(const GenerationRequest& request,
                            const std::string& model,
                            const std::vector<std::string>& choices) {
  Json body = {{"model", model}, {"prompt", request.context}};
  put_sampling(body, request.temperature, request.max_tokens, request.seed);
  body["top_k"] = -1;
  body["min_p"] = 0.0;
  body["logprobs"] = 0;  // of the sampled tokens only
  body["return_token_ids"] = true;
  body["skip_special_tokens"] = false;
  body["spaces_between_special_tokens"] = false;
  body["add_special_tokens"] = false;
  if (!choices.empty()) {
    body["structured_outputs"] = {{"choice", choices}};
  } else if (!request.stop.empty()) {
    body["stop_token_ids"] = request.stop;
    body["include_stop_str_in_output"] = true;
  }
  return to_body(body);
}

Expected<Completion, std::string> read_completion(const Json& answer) {
  const Json* const choice = first_choice(answer);
  if (choice == nullptr || member(*choice, "text") == nullptr || !choice->at("text").is_string()) {
    return unlike("choices[0].text", answer);
  }
  Completion completion;
  completion.text = choice->at("text").get<std::string>();
  completion.finish_reason = text_of(*choice, "finish_reason");
  if (const Json* const ids = member(*choice, "token_ids"); ids != nullptr && ids->is_array()) {
    for (const Json& id : *ids) {
      if (!id.is_number_integer()) {
        return unlike("whole numbers as choices[0].token_ids", answer);
      }
      completion.tokens.push_back(id.get<TokenId>());
    }
  }
  const Json* const logprobs = member(*choice, "logprobs");
  const Json* const values = logprobs == nullptr ? nullptr : member(*logprobs, "token_logprobs");
  if (values != nullptr && values->is_array()) {
    for (const Json& value : *values) {
      if (!value.is_number() || !std::isfinite(value.get<double>())) {
        return unlike("finite numbers as choices[0].logprobs.token_logprobs", answer);
      }
      completion.logprobs.push_back(value.get<float>());
    }
  }
  return completion;
}

std::string embedding_body(std::span<const std::string> texts, const std::string& model) {
  return to_body({{"model", model}, {"input", texts}, {"encoding_format", "float"}});
}

Expected<std::vector<std::vector<float>>, std::string> read_embeddings(const Json& answer,
                                                                       std::size_t num_texts) {
  const Json* const data = member(answer, "data");
  if (data == nullptr || !data->is_array() || data->size() != num_texts) {
    return unlike(fmt::format("data with {} embeddings", num_texts), answer);
  }
  std::vector<std::vector<float>> vectors(num_texts);
  for (const Json& entry : *data) {
    const std::size_t index = count_of(entry, "index");
    const Json* const values = member(entry, "embedding");
    if (index >= num_texts || !vectors[index].empty() || values == nullptr || !values->is_array() ||
        values->empty()) {
      return unlike("embedding for each text", answer);
    }
    for (const Json& value : *values) {
      if (!value.is_number() || !std::isfinite(value.get<double>())) {
        return unlike("finite numbers as an embedding", answer);
      }
      vectors[index].push_back(value.get<float>());
    }
    if (vectors[index].size() != vectors[count_of(data->front(), "index")].size()) {
      return unlike("embeddings of one length", answer);
    }
  }
  return vectors;
}

}  // namespace dreamgym

#include <nlohmann/json.hpp>

#include "dreamgym/llm/endpoint/openai_api.h"
#include "dreamgym/llm/json_reply.h"
#include "tests/fuzz/targets.h"

namespace dreamgym {

// What a server answers, and what a model says in it: a reason if it can't be used, never an exception.
void fuzz_reply(std::string_view bytes) {
  const auto json = nlohmann::json::parse(bytes, nullptr, false);
  (void)read_chat(json);
  (void)read_completion(json);
  (void)read_embeddings(json, 2);
  (void)json_in(bytes);
}

}  // namespace dreamgym

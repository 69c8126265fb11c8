// Section replay: by what transitions are found again, and how many dreamed ones are kept.
#pragma once

#include <string>

#include "dreamgym/llm/endpoint/endpoint_fleet.h"
#include "dreamgym/replay/experience_store.h"
#include "dreamgym/replay/vector_index.h"

namespace dreamgym {

enum class EmbedderKind {
  kHashedNgrams,  ///< no model (replay/embedder.h)
  kEncoder,       ///< a sentence encoder run natively (nn/sentence_encoder.h)
  kEndpoint,      ///< an embeddings server
};

struct ReplayConfig {
  EmbedderKind embedder = EmbedderKind::kHashedNgrams;
  std::string encoder;        ///< folder of a BERT-like model, e.g. MiniLM
  EndpointConfig server;      ///< of the endpoint
  double action_share = 0.5;  ///< of the action in a key's squared length
  IndexKind index = IndexKind::kExact;
  std::size_t dreamed_capacity = 100'000;
  ExperienceStore::Eviction eviction = ExperienceStore::Eviction::kOldest;
};

}  // namespace dreamgym

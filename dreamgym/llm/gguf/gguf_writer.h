// Writes a model as GGUF, so that llama.cpp runs it.
#pragma once

#include <optional>
#include <string>

#include "dreamgym/base/file.h"
#include "dreamgym/llm/checkpoint/generation_config.h"
#include "dreamgym/llm/checkpoint/weights.h"
#include "dreamgym/llm/gguf/block_type.h"
#include "dreamgym/llm/tokenizers/pretrained_tokenizer.h"

namespace dreamgym {

/// What goes into the file besides the weights.
struct GgufExtras {
  std::string name;  ///< of the model
  PretrainedVocabulary vocabulary;
  std::optional<std::string> chat_template;  ///< Jinja text
  GenerationConfig generation;
};

/// Atomically. Matrices are stored as `type` (Q8_0 where rows are no multiple of 32: F16), the rest
/// as F32.
/// @param weights  of family llama, qwen2 or qwen3.
/// @param type     F32, F16 or Q8_0.
/// @throws Error kIo; kUnsupported for another family; kInvalidArgument if the vocabulary is larger
///         than the embedding.
void write_gguf(const TransformerWeights& weights,
                const GgufExtras& extras,
                BlockType type,
                const Path& path);

}  // namespace dreamgym

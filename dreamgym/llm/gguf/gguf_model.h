// A language model in a GGUF file: shape, weights, vocabulary, chat template.
//
// Read are the architectures llama, qwen2 and qwen3. Thread safety: reentrant.
#pragma once

#include <optional>
#include <string>

#include "dreamgym/llm/checkpoint/generation_config.h"
#include "dreamgym/llm/checkpoint/weights.h"
#include "dreamgym/llm/gguf/gguf_file.h"
#include "dreamgym/llm/tokenizers/pretrained_tokenizer.h"

namespace dreamgym {

/// @throws Error kCorrupt (a value missing or contradicting the tensors), kUnsupported (another
///         architecture, or a value that changes the computation and is not known).
TransformerConfig gguf_config(const GgufFile& file);

/// Every tensor in fp32 under its Hugging Face name, q and k rows in Hugging Face's order.
/// @throws Error as gguf_config, and for tensors that are missing, extra or of another shape.
TransformerWeights gguf_weights(const GgufFile& file);

/// @throws Error kUnsupported for a vocabulary that is no byte-level BPE we know.
PretrainedVocabulary gguf_vocabulary(const GgufFile& file);

/// Jinja text, for recognise_chat_template().
std::optional<std::string> gguf_chat_template(const GgufFile& file);
GenerationConfig gguf_generation_config(const GgufFile& file);

}  // namespace dreamgym

// A model's description, and its way from one layout to another.
#pragma once

#include <string>

#include "dreamgym/apps/lm/json_lines.h"

namespace dreamgym::lm {

/// Shape, size, tokenizer and chat format of a language model or sentence encoder.
/// @throws Error as the readers of its files.
Json describe(const std::string& model);

struct ConvertOptions {
  std::string model;
  std::string adapter;  ///< folder of a LoRA adapter to merge; "" = none
  std::string out;      ///< a .gguf file, or a folder in Hugging Face's layout
  std::string type;     ///< f32, f16, bf16 (folders) or q8_0 (.gguf); "" = f32
};

/// Writes weights, tokenizer, chat template and generation settings.
/// @throws Error kInvalidArgument for a type that the layout does not have; else as readers and
///         writers.
void convert(const ConvertOptions& options);

}  // namespace dreamgym::lm

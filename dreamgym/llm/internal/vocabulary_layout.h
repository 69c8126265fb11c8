// What tokenizer.json says besides its model: normaliser, pre-tokeniser, added tokens.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "dreamgym/llm/tokenizers/pretrained_tokenizer.h"

namespace dreamgym {

[[noreturn]] void fail_tokenizer(const std::string& origin, const std::string& what);
[[noreturn]] void refuse_tokenizer(const std::string& origin, const std::string& what);

/// Sets pre_tokenizer, nfc and added, and makes room in tokens for the ids of added tokens.
/// @param root    the document; tokens must be there already.
/// @param origin  for messages. @throws Error kParse or kUnsupported.
void read_layout(const nlohmann::json& root,
                 const std::string& origin,
                 PretrainedVocabulary& vocabulary);

/// Only the added tokens of it.
void read_added_tokens(const nlohmann::json& root,
                       const std::string& origin,
                       PretrainedVocabulary& vocabulary);

/// A short piece of JSON for a message.
std::string excerpt(const nlohmann::json& json);

/// The largest number of ids for so many named tokens: a file may leave holes, but no allocation
/// comes from one wild id.
std::size_t max_ids(std::size_t num_tokens);

}  // namespace dreamgym

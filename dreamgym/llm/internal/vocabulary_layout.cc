#include "dreamgym/llm/internal/vocabulary_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kFreeIds = 1U << 16U;

Json member(const Json& in, const char* key) {
  return in.is_object() && in.contains(key) ? in.at(key) : Json();
}

bool flag(const Json& in, const char* key, bool otherwise) {
  const Json value = member(in, key);
  return value.is_boolean() ? value.get<bool>() : otherwise;
}

/// The steps of a Sequence, or the one step there is.
std::vector<Json> steps_of(const Json& part, const char* key) {
  if (part.is_null()) {
    return {};
  }
  if (member(part, "type") == "Sequence" && member(part, key).is_array()) {
    return part.at(key).get<std::vector<Json>>();
  }
  return {part};
}

bool is_nfc(const Json& normalizer, const std::string& origin) {
  const auto steps = steps_of(normalizer, "normalizers");
  for (const Json& step : steps) {
    if (member(step, "type") != "NFC") {
      refuse_tokenizer(origin,
                       fmt::format("\"normalizer\" is {}, expected null or NFC", excerpt(step)));
    }
  }
  return !steps.empty();
}

/// The pre-tokeniser of a Split step, if it is one we know.
std::optional<PreTokenizer> split_of(const Json& step) {
  const Json pattern = member(member(step, "pattern"), "Regex");
  const bool isolated = member(step, "behavior") == "Isolated" && !flag(step, "invert", false);
  // What is removed is what the pattern leaves out, and it leaves out nothing.
  const bool inverted = member(step, "behavior") == "Removed" && flag(step, "invert", false);
  if (member(step, "type") != "Split" || !pattern.is_string() || (!isolated && !inverted)) {
    return std::nullopt;
  }
  return pre_tokenizer_of_pattern(pattern.get_ref<const std::string&>());
}

std::optional<PreTokenizer> known_pre_tokenizer(const Json& part) {
  const auto steps = steps_of(part, "pretokenizers");
  if (steps.empty() || member(steps.back(), "type") != "ByteLevel" ||
      flag(steps.back(), "add_prefix_space", true)) {
    return std::nullopt;
  }
  const bool cuts_by_itself = flag(steps.back(), "use_regex", true);
  if (steps.size() == 1) {
    return cuts_by_itself ? std::optional(PreTokenizer::kGpt2) : std::nullopt;
  }
  if (steps.size() != 2) {
    return std::nullopt;
  }
  if (member(steps.front(), "type") == "Digits") {
    return cuts_by_itself && flag(steps.front(), "individual_digits", false)
               ? std::optional(PreTokenizer::kSmolLm2)
               : std::nullopt;
  }
  return cuts_by_itself ? std::nullopt : split_of(steps.front());
}

AddedToken read_added_token(const Json& entry, const std::string& origin) {
  const Json id = member(entry, "id");
  const Json content = member(entry, "content");
  if (!id.is_number_integer() || !content.is_string() ||
      content.get_ref<const std::string&>().empty()) {
    fail_tokenizer(origin,
                   fmt::format("the added token {} lacks an id or a content", excerpt(entry)));
  }
  return {.id = id.get<TokenId>(),
          .text = content.get<std::string>(),
          .single_word = flag(entry, "single_word", false),
          .strip_left = flag(entry, "lstrip", false),
          .strip_right = flag(entry, "rstrip", false),
          .normalized = flag(entry, "normalized", false),
          .special = flag(entry, "special", false)};
}

}  // namespace

void fail_tokenizer(const std::string& origin, const std::string& what) {
  throw Error(ErrorKind::kParse,
              fmt::format("{}: {}", origin, what),
              "the file is damaged or was not written to its end; fetch it again");
}

void refuse_tokenizer(const std::string& origin, const std::string& what) {
  throw Error(ErrorKind::kUnsupported,
              fmt::format("{}: {}", origin, what),
              "supported are byte-level BPE tokenizers of GPT-2, Llama 3, Qwen2/3 and SmolLM2");
}

std::string excerpt(const Json& json) {
  return shorten(json.dump(-1, ' ', false, Json::error_handler_t::replace), 300);
}

std::size_t max_ids(std::size_t num_tokens) {
  return 4 * num_tokens + kFreeIds;
}

void read_layout(const Json& root, const std::string& origin, PretrainedVocabulary& vocabulary) {
  vocabulary.nfc = is_nfc(member(root, "normalizer"), origin);
  const Json pre_tokenizer = member(root, "pre_tokenizer");
  const auto known = known_pre_tokenizer(pre_tokenizer);
  if (!known) {
    refuse_tokenizer(origin,
                     fmt::format("\"pre_tokenizer\" is none we know: {}", excerpt(pre_tokenizer)));
  }
  vocabulary.pre_tokenizer = *known;
  read_added_tokens(root, origin, vocabulary);
}

void read_added_tokens(const Json& root,
                       const std::string& origin,
                       PretrainedVocabulary& vocabulary) {
  const Json entries = member(root, "added_tokens");
  if (!entries.is_null() && !entries.is_array()) {
    fail_tokenizer(origin, "\"added_tokens\" is no list");
  }
  const std::size_t limit = max_ids(vocabulary.tokens.size() + entries.size());
  for (const Json& entry : entries) {
    AddedToken token = read_added_token(entry, origin);
    if (token.id < 0 || static_cast<std::size_t>(token.id) >= limit) {
      fail_tokenizer(
          origin,
          fmt::format("the added token {} has an id outside [0, {})", excerpt(entry), limit));
    }
    vocabulary.tokens.resize(
        std::max(vocabulary.tokens.size(), static_cast<std::size_t>(token.id) + 1));
    vocabulary.added.push_back(std::move(token));
  }
}

}  // namespace dreamgym

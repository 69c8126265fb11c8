// tokenizer.json of a pretrained model: the layout of the Hugging Face tokenizers library.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "dreamgym/llm/internal/byte_spelling.h"
#include "dreamgym/llm/internal/vocabulary_builder.h"
#include "dreamgym/llm/internal/vocabulary_layout.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

void refuse_other_kinds(const Json& model, const std::string& origin) {
  if (model.value("type", Json("BPE")) != "BPE") {
    refuse_tokenizer(origin,
                     fmt::format("\"model.type\" is {}, expected \"BPE\"", excerpt(model["type"])));
  }
  for (const char* key : {"byte_fallback", "fuse_unk"}) {
    if (model.value(key, Json(false)) == true) {
      refuse_tokenizer(origin, fmt::format("\"model.{}\" is true, expected false", key));
    }
  }
  for (const char* key :
       {"unk_token", "continuing_subword_prefix", "end_of_word_suffix", "dropout"}) {
    if (const Json value = model.value(key, Json()); !value.is_null() && value != "") {
      refuse_tokenizer(origin,
                       fmt::format("\"model.{}\" is {}, expected null", key, excerpt(value)));
    }
  }
}

void read_tokens(const Json& vocab, const std::string& origin, VocabularyBuilder& builder) {
  for (const auto& [spelling, id] : vocab.items()) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= max_ids(vocab.size())) {
      fail_tokenizer(origin,
                     fmt::format("\"model.vocab\" gives \"{}\" the id {}, expected one in [0, {})",
                                 spelling,
                                 excerpt(id),
                                 max_ids(vocab.size())));
    }
    builder.add_token(id.get<TokenId>(), spelling);
  }
}

void read_merges(const Json& merges, const std::string& origin, VocabularyBuilder& builder) {
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const Json& merge = merges[rank];
    if (merge.is_string()) {
      builder.add_merge(rank, merge.get_ref<const std::string&>());
    } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
               merge[1].is_string()) {
      builder.add_merge(
          rank, merge[0].get_ref<const std::string&>(), merge[1].get_ref<const std::string&>());
    } else {
      fail_tokenizer(origin,
                     fmt::format("merge {} is {}, expected two tokens", rank, excerpt(merge)));
    }
  }
}

}  // namespace

PretrainedVocabulary vocabulary_from_json(std::string_view json, const std::string& origin) {
  const Json root = Json::parse(json, nullptr, false);
  if (!root.is_object() || !root.contains("model") || !root["model"].is_object()) {
    fail_tokenizer(origin, "is not JSON with an object \"model\"");
  }
  const Json& model = root["model"];
  refuse_other_kinds(model, origin);
  if (!model.contains("vocab") || !model["vocab"].is_object() || !model.contains("merges") ||
      !model["merges"].is_array()) {
    fail_tokenizer(origin, "\"model\" has no object \"vocab\" or no list \"merges\"");
  }
  VocabularyBuilder builder(origin);
  read_tokens(model["vocab"], origin, builder);
  read_merges(model["merges"], origin, builder);
  PretrainedVocabulary vocabulary = builder.finish();
  vocabulary.whole_pieces = model.value("ignore_merges", Json(false)) == true;
  read_layout(root, origin, vocabulary);
  return vocabulary;
}

}  // namespace dreamgym

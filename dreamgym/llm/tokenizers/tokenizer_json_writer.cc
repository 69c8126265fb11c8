// pretrained_tokenizer.h: vocabulary_to_json.
#include <nlohmann/json.hpp>

#include "dreamgym/llm/internal/byte_spelling.h"
#include "dreamgym/llm/tokenizers/pretrained_tokenizer.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;  // a vocabulary would take an ordered one a minute

Json byte_level(bool use_regex) {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", false},
          {"trim_offsets", true},
          {"use_regex", use_regex}};
}

Json sequence_of(const Json& first, const Json& second) {
  return {{"type", "Sequence"}, {"pretokenizers", Json::array({first, second})}};
}

Json split(std::string_view pattern) {
  return {{"type", "Split"},
          {"pattern", {{"Regex", pattern}}},
          {"behavior", "Isolated"},
          {"invert", false}};
}

Json pre_tokenizer_json(PreTokenizer cut) {
  switch (cut) {
    case PreTokenizer::kGpt2:
      return byte_level(true);
    case PreTokenizer::kSmolLm2:
      return sequence_of({{"type", "Digits"}, {"individual_digits", true}}, byte_level(true));
    case PreTokenizer::kLlama3:
      return sequence_of(split(kLlama3Pattern), byte_level(false));
    case PreTokenizer::kQwen2:
      return sequence_of(split(kQwen2Pattern), byte_level(false));
  }
  return {};
}

Json added_json(const std::vector<AddedToken>& tokens) {
  Json list = Json::array();
  for (const AddedToken& token : tokens) {
    list.push_back({{"id", token.id},
                    {"content", token.text},
                    {"single_word", token.single_word},
                    {"lstrip", token.strip_left},
                    {"rstrip", token.strip_right},
                    {"normalized", token.normalized},
                    {"special", token.special}});
  }
  return list;
}

}  // namespace

std::string vocabulary_to_json(const PretrainedVocabulary& vocabulary) {
  Json vocab = Json::object();
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    if (!vocabulary.tokens[id].empty()) {
      vocab.emplace(spell_bytes(vocabulary.tokens[id]), id);
    }
  }
  // A marker's text is what it is, not its bytes' spelling.
  for (const AddedToken& token : vocabulary.added) {
    const auto id = static_cast<std::size_t>(token.id);
    if (vocabulary.tokens[id].empty()) {
      vocab.emplace(token.text, id);
    }
  }
  Json merges = Json::array();
  for (const auto& merge : vocabulary.merges) {
    const auto spelled = [&](TokenId id) {
      return spell_bytes(vocabulary.tokens[static_cast<std::size_t>(id)]);
    };
    merges.push_back({spelled(merge.left), spelled(merge.right)});
  }
  return Json{{"version", "1.0"},
              {"truncation", nullptr},
              {"padding", nullptr},
              {"added_tokens", added_json(vocabulary.added)},
              {"normalizer", vocabulary.nfc ? Json{{"type", "NFC"}} : Json()},
              {"pre_tokenizer", pre_tokenizer_json(vocabulary.pre_tokenizer)},
              {"post_processor", nullptr},
              {"decoder", byte_level(true)},
              {"model",
               {{"type", "BPE"},
                {"dropout", nullptr},
                {"unk_token", nullptr},
                {"continuing_subword_prefix", nullptr},
                {"end_of_word_suffix", nullptr},
                {"fuse_unk", false},
                {"byte_fallback", false},
                {"ignore_merges", vocabulary.whole_pieces},
                {"vocab", std::move(vocab)},
                {"merges", std::move(merges)}}}}
             .dump(1) +
         "\n";
}

}  // namespace dreamgym

// tokenizer.json: the layout of the Hugging Face tokenizers library (docs/formats/tokenizer.md).
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/bpe_tokenizer.h"
#include "dreamgym/llm/internal/byte_spelling.h"

namespace dreamgym {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNumberPattern = " ?[0-9]+";
/// Key of our own inside "model", which other readers skip.
constexpr const char* kOwnKey = "dreamgym";

Json pre_tokenizer_json() {
  return {{"type", "Sequence"},
          {"pretokenizers",
           {{{"type", "Split"},
             {"pattern", {{"Regex", kNumberPattern}}},
             {"behavior", "Isolated"},
             {"invert", false}},
            {{"type", "ByteLevel"},
             {"add_prefix_space", false},
             {"trim_offsets", true},
             {"use_regex", false}}}}};
}

/// Reads one document, so that every message names the origin and the place in it.
class Reader {
 public:
  Reader(std::string_view json, std::string_view origin) : origin_(origin) {
    try {
      root_ = Json::parse(json);
    } catch (const nlohmann::json::parse_error& error) {
      fail(fmt::format("is not JSON (byte {} of {})", error.byte, json.size()));
    }
  }

  BpeVocabulary read() {
    const Json& model = object(root_, "model", "");
    refuse_other_kinds(model);
    read_tokens(object(model, "vocab", "model."));
    read_merges(array(model, "merges", "model."));
    if (root_.contains("added_tokens")) {
      read_added_tokens(array(root_, "added_tokens", ""));
    }
    if (model.contains(kOwnKey)) {
      read_name_pool(array(object(model, kOwnKey, "model."), "name_pool", "model.dreamgym."));
    }
    if (const auto fault = find_fault(vocabulary_)) {
      fail(*fault);
    }
    return std::move(vocabulary_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::kParse,
                fmt::format("{}: {}", origin_, what),
                "the file must be a whole tokenizer.json as dreamgym writes it");
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("{}: {}", origin_, what),
                "only byte-level BPE tokenizers with isolated numbers are supported");
  }

  [[nodiscard]] const Json& object(const Json& in, const char* key, const char* where) const {
    if (!in.is_object() || !in.contains(key) || !in.at(key).is_object()) {
      fail(fmt::format("has no object \"{}{}\"", where, key));
    }
    return in.at(key);
  }

  [[nodiscard]] const Json& array(const Json& in, const char* key, const char* where) const {
    if (!in.contains(key) || !in.at(key).is_array()) {
      fail(fmt::format("has no list \"{}{}\"", where, key));
    }
    return in.at(key);
  }

  [[nodiscard]] static bool flag(const Json& in, const char* key) {
    return in.is_object() && in.contains(key) && in.at(key) == Json(true);
  }

  void refuse_other_kinds(const Json& model) const {
    if (const std::string type = model.value("type", Json("BPE")).dump(); type != "\"BPE\"") {
      refuse(fmt::format("\"model.type\" is {}, expected \"BPE\"", type));
    }
    for (const char* key : {"byte_fallback", "ignore_merges", "fuse_unk"}) {
      if (flag(model, key)) {
        refuse(fmt::format("\"model.{}\" is true, expected false", key));
      }
    }
    for (const char* key : {"unk_token", "continuing_subword_prefix", "end_of_word_suffix"}) {
      if (model.contains(key) && !model.at(key).is_null() && model.at(key) != Json("")) {
        refuse(fmt::format("\"model.{}\" is {}, expected null", key, model.at(key).dump()));
      }
    }
    const Json normalizer = root_.value("normalizer", Json());
    if (!normalizer.is_null()) {
      refuse(fmt::format("\"normalizer\" is {}, expected null", normalizer.dump()));
    }
    const Json pre_tokenizer = root_.value("pre_tokenizer", Json());
    if (nlohmann::json(pre_tokenizer) != nlohmann::json(pre_tokenizer_json())) {
      refuse(fmt::format("\"pre_tokenizer\" is {}, expected {}",
                         pre_tokenizer.dump(),
                         pre_tokenizer_json().dump()));
    }
  }

  [[nodiscard]] std::string unspell(const std::string& spelling, const std::string& where) const {
    auto bytes = unspell_bytes(spelling);
    if (!bytes) {
      fail(fmt::format("{} \"{}\" holds a character that spells no byte", where, spelling));
    }
    return *std::move(bytes);
  }

  void read_tokens(const Json& vocab) {
    vocabulary_.tokens.resize(vocab.size());
    for (const auto& [spelling, id] : vocab.items()) {
      if (!id.is_number_integer() || id < 0 || id >= vocab.size()) {
        fail(fmt::format("\"model.vocab\" gives \"{}\" the id {}, expected one in [0, {})",
                         spelling,
                         id.dump(),
                         vocab.size()));
      }
      auto& token = vocabulary_.tokens[id.get<std::size_t>()];
      if (!token.empty()) {
        fail(fmt::format("\"model.vocab\" gives the id {} to two tokens", id.dump()));
      }
      token = unspell(spelling, "\"model.vocab\" entry");
    }
    for (std::size_t id = 0; id < vocabulary_.tokens.size(); ++id) {
      by_text_.emplace(vocabulary_.tokens[id], static_cast<TokenId>(id));
    }
  }

  [[nodiscard]] TokenId id_of(const std::string& text, const std::string& where) const {
    const auto found = by_text_.find(text);
    if (found == by_text_.end()) {
      fail(fmt::format(
          "{} needs \"{}\", which is not in \"model.vocab\"", where, spell_bytes(text)));
    }
    return found->second;
  }

  /// A merge is "left right" or, since tokenizers 0.20, ["left", "right"].
  void read_merges(const Json& merges) {
    for (std::size_t rank = 0; rank < merges.size(); ++rank) {
      const Json& merge = merges[rank];
      const std::string where = fmt::format("\"model.merges\" entry {}", rank);
      std::string left;
      std::string right;
      if (merge.is_string()) {
        const auto text = merge.get<std::string>();
        const std::size_t blank = text.find(' ');
        left = text.substr(0, blank);
        right = blank == std::string::npos ? "" : text.substr(blank + 1);
      } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
                 merge[1].is_string()) {
        left = merge[0].get<std::string>();
        right = merge[1].get<std::string>();
      }
      if (left.empty() || right.empty()) {
        fail(fmt::format("{} is {}, expected two tokens", where, merge.dump()));
      }
      left = unspell(left, where);
      right = unspell(right, where);
      vocabulary_.merges.push_back(
          {id_of(left, where), id_of(right, where), id_of(left + right, where)});
    }
  }

  void read_added_tokens(const Json& added) {
    for (std::size_t i = 0; i < added.size(); ++i) {
      const Json& entry = added[i];
      const std::string where = fmt::format("\"added_tokens\" entry {}", i);
      if (!entry.is_object() || !entry.contains("content") || !entry.at("content").is_string() ||
          !entry.contains("id") || !entry.at("id").is_number_integer()) {
        fail(fmt::format("{} has no \"content\" (text) and \"id\" (integer)", where));
      }
      const auto content = entry.at("content").get<std::string>();
      const TokenId id = id_of(content, where);
      if (entry.at("id") != id) {
        fail(fmt::format("{} gives \"{}\" the id {}, \"model.vocab\" gives it {}",
                         where,
                         content,
                         entry.at("id").dump(),
                         id));
      }
      const bool special = flag(entry, "special");
      if (flag(entry, "lstrip") || flag(entry, "rstrip") || special == flag(entry, "single_word")) {
        refuse(fmt::format(
            "{} (\"{}\") is neither a marker (special) nor a name (single_word)", where, content));
      }
      (special ? vocabulary_.markers : vocabulary_.names).push_back(id);
    }
  }

  void read_name_pool(const Json& pool) {
    for (const Json& name : pool) {
      if (!name.is_string()) {
        fail(fmt::format("\"model.dreamgym.name_pool\" holds {}, expected names", name.dump()));
      }
      vocabulary_.name_pool.push_back(
          id_of(name.get<std::string>(), "\"model.dreamgym.name_pool\""));
    }
    std::ranges::sort(vocabulary_.name_pool);
  }

  std::string origin_;
  Json root_;
  BpeVocabulary vocabulary_;
  std::unordered_map<std::string, TokenId> by_text_;
};

Json added_token_json(TokenId id, const std::string& content, bool marker) {
  return {{"id", id},
          {"content", content},
          {"single_word", !marker},
          {"lstrip", false},
          {"rstrip", false},
          {"normalized", false},
          {"special", marker}};
}

Json model_json(const BpeVocabulary& vocabulary) {
  const auto text = [&](TokenId id) { return vocabulary.tokens[static_cast<std::size_t>(id)]; };
  Json pool = Json::array();
  for (const TokenId id : vocabulary.name_pool) {
    pool.push_back(text(id));
  }
  Json vocab = Json::object();
  // By push_back, since looking each key up in an ordered object takes quadratic time.
  auto& entries = vocab.get_ref<Json::object_t&>();
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    entries.push_back({spell_bytes(vocabulary.tokens[id]), Json(id)});
  }
  Json merges = Json::array();
  for (const auto& merge : vocabulary.merges) {
    merges.push_back(spell_bytes(text(merge.left)) + " " + spell_bytes(text(merge.right)));
  }
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", nullptr},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"ignore_merges", false},
          {kOwnKey, {{"name_pool", std::move(pool)}}},
          {"vocab", std::move(vocab)},
          {"merges", std::move(merges)}};
}

}  // namespace

std::string BpeTokenizer::to_json() const {
  const BpeVocabulary& from = vocabulary();
  Json added = Json::array();
  for (const auto* kind : {&from.markers, &from.names}) {
    for (const TokenId id : *kind) {
      added.push_back(
          added_token_json(id, from.tokens[static_cast<std::size_t>(id)], kind == &from.markers));
    }
  }
  const Json root = {{"version", "1.0"},
                     {"truncation", nullptr},
                     {"padding", nullptr},
                     {"added_tokens", std::move(added)},
                     {"normalizer", nullptr},
                     {"pre_tokenizer", pre_tokenizer_json()},
                     {"post_processor", nullptr},
                     {"decoder",
                      {{"type", "ByteLevel"},
                       {"add_prefix_space", false},
                       {"trim_offsets", true},
                       {"use_regex", false}}},
                     {"model", model_json(from)}};
  return root.dump(1) + "\n";
}

BpeTokenizer BpeTokenizer::from_json(std::string_view json, std::string_view origin) {
  return BpeTokenizer(Reader(json, origin).read());
}

}  // namespace dreamgym

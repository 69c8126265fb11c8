#include "dreamgym/apps/lm/text_doors.h"

#include <filesystem>

#include "dreamgym/llm/checkpoint/bert_weights.h"

namespace dreamgym::lm {

TextDoors::TextDoors(const std::string& model) : model_(model) {
  if (std::filesystem::is_directory(model) && is_bert(model)) {
    word_piece_ = read_word_piece(Path(model) / "tokenizer.json");
  } else {
    language_ = load_model_language(model);
  }
}

const ModelLanguage& TextDoors::language() const {
  if (!language_) {
    throw Error(ErrorKind::kUnsupported,
                model_ + ": a sentence encoder can only tokenize and embed",
                "name a language model");
  }
  return *language_;
}

Json TextDoors::tokenize(const Json& line, bool plain) const {
  const auto text = value_as<std::string>(line, "the text");
  if (word_piece_) {
    return {{"ids", word_piece_->encode(text)}};
  }
  const Tokenizer& tokenizer = *language().tokenizer;
  return {{"ids", plain ? tokenizer.encode(text) : tokenizer.encode_with_markers(text)}};
}

Json TextDoors::detokenize(const Json& line) const {
  const auto ids = line.is_array() ? value_as<std::vector<TokenId>>(line, "the list of ids")
                                   : field<std::vector<TokenId>>(line, "ids");
  return {{"text", printable(language().tokenizer->decode(ids))}};
}

ChatRequest chat_request(const Json& line, bool generation_prompt) {
  ChatRequest request;
  request.messages = field<Json>(line, "messages");
  request.tools = field_or<Json>(line, "tools", nullptr);
  request.variables = field_or<Json>(line, "variables", Json::object());
  request.add_generation_prompt = generation_prompt;
  return request;
}

Json TextDoors::chat(const Json& line,
                     const std::string& template_name,
                     bool generation_prompt) const {
  const ChatTemplate kind = chat_template_of(language(), template_name, model_);
  const RenderedChat chat = render_chat(kind, chat_request(line, generation_prompt));
  return {{"text", chat.text}, {"ids", chat_tokens(language(), chat)}};
}

}  // namespace dreamgym::lm

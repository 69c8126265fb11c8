#include "dreamgym/apps/lm/chat_repl.h"

#include <algorithm>
#include <istream>
#include <ostream>

#include "dreamgym/base/rng.h"
#include "dreamgym/llm/tokenizers/text_stream.h"

namespace dreamgym::lm {
namespace {

// Token by token, so that each is seen as soon as it is there.
std::string say_reply(ModelDoors& model,
                      const ReplOptions& options,
                      std::vector<TokenId> context,
                      const Rng& stream,
                      std::ostream& out) {
  const std::vector<TokenId> ends = model.end_tokens();
  TextStream text;
  std::string said;
  const auto say = [&](const std::string& piece) {
    said += piece;
    out << piece << std::flush;
  };
  for (std::size_t i = 0; i < options.max_tokens; ++i) {
    if (context.size() >= model.engine().max_context_tokens()) {
      out << "\n[the context is full]";
      break;
    }
    GenerationRequest request;
    request.session = 1;
    request.context = context;
    request.max_tokens = 1;
    request.temperature = options.temperature;
    request.seed = stream.fork("token", i).next();
    const TokenId token = model.engine().generate(std::span(&request, 1)).front().tokens.front();
    if (std::ranges::find(ends, token) != ends.end()) {
      break;
    }
    context.push_back(token);
    say(text.push(model.language().tokenizer->decode(std::span(&token, 1))));
  }
  say(text.finish());
  out << '\n';
  return said;
}

}  // namespace

void chat_repl(ModelDoors& model, const ReplOptions& options, std::istream& in, std::ostream& out) {
  const ChatTemplate kind = model.chat_template();
  ChatRequest conversation;
  conversation.add_generation_prompt = true;
  if (!options.system.empty()) {
    conversation.messages.push_back({{"role", "system"}, {"content", options.system}});
  }
  const Rng seed(options.seed);
  std::string line;
  out << "> " << std::flush;
  for (std::size_t turn = 0; std::getline(in, line); ++turn) {
    conversation.messages.push_back({{"role", "user"}, {"content", printable(line)}});
    const auto context = chat_tokens(model.language(), render_chat(kind, conversation));
    const std::string said =
        say_reply(model, options, context, seed.fork("turn", turn), out);
    conversation.messages.push_back({{"role", "assistant"}, {"content", said}});
    out << "> " << std::flush;
  }
  out << '\n';
}

}  // namespace dreamgym::lm

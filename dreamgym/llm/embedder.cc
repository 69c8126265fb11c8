#include "dreamgym/llm/embedder.h"

namespace dreamgym {

std::vector<float> Embedder::embed_pair(std::string_view state, std::string_view action) const {
  std::string text(state);
  text += '\n';
  text += action;
  return embed(text);
}

}  // namespace dreamgym

// Looks up a marker that a prompt can't do without.
#pragma once

#include <string>
#include <string_view>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/tokenizer.h"

namespace dreamgym {

/// @throws Error kUnsupported naming the marker.
inline TokenId require_marker(const Tokenizer& tokenizer, std::string_view name) {
  const auto id = tokenizer.marker(name);
  if (!id) {
    throw Error(ErrorKind::kUnsupported,
                "the tokenizer has no marker " + std::string(name),
                "use a model trained by dreamgym pretrain, or add the markers of "
                "docs/formats/tokenizer.md");
  }
  return *id;
}

}  // namespace dreamgym

// GPT-2's printable spelling of bytes, in which tokenizer.json writes its tokens.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dreamgym {

/// One printable character (UTF-8) for each byte; a blank becomes U+0120.
std::string spell_bytes(std::string_view bytes);
/// The bytes a spelling stands for, or nothing if a character spells none.
std::optional<std::string> unspell_bytes(std::string_view spelling);

}  // namespace dreamgym

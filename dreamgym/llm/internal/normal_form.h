// Unicode normal forms of UTF-8 text. Bytes that are no UTF-8 stay as they are.
// Thread safety: reentrant.
#pragma once

#include <string>
#include <string_view>

namespace dreamgym {

/// Whether the text is surely in NFC already (every character below U+0300).
bool is_surely_nfc(std::string_view text);
std::string to_nfc(std::string_view text);
std::string to_nfd(std::string_view text);

}  // namespace dreamgym

// Base64 (RFC 4648, with padding). Thread safety: reentrant.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dreamgym {

/// The bytes, or nothing if the text is not base64.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace dreamgym

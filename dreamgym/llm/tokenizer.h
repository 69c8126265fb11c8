// Text to token ids and back, whoever made the tokenizer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dreamgym {

using TokenId = std::int32_t;

/// Thread safety: const members are reentrant.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  /// Ids of plain text; markers inside it are ordinary characters. decode(encode(x)) == x.
  [[nodiscard]] virtual std::vector<TokenId> encode(std::string_view text) const = 0;
  /// As encode(), but markers written in the text become their ids.
  [[nodiscard]] virtual std::vector<TokenId> encode_with_markers(std::string_view text) const = 0;
  /// Text of the ids; markers print as their names.
  [[nodiscard]] virtual std::string decode(std::span<const TokenId> ids) const = 0;
  /// Id of a marker such as "<|action|>", or nothing if there is none of that name.
  [[nodiscard]] virtual std::optional<TokenId> marker(std::string_view name) const = 0;
  [[nodiscard]] virtual std::size_t vocabulary_size() const = 0;
};

}  // namespace dreamgym

// Text of tokens that arrive one by one, never cut inside a UTF-8 character.
#pragma once

#include <string>
#include <string_view>

namespace dreamgym {

/// What comes out is valid UTF-8 at any time: a character that is not complete waits for its last
/// byte, and bytes that can't become one are given as U+FFFD (one for each longest beginning of a
/// character, as Unicode 15, 3.9 recommends). Thread safety: none.
class TextStream {
 public:
  /// @param bytes  of the next token. @return the text that has become certain; may be empty.
  std::string push(std::string_view bytes);
  /// What is left when no more tokens come. The stream is empty afterwards.
  std::string finish();

 private:
  std::string pending_;
};

}  // namespace dreamgym

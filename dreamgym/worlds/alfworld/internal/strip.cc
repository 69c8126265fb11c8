#include "dreamgym/worlds/alfworld/internal/strip.h"

namespace dreamgym::alfworld {
namespace {

// What Python's str.isspace() accepts, as UTF-8.
constexpr std::string_view kSpaces[] = {
    "\t",           "\n",           "\v",           "\f",           "\r",
    "\x1c",         "\x1d",         "\x1e",         "\x1f",         " ",
    "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81",
    "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86",
    "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8",
    "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80"};

bool may_be_space(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= ' ' || byte >= 0x80;
}

std::size_t space_at_start(std::string_view text) {
  for (const std::string_view space : kSpaces) {
    if (text.starts_with(space)) {
      return space.size();
    }
  }
  return 0;
}

std::size_t space_at_end(std::string_view text) {
  for (const std::string_view space : kSpaces) {
    if (text.ends_with(space)) {
      return space.size();
    }
  }
  return 0;
}

}  // namespace

std::string_view strip(std::string_view text) {
  while (!text.empty() && may_be_space(text.front())) {
    const std::size_t size = space_at_start(text);
    if (size == 0) {
      break;
    }
    text.remove_prefix(size);
  }
  while (!text.empty() && may_be_space(text.back())) {
    const std::size_t size = space_at_end(text);
    if (size == 0) {
      break;
    }
    text.remove_suffix(size);
  }
  return text;
}

}  // namespace dreamgym::alfworld

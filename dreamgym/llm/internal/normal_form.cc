#include "dreamgym/llm/internal/normal_form.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

struct Free {
  void operator()(utf8proc_uint8_t* bytes) const { std::free(bytes); }  // NOLINT: as malloc'ed
};

void append_mapped(std::string_view valid, utf8proc_option_t form, std::string& out) {
  utf8proc_uint8_t* mapped = nullptr;
  const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(valid.data()),
                                 static_cast<utf8proc_ssize_t>(valid.size()),
                                 &mapped,
                                 form);
  const std::unique_ptr<utf8proc_uint8_t, Free> owned(mapped);
  if (size < 0) {
    throw Error(ErrorKind::kParse,
                std::string("can't normalise the text: ") + utf8proc_errmsg(size));
  }
  out.append(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(size));
}

std::string normalise(std::string_view text, utf8proc_option_t form) {
  std::string out;
  while (!text.empty()) {
    const std::size_t invalid = find_invalid_utf8(text);
    const std::string_view valid = text.substr(0, invalid);
    if (!valid.empty()) {
      append_mapped(valid, form, out);
    }
    text.remove_prefix(valid.size());
    if (!text.empty()) {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace

bool is_surely_nfc(std::string_view text) {
  constexpr unsigned char kLeadOfU0300 = 0xcc;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= kLeadOfU0300) {
      return false;
    }
  }
  return true;
}

std::string to_nfc(std::string_view text) {
  return normalise(text, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
}

std::string to_nfd(std::string_view text) {
  return normalise(text, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE));
}

}  // namespace dreamgym

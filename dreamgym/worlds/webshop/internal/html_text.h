// Text inside HTML and query strings, as the original's libraries write it. Thread safety: pure.
#pragma once

#include <string>
#include <string_view>

namespace dreamgym::webshop {

/// Jinja's autoescape: & < > " '.
std::string escape_html(std::string_view text);

/// Werkzeug's query quoting: blanks to '+', everything but letters, digits and a few signs to %XX.
std::string quote_query(std::string_view text);

}  // namespace dreamgym::webshop

// From text to search terms, as the original's index does it (Anserini's English analyzer).
//
// Words (internal/word_breaker.h), without a possessive 's, lower-cased, without Lucene's 33 stop
// words, Porter-stemmed. Thread safety: pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dreamgym::webshop {

void for_each_term(std::string_view text, const std::function<void(const std::string&)>& visit);
std::vector<std::string> analyze(std::string_view text);

}  // namespace dreamgym::webshop

// JSON Schema as the pattern of the texts that satisfy it, for replies that are held to one.
//
// The texts are one line: a blank may stand after a comma or a colon and nowhere else; members come
// in the order of "required", then the optional ones as listed; a number has at most 18 digits before
// its point. Every text of the pattern satisfies the schema; not every text that satisfies the schema
// is in the pattern.
// Known: type (or a list of them), properties, required, additionalProperties false, items, minItems,
// maxItems, minLength, maxLength, enum, const, anyOf, $ref into $defs without recursion, minimum and
// maximum of an integer where both are given and close; annotations are left out. Anything else is
// refused, so that no text breaks a rule that was not understood. Pure. Thread safety: reentrant.
// Source: JSON Schema draft 2020-12.
#pragma once

#include <string>
#include <string_view>

#include "dreamgym/llm/grammar/pattern.h"

namespace dreamgym {

/// @param origin  where the schema came from, for messages.
/// @throws Error kParse for text that is no JSON, kUnsupported naming the keyword and its place.
PatternPtr json_schema_pattern(std::string_view schema, const std::string& origin);

}  // namespace dreamgym

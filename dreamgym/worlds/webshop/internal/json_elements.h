// The elements of one large JSON list or object, one at a time, without holding the file.
//
// Memory: the largest element plus one block of the file. Thread safety: reentrant.
#pragma once

#include <functional>
#include <string>

#include "dreamgym/base/file.h"
#include "dreamgym/worlds/webshop/internal/json_value.h"

namespace dreamgym::webshop {

/// @param visit  (key, element): the member's name, or "" in a list; return false to stop.
/// @throws Error kParse naming the file and the element's number if something is no JSON or the
///               file ends early; kIo, kNotFound.
void for_each_json_element(
    const Path& path, const std::function<bool(const std::string& key, const JsonValue&)>& visit);

}  // namespace dreamgym::webshop

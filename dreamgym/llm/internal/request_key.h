// What a reply depends on, as a name.
#pragma once

#include <string>

#include "dreamgym/llm/language_model.h"

namespace dreamgym {

/// 16 hexadecimal digits over context, limits, temperature, stop tokens, choices and seed. Session
/// and kept tokens only save time, so they are left out.
std::string request_key(const GenerationRequest& request);

}  // namespace dreamgym

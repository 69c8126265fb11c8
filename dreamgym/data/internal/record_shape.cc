#include "dreamgym/data/internal/record_shape.h"

#include <fmt/format.h>

#include "dreamgym/data/internal/json_object.h"

namespace dreamgym::internal {
namespace {

// The list that holds an episode's turns or steps.
std::string_view list_of(std::string_view format) {
  if (format == "messages") {
    return "messages";
  }
  return format == "sharegpt" || format == "agentgym" ? "conversations" : "steps";
}

std::string_view format_of(const Json& record) {
  if (record.contains("messages")) {
    return "messages";
  }
  if (record.contains("conversations")) {
    return record.contains("item_id") ? "agentgym" : "sharegpt";
  }
  return record.contains("steps") ? "canonical" : "";
}

}  // namespace

std::string other_format_hint(std::string_view text, std::string_view wanted) {
  const Json record = Json::parse(text, nullptr, false);
  if (!record.is_object() || record.contains(std::string(list_of(wanted)))) {
    return "";
  }
  const std::string_view format = format_of(record);
  if (format.empty()) {
    return "";
  }
  return fmt::format("its \"{}\" look like the format {}: `dreamgym import --format {} FILE --out logs.jsonl` makes canonical JSONL of it",
                     list_of(format),
                     format,
                     format);
}

}  // namespace dreamgym::internal

#include "dreamgym/report/task_tree.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

using Json = nlohmann::ordered_json;

TaskRecord record_from(const Json& json) {
  TaskRecord record;
  record.phase = json.value("phase", "");
  record.id = json.value("id", "");
  record.parent = json.value("parent", "");
  record.instruction = json.value("instruction", "");
  record.num_groups = json.value("groups", std::uint64_t{0});
  record.success_probability = json.value("success_probability", 0.0);
  record.value = json.value("value", 0.0);
  if (const auto solvable = json.find("solvable"); solvable != json.end() && solvable->is_boolean()) {
    record.solvable = solvable->get<bool>();
  }
  record.remark = json.value("remark", "");
  return record;
}

}  // namespace

void write_task_records(const Path& file, const std::vector<TaskRecord>& records) {
  std::string text;
  for (const TaskRecord& record : records) {
    const Json json = {{"phase", record.phase},
                       {"id", record.id},
                       {"parent", record.parent},
                       {"instruction", record.instruction},
                       {"groups", record.num_groups},
                       {"success_probability", record.success_probability},
                       {"value", record.value},
                       {"solvable", record.solvable ? Json(*record.solvable) : Json(nullptr)},
                       {"remark", record.remark}};
    text += json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  write_file(file, text);
}

std::vector<TaskRecord> read_task_records(const Path& file) {
  std::vector<TaskRecord> records;
  for_each_line(file, [&](std::size_t number, std::string_view line) {
    const Json json = Json::parse(line, nullptr, false);
    try {
      if (!json.is_object()) {
        throw Error(ErrorKind::kParse, "not a JSON object: " + shorten(line, 60));
      }
      records.push_back(record_from(json));
    } catch (const nlohmann::json::exception&) {
      throw Error(ErrorKind::kParse,
                  fmt::format("{}:{}: a key is of another type: {}", file.string(), number, shorten(line, 60)));
    } catch (const Error& error) {
      throw Error(ErrorKind::kParse, fmt::format("{}:{}: {}", file.string(), number, error.what()));
    }
    return true;
  });
  return records;
}

}  // namespace dreamgym

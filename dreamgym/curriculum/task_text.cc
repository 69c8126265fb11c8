#include "dreamgym/curriculum/task_text.h"

#include <charconv>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/trajectory_json.h"

namespace dreamgym {
namespace {

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) {
    throw Error(ErrorKind::kCorrupt, "a stored task list is cut short");
  }
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

}  // namespace

std::string tasks_to_text(const std::vector<Task>& tasks) {
  std::string out = fmt::format("tasks {}\n", tasks.size());
  for (const Task& task : tasks) {
    Trajectory carrier;  // the canonical record is the one place that knows how to write a task
    carrier.task = task;
    out += to_json_line(carrier) + "\n";
  }
  return out;
}

std::vector<Task> tasks_from_text(std::string_view& text) {
  std::string_view header = take_line(text);
  std::size_t count = 0;
  if (!consume_prefix(header, "tasks ") ||
      std::from_chars(header.data(), header.data() + header.size(), count).ec != std::errc{}) {
    throw Error(ErrorKind::kCorrupt, "a stored task list has no count");
  }
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < count; ++i) {
    tasks.push_back(trajectory_from_json(take_line(text)).task);
  }
  return tasks;
}

}  // namespace dreamgym

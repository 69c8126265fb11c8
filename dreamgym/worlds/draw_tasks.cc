#include "dreamgym/worlds/draw_tasks.h"

#include <fmt/format.h>

#include <set>

#include "dreamgym/base/error.h"

namespace dreamgym {

std::vector<Task> draw_tasks(const WorldOptions& options,
                             std::size_t default_count,
                             const std::function<Task(Rng)>& draw) {
  constexpr std::size_t kPatience = 20000;
  const std::size_t count = options.count == 0 ? default_count : options.count;
  const Rng rng = Rng(options.seed).fork("tasks");
  std::vector<Task> tasks;
  std::set<std::string> ids;
  std::size_t in_vain = 0;
  for (std::uint64_t i = 0; tasks.size() < count; ++i) {
    Task task = draw(rng.fork("task", i));
    if (task.split == options.split && ids.insert(task.id).second) {
      tasks.push_back(std::move(task));
      in_vain = 0;
    } else if (++in_vain > kPatience) {
      throw Error(ErrorKind::kInvalidArgument,
                  fmt::format("count of split \"{}\": expected at most {} (all there seem to be), "
                              "got {}",
                              options.split,
                              tasks.size(),
                              count));
    }
  }
  return tasks;
}

}  // namespace dreamgym

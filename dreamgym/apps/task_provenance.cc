#include "dreamgym/apps/task_provenance.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

// The tasks of the curriculum by their ids.
std::map<std::string, const Task*> by_id(const TaskCurriculum& curriculum, const std::vector<Task>& original) {
  std::map<std::string, const Task*> known;
  for (const auto* tasks : {&curriculum.generated(), &original}) {
    for (const Task& task : *tasks) {
      known[task.id] = &task;
    }
  }
  return known;
}

// The original task at the root of a variation; null if an ancestor has left the pool.
const Task* root_of(const Task& variation, const std::map<std::string, const Task*>& known) {
  const Task* task = &variation;
  for (std::size_t depth = 0; depth <= known.size(); ++depth) {
    if (task->parent_task.empty()) {
      return task;
    }
    const auto parent = known.find(task->parent_task);
    if (parent == known.end()) {
      return nullptr;
    }
    task = parent->second;
  }
  return nullptr;
}

}  // namespace

std::vector<TaskRecord> task_records(const std::string& phase,
                                     const TaskCurriculum& curriculum,
                                     const std::vector<Task>& original,
                                     const SolvabilityAudit& audit) {
  const auto known = by_id(curriculum, original);
  std::vector<TaskRecord> records;
  std::set<std::string> roots;
  const std::vector<TaskLineage> lineage = curriculum.lineage();
  for (const TaskLineage& one : lineage) {
    const Task& task = *known.at(one.id);
    TaskRecord record{.phase = phase,
                      .id = one.id,
                      .parent = one.parent,
                      .instruction = one.instruction,
                      .num_groups = one.num_groups,
                      .success_probability = one.success_probability,
                      .value = one.value};
    const Task* root = root_of(task, known);
    if (root != nullptr) {
      roots.insert(root->id);
      if (audit) {
        const auto found = audit(task, *root);
        record.solvable = found.has_value();
        record.remark = found ? "" : found.error();
      }
    }
    records.push_back(std::move(record));
  }
  for (const std::string& id : roots) {
    records.push_back({.phase = phase, .id = id, .instruction = known.at(id)->instruction});
  }
  return records;
}

void keep_task_records(const Path& file, const std::string& phase, const std::vector<TaskRecord>& records) {
  std::vector<TaskRecord> all;
  if (std::filesystem::exists(file)) {
    all = read_task_records(file);
    std::erase_if(all, [&](const TaskRecord& record) { return record.phase == phase; });
  }
  all.insert(all.end(), records.begin(), records.end());
  write_task_records(file, all);
}

std::optional<double> solvable_share(const std::vector<TaskRecord>& records) {
  const auto audited = std::ranges::count_if(records, [](const TaskRecord& task) { return task.solvable.has_value(); });
  const auto solvable = std::ranges::count(records, std::optional(true), &TaskRecord::solvable);
  return audited == 0 ? std::nullopt
                      : std::optional(static_cast<double>(solvable) / static_cast<double>(audited));
}

}  // namespace dreamgym

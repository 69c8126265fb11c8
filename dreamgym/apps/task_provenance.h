// What a stage's generated tasks are and whether they can be done, for tasks.jsonl of the run folder.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dreamgym/base/expected.h"
#include "dreamgym/curriculum/task_curriculum.h"
#include "dreamgym/report/task_tree.h"

namespace dreamgym {

/// Whether `variation` can be done in the place of `original`; nothing wrong, or why not.
using SolvabilityAudit = std::function<Expected<void, std::string>(const Task& variation, const Task& original)>;

/// The variations in the curriculum's pool and every task they descend from.
/// @param original  the curriculum's own tasks. @param audit  empty = nobody can tell.
std::vector<TaskRecord> task_records(const std::string& phase,
                                     const TaskCurriculum& curriculum,
                                     const std::vector<Task>& original,
                                     const SolvabilityAudit& audit);

/// Puts a phase's records into the file, in the place of those it had there.
void keep_task_records(const Path& file, const std::string& phase, const std::vector<TaskRecord>& records);

/// Of the variations that were audited, the share that can be done; nothing if none was.
std::optional<double> solvable_share(const std::vector<TaskRecord>& records);

}  // namespace dreamgym

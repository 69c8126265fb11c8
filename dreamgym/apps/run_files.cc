#include "dreamgym/apps/run_files.h"

#include "dreamgym/base/error.h"
#include "dreamgym/data/trajectory_json.h"

namespace dreamgym {
namespace {

constexpr const char* kDamagedModel =
    "a model of this run is damaged: put its folder back from a backup, or delete it and its stage from "
    "progress.json and go on with --resume, which trains it again";

template <class Read>
auto with_hint(const Read& read, const char* hint) {
  try {
    return read();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kParse || error.kind() == ErrorKind::kCorrupt) {
      throw Error(error.kind(), error.what(), hint);
    }
    throw;
  }
}

}  // namespace

std::vector<Trajectory> read_run_trajectories(const Path& file) {
  return with_hint([&] { return read_trajectories(file); },
                   "this is the run's own copy of its data, and every later stage rests on it: put it back from a "
                   "backup, or begin the run anew in another folder (the logs are read again)");
}

ModelFiles load_run_model(const Path& folder) {
  return with_hint([&] { return load_model(folder); }, kDamagedModel);
}

PolicyModel load_run_policy(const Path& folder) {
  return with_hint([&] { return load_policy(folder); }, kDamagedModel);
}

}  // namespace dreamgym

#include "dreamgym/apps/run_report.h"

#include <cstdio>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/replay/experience_store.h"
#include "dreamgym/report/report.h"

namespace dreamgym {

namespace {

// What a damaged store costs the report.
void warn(const Error& error) {
  fmt::print(stderr,
             "warning: {}; the report shows the ids of retrieved transitions only\n",
             error.what());
}

// Null if there is none or it can't be read: the rest of the report does not need it.
std::shared_ptr<ExperienceStore> open_store(const Path& file) {
  if (!std::filesystem::exists(file)) {
    return nullptr;
  }
  try {
    return std::make_shared<ExperienceStore>(file);
  } catch (const Error& error) {
    warn(error);
    return nullptr;
  }
}

// Its record of that id. A store that turns out to be damaged is said once and asked no more.
std::optional<StoredTransition> find_in(std::shared_ptr<ExperienceStore>& store, std::string_view id) {
  if (store == nullptr) {
    return std::nullopt;
  }
  try {
    return store->find(id);
  } catch (const Error& error) {
    warn(error);
    store = nullptr;
    return std::nullopt;
  }
}

// A page about nothing would hide that the wrong folder was named.
void check_is_run(const Path& folder) {
  for (const char* part : {"config.toml", "run.json", "results.json", "metrics.jsonl", "episodes.jsonl"}) {
    if (std::filesystem::exists(folder / part)) {
      return;
    }
  }
  if (std::filesystem::is_directory(folder)) {  // a missing folder is named by who reads it
    throw Error(ErrorKind::kNotFound,
                fmt::format("{} is no run folder: it holds none of the files of a run", folder.string()),
                "name the folder given to --run or --out when the run was started");
  }
}

}  // namespace

Path report_run(const Path& run_folder) {
  check_is_run(run_folder);
  ReportOptions options;
  if (auto store = open_store(run_folder / "experience.sqlite")) {
    options.find_demonstration =
        [store](std::string_view id) mutable -> std::optional<ShownDemonstration> {
      const auto record = find_in(store, id);
      if (!record) {
        return std::nullopt;
      }
      return ShownDemonstration{record->transition.observation.text,
                                record->transition.action,
                                record->transition.next_observation.text,
                                record->transition.reward,
                                record->provenance,
                                record->episode_id};
    };
  }
  write_report(run_folder, options);
  return run_folder / "report.html";
}

}  // namespace dreamgym

#include "dreamgym/apps/run_report.h"

#include <filesystem>
#include <memory>

#include "dreamgym/replay/experience_store.h"
#include "dreamgym/report/report.h"

namespace dreamgym {

Path report_run(const Path& run_folder) {
  ReportOptions options;
  const Path store_file = run_folder / "experience.sqlite";
  if (std::filesystem::exists(store_file)) {
    auto store = std::make_shared<ExperienceStore>(store_file);
    options.find_demonstration =
        [store](std::string_view id) -> std::optional<ShownDemonstration> {
      const auto record = store->find(id);
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

// Writes a run's report with its retrieved transitions looked up in its experience store.
#pragma once

#include "dreamgym/base/file.h"

namespace dreamgym {

/// @return the page. @throws Error kNotFound if there is no such run folder.
Path report_run(const Path& run_folder);

}  // namespace dreamgym

// What every supervised kind of training (sft, dpo) is told beside data and numbers: how it is
// called, who watches, where it is kept.
//
// Thread safety: values; everything pointed to is borrowed.
#pragma once

#include <optional>
#include <string>

#include "dreamgym/base/file.h"
#include "dreamgym/base/metrics.h"
#include "dreamgym/base/progress.h"
#include "dreamgym/train/training_listener.h"

namespace dreamgym {

struct TrainingRun {
  std::string phase;                     ///< name in metrics, e.g. "experience", "dpo"
  MetricsSink* metrics = nullptr;        ///< may be null
  ProgressSink* progress = nullptr;      ///< may be null
  TrainingListener* listener = nullptr;  ///< may be null; saved and restored with the checkpoints
  std::optional<Path> checkpoints{};     ///< folder to save to and resume from
};

}  // namespace dreamgym

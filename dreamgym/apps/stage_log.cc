#include "dreamgym/apps/stage_log.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

constexpr int kVersion = 1;

nlohmann::json to_json(const StageRecord& record) {
  return {{"real_steps", record.real_steps},
          {"dreamed_steps", record.dreamed_steps},
          {"tokens", record.tokens},
          {"seconds", record.seconds},
          {"peak_bytes", record.peak_bytes},
          {"note", record.note},
          {"outcomes", record.outcomes},
          {"measures", record.measures}};
}

StageRecord from_json(const nlohmann::json& json) {
  StageRecord record;
  record.real_steps = json.at("real_steps").get<std::uint64_t>();
  record.dreamed_steps = json.at("dreamed_steps").get<std::uint64_t>();
  record.tokens = json.at("tokens").get<std::uint64_t>();
  record.seconds = json.at("seconds").get<double>();
  record.peak_bytes = json.value("peak_bytes", std::uint64_t{0});
  record.note = json.at("note").get<std::string>();
  record.outcomes = json.at("outcomes").get<std::vector<double>>();
  record.measures = json.at("measures").get<std::map<std::string, double>>();
  return record;
}

}  // namespace

StageLog::StageLog(const Path& run_folder) : file_(run_folder / "progress.json") {
  if (!std::filesystem::exists(file_)) {
    return;
  }
  try {
    const auto json = nlohmann::json::parse(read_file(file_));
    const int version = json.at("version").get<int>();
    if (version != kVersion) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("{}: run folder of version {}, this program reads version {}",
                              file_.string(),
                              version,
                              kVersion),
                  "continue it with the program that began it, or choose another --run folder");
    }
    recorder_ = json.at("recorder").get<std::string>();
    for (const auto& [stage, record] : json.at("stages").items()) {
      stages_[stage] = from_json(record);
    }
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::kCorrupt,
                fmt::format("{}: {}", file_.string(), error.what()),
                "the file is damaged: remove the run folder and start again");
  }
}

const StageRecord& StageLog::record(const std::string& stage) const {
  const auto found = stages_.find(stage);
  if (found == stages_.end()) {
    throw Error(ErrorKind::kNotFound, fmt::format("stage '{}' of the run is not done", stage));
  }
  return found->second;
}

void StageLog::finish(const std::string& stage, StageRecord record, const std::string& recorder) {
  stages_[stage] = std::move(record);
  recorder_ = recorder;
  write();
}

void StageLog::keep_only(const std::vector<std::string>& stages) {
  std::erase_if(stages_, [&](const auto& stage) {
    return std::ranges::find(stages, stage.first) == stages.end();
  });
  write();
}

void StageLog::write() const {
  nlohmann::json json = {{"version", kVersion}, {"recorder", recorder_}};
  for (const auto& [name, done] : stages_) {
    json["stages"][name] = to_json(done);
  }
  write_file(file_, json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace dreamgym

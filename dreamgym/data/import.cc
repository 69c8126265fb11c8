#include "dreamgym/data/import.h"

#include <fmt/format.h>

#include <array>
#include <set>
#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/importers/importers.h"
#include "dreamgym/data/internal/record_reader.h"
#include "dreamgym/data/internal/record_shape.h"
#include "dreamgym/data/trajectory_json.h"

namespace dreamgym {

namespace {

constexpr std::array<std::pair<LogFormat, std::string_view>, 7> kFormats = {{
    {LogFormat::kCanonical, "canonical"},
    {LogFormat::kMessages, "messages"},
    {LogFormat::kShareGpt, "sharegpt"},
    {LogFormat::kAgentGym, "agentgym"},
    {LogFormat::kAlfworldLog, "alfworld-log"},
    {LogFormat::kWebshopLog, "webshop-log"},
    {LogFormat::kWebshopHuman, "webshop-human"},
}};

internal::ImportedEpisode read_record(LogFormat format,
                                      std::string_view text,
                                      const ImportOptions& options) {
  if (format == LogFormat::kCanonical) {
    return {.trajectory = trajectory_from_json(text)};
  }
  const internal::Json json = internal::parse_json(text);
  const internal::JsonObject record(json, "");
  switch (format) {
    case LogFormat::kMessages:
      return import_messages(record, options);
    case LogFormat::kShareGpt:
      return import_sharegpt(record, options);
    case LogFormat::kAgentGym:
      return import_agentgym(record, options);
    case LogFormat::kWebshopLog:
      return import_webshop_log(record, options);
    default:
      return import_alfworld_log(record, options);
  }
}

/// A file whose records together are one episode.
internal::RecordCounts read_session(const std::filesystem::path& file,
                                    bool skip_bad,
                                    internal::ImportedEpisode& episode,
                                    const std::function<void(const internal::Record&)>& deliver) {
  internal::Json views = internal::Json::array();
  const internal::RecordCounts counts = internal::for_each_record(
      file,
      skip_bad,
      [&](const internal::Record& record) {
        internal::Json view = internal::parse_json(record.text);
        const internal::JsonObject checked(view, "");
        views.push_back(std::move(view));
      },
      [](const internal::Record&) {});
  try {
    episode = internal::import_webshop_session(views);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", file.string(), error.what()));
  }
  deliver({.line = 1, .index = 0, .text = {}});
  return counts;
}

void override_or_default(std::string& value, const std::string& wanted, std::string_view fallback) {
  if (!wanted.empty()) {
    value = wanted;
  } else if (value.empty()) {
    value = fallback;
  }
}

/// Gives ids that are missing or taken: "logs.jsonl:7", "shop_3#2".
class Namer {
 public:
  void name(Trajectory& trajectory, const std::string& file, std::size_t line) {
    const std::string place = fmt::format("{}:{}", file, line);
    if (trajectory.episode_id.empty()) {
      trajectory.episode_id = place;
    }
    const std::string id = trajectory.episode_id;
    for (std::size_t copy = 2; !taken_.insert(trajectory.episode_id).second; ++copy) {
      trajectory.episode_id = fmt::format("{}#{}", id, copy);
    }
    if (trajectory.task.id.empty()) {
      trajectory.task.id = trajectory.episode_id;
    }
    if (trajectory.task.source.empty()) {
      trajectory.task.source = place;
    }
  }

 private:
  std::set<std::string> taken_;
};

}  // namespace

std::string_view log_format_name(LogFormat format) {
  for (const auto& [candidate, name] : kFormats) {
    if (candidate == format) {
      return name;
    }
  }
  return "unknown";
}

LogFormat log_format_from_name(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [format, candidate] : kFormats) {
    if (candidate == name) {
      return format;
    }
    names.emplace_back(candidate);
  }
  throw Error(
      ErrorKind::kInvalidArgument,
      fmt::format("format: expected one of {}, got \"{}\"", join(names, ", "), shorten(name, 60)),
      fmt::format("did you mean \"{}\"?", nearest(name, names)));
}

ImportReport import_trajectories(LogFormat format,
                                 std::span<const std::filesystem::path> files,
                                 const ImportOptions& options,
                                 const std::function<void(Trajectory)>& sink) {
  ImportReport report;
  Namer namer;
  for (const std::filesystem::path& file : files) {
    internal::ImportedEpisode episode;
    const auto convert = [&](const internal::Record& record) {
      try {
        episode = read_record(format, record.text, options);
      } catch (const Error& error) {
        const std::string hint = internal::other_format_hint(record.text, log_format_name(format));
        throw Error(error.kind(), error.what(), hint);
      }
    };
    const auto deliver = [&](const internal::Record& record) {
      Trajectory& trajectory = episode.trajectory;
      override_or_default(trajectory.task.world, options.world, "none");
      override_or_default(trajectory.task.split, options.split, "train");
      namer.name(trajectory, file.filename().string(), record.line);
      ++report.episodes;
      report.transitions += trajectory.steps.size();
      report.unknown_outcomes += episode.outcome_known ? 0 : 1;
      sink(std::move(trajectory));
    };
    const internal::RecordCounts counts =
        format == LogFormat::kWebshopHuman
            ? read_session(file, options.skip_bad, episode, deliver)
            : internal::for_each_record(file, options.skip_bad, convert, deliver);
    ++report.files;
    report.records += counts.records;
    report.bad_records += counts.bad_records;
    if (report.first_error.empty()) {
      report.first_error = counts.first_error;
    }
  }
  return report;
}

}  // namespace dreamgym

#include "dreamgym/report/results.h"

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

Json write(const Interval& interval) {
  return {{"value", interval.value}, {"low", interval.low}, {"high", interval.high}};
}

Interval read_interval(const Json& json) {
  return {json.at("value").get<double>(), json.at("low").get<double>(), json.at("high").get<double>()};
}

Json write(const ArmResult& arm) {
  Json by_type = Json::object();
  for (const auto& [type, interval] : arm.by_type) {
    by_type[type] = write(interval);
  }
  return {{"arm", arm.arm},
          {"title", arm.title},
          {"success", write(arm.success)},
          {"num_tasks", arm.num_tasks},
          {"by_type", by_type},
          {"offline_steps", arm.offline_steps},
          {"real_steps", arm.real_steps},
          {"dreamed_steps", arm.dreamed_steps},
          {"tokens", arm.tokens},
          {"seconds", arm.seconds},
          {"note", arm.note}};
}

ArmResult read_arm(const Json& json) {
  ArmResult arm;
  arm.arm = json.at("arm").get<std::string>();
  arm.title = json.at("title").get<std::string>();
  arm.success = read_interval(json.at("success"));
  arm.num_tasks = json.at("num_tasks").get<std::size_t>();
  for (const auto& [type, interval] : json.at("by_type").items()) {
    arm.by_type[type] = read_interval(interval);
  }
  arm.offline_steps = json.at("offline_steps").get<std::uint64_t>();
  arm.real_steps = json.at("real_steps").get<std::uint64_t>();
  arm.dreamed_steps = json.at("dreamed_steps").get<std::uint64_t>();
  arm.tokens = json.at("tokens").get<std::uint64_t>();
  arm.seconds = json.at("seconds").get<double>();
  arm.note = json.at("note").get<std::string>();
  return arm;
}

Json write(const CheckResult& check) {
  Json json = {{"num_tasks", check.num_tasks},
               {"dreamed_success", write(check.dreamed_success)},
               {"passed", check.passed},
               {"verdict", check.verdict}};
  if (check.real_success) {
    json["real_success"] = write(*check.real_success);
  }
  if (check.gap) {
    json["gap"] = write(*check.gap);
  }
  if (check.confirmed_share) {
    json["confirmed_share"] = *check.confirmed_share;
  }
  if (check.contradictions_per_episode) {
    json["contradictions_per_episode"] = *check.contradictions_per_episode;
  }
  return json;
}

CheckResult read_check(const Json& json) {
  CheckResult check;
  check.num_tasks = json.at("num_tasks").get<std::size_t>();
  check.dreamed_success = read_interval(json.at("dreamed_success"));
  check.passed = json.at("passed").get<bool>();
  check.verdict = json.at("verdict").get<std::string>();
  if (json.contains("real_success")) {
    check.real_success = read_interval(json["real_success"]);
  }
  if (json.contains("gap")) {
    check.gap = read_interval(json["gap"]);
  }
  if (json.contains("confirmed_share")) {
    check.confirmed_share = json["confirmed_share"].get<double>();
  }
  if (json.contains("contradictions_per_episode")) {
    check.contradictions_per_episode = json["contradictions_per_episode"].get<double>();
  }
  return check;
}

}  // namespace

std::string to_json(const RunResults& results) {
  Json json = {{"version", 1},
               {"world", results.world},
               {"seed", results.seed},
               {"real_evaluation", results.real_evaluation},
               {"arms", Json::array()},
               {"paired", Json::array()},
               {"fidelity", results.fidelity},
               {"fidelity_misses", results.fidelity_misses},
               {"notes", results.notes}};
  for (const ArmResult& arm : results.arms) {
    json["arms"].push_back(write(arm));
  }
  for (const PairedResult& pair : results.paired) {
    json["paired"].push_back({{"a", pair.a},
                              {"b", pair.b},
                              {"difference", write(pair.difference)},
                              {"num_tasks", pair.num_tasks}});
  }
  if (results.check) {
    json["check"] = write(*results.check);
  }
  return json.dump(1);
}

RunResults results_from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    RunResults results;
    results.world = json.at("world").get<std::string>();
    results.seed = json.at("seed").get<std::uint64_t>();
    results.real_evaluation = json.at("real_evaluation").get<bool>();
    for (const Json& arm : json.at("arms")) {
      results.arms.push_back(read_arm(arm));
    }
    for (const Json& pair : json.at("paired")) {
      results.paired.push_back({pair.at("a").get<std::string>(),
                                pair.at("b").get<std::string>(),
                                read_interval(pair.at("difference")),
                                pair.at("num_tasks").get<std::size_t>()});
    }
    if (json.contains("check")) {
      results.check = read_check(json["check"]);
    }
    results.fidelity = json.at("fidelity").get<std::map<std::string, double>>();
    results.fidelity_misses = json.at("fidelity_misses").get<std::vector<std::string>>();
    results.notes = json.at("notes").get<std::vector<std::string>>();
    return results;
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kCorrupt, std::string("results.json: ") + error.what());
  }
}

void write_results(const Path& run_folder, const RunResults& results) {
  write_file(run_folder / "results.json", to_json(results) + "\n");
}

std::optional<RunResults> read_results(const Path& run_folder) {
  const Path file = run_folder / "results.json";
  if (!std::filesystem::exists(file)) {
    return std::nullopt;
  }
  return results_from_json(read_file(file));
}

}  // namespace dreamgym

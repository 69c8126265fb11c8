#include "dreamgym/report/results.h"

#include <fmt/format.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr const char* kFile = "results.json";

// JSON has no infinities, and a rate over no tasks is nothing.
Json number(double value, bool measured = true) {
  return measured && std::isfinite(value) ? Json(value) : Json(nullptr);
}

// {"success": 0.5, "ci_low": 0.4, "ci_high": 0.6}
void put_interval(Json& json, const char* name, const Interval& interval, bool measured = true) {
  json[name] = number(interval.value, measured);
  json["ci_low"] = number(interval.low, measured);
  json["ci_high"] = number(interval.high, measured);
}

// {"value": 0.5, "ci_low": 0.4, "ci_high": 0.6}
Json to_value(const Interval& interval) {
  Json json;
  put_interval(json, "value", interval);
  return json;
}

Json to_value(const ArmResult& arm) {
  Json json = {{"arm", arm.arm}, {"title", arm.title}};
  put_interval(json, "success", arm.success, arm.num_tasks > 0);
  json["n"] = arm.num_tasks;
  if (arm.mean_return) {
    json["mean_return"] = number(*arm.mean_return);
  }
  json["offline_steps"] = arm.offline_steps;
  json["real_steps"] = arm.real_steps;
  json["dreamed_steps"] = arm.dreamed_steps;
  json["tokens"] = arm.tokens;
  json["seconds"] = number(arm.seconds);
  json["note"] = arm.note;
  json["by_type"] = Json::object();
  for (const auto& [type, interval] : arm.by_type) {
    json["by_type"][type] = to_value(interval);
  }
  return json;
}

Json to_value(const PairedResult& paired) {
  Json json = {{"a", paired.a}, {"b", paired.b}};
  put_interval(json, "difference", paired.difference);
  json["n"] = paired.num_tasks;
  return json;
}

Json to_value(const CheckResult& check) {
  Json json = {{"n", check.num_tasks}, {"dreamed_success", to_value(check.dreamed_success)}};
  if (check.real_success) {
    json["real_success"] = to_value(*check.real_success);
  }
  if (check.gap) {
    json["gap"] = to_value(*check.gap);
  }
  if (check.confirmed_share) {
    json["confirmed_share"] = number(*check.confirmed_share);
  }
  if (check.second_looks_agree) {
    json["second_looks_agree"] = number(*check.second_looks_agree);
  }
  if (check.contradictions_per_episode) {
    json["contradictions_per_episode"] = number(*check.contradictions_per_episode);
  }
  if (check.logged_success) {
    json["logged_success"] = to_value(*check.logged_success);
  }
  if (check.above_logs) {
    json["above_logs"] = to_value(*check.above_logs);
  }
  json["passed"] = check.passed;
  json["verdict"] = check.verdict;
  json["alarms"] = check.alarms;
  return json;
}

template <class T>
Json list(const std::vector<T>& items) {
  Json json = Json::array();
  for (const auto& item : items) {
    json.push_back(to_value(item));
  }
  return json;
}

// Reads keys of one object; `where` names it in errors, e.g. "arms[2]".
class Reader {
 public:
  Reader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) {
      fail("", "an object", json);
    }
  }

  template <class T>
  void read(const char* key, T& value) const {
    const auto found = json_.find(key);
    if (found == json_.end() || found->is_null()) {
      return;
    }
    constexpr bool is_text = std::is_same_v<T, std::string>;
    constexpr bool is_flag = std::is_same_v<T, bool>;
    constexpr bool is_count = std::is_unsigned_v<T> && !is_flag;
    if (is_text ? !found->is_string()
                : (is_flag    ? !found->is_boolean()
                   : is_count ? !found->is_number_unsigned()
                              : !found->is_number())) {
      fail(key, is_text ? "a string" : is_flag ? "true or false" : "a number", *found);
    }
    value = found->get<T>();
  }
  void read(const char* key, std::optional<double>& value) const {
    if (present(key)) {
      read(key, value.emplace());
    }
  }
  /// The value under `name`, its interval beside it.
  void read_interval(const char* name, Interval& interval) const {
    read(name, interval.value);
    read("ci_low", interval.low);
    read("ci_high", interval.high);
  }
  void read(const char* key, Interval& interval) const {
    if (present(key)) {
      Reader(json_.at(key), where_ + key + ".").read_interval("value", interval);
    }
  }
  void read(const char* key, std::optional<Interval>& interval) const {
    if (present(key)) {
      read(key, interval.emplace());
    }
  }
  void read(const char* key, std::vector<std::string>& texts) const {
    for_each(key, [&](const Json& item, const std::string& where) {
      if (!item.is_string()) {
        Reader(Json::object(), where).fail("", "a string", item);
      }
      texts.push_back(item.get<std::string>());
    });
  }
  /// Calls visit(reader, name) for each entry of an object.
  template <class F>
  void for_each_key(const char* key, const F& visit) const {
    if (!present(key)) {
      return;
    }
    const Json& entries = json_.at(key);
    const Reader reader(entries, where_ + key + ".");
    for (const auto& [name, value] : entries.items()) {
      visit(reader, name);
    }
  }
  template <class F>
  void for_each(const char* key, const F& visit) const {
    if (!present(key)) {
      return;
    }
    const Json& items = json_.at(key);
    if (!items.is_array()) {
      fail(key, "a list", items);
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      visit(items[i], fmt::format("{}{}[{}].", where_, key, i));
    }
  }
  [[nodiscard]] bool present(const char* key) const {
    const auto found = json_.find(key);
    return found != json_.end() && !found->is_null();
  }
  [[noreturn]] void fail(const char* key, const char* expected, const Json& got) const {
    throw Error(ErrorKind::kParse,
                fmt::format("results: {}{} is {}, expected {}",
                            where_,
                            key,
                            got.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 60),
                            expected));
  }

 private:
  const Json& json_;
  std::string where_;
};

ArmResult read_arm(const Reader& reader) {
  ArmResult arm;
  reader.read("arm", arm.arm);
  reader.read("title", arm.title);
  reader.read_interval("success", arm.success);
  reader.read("n", arm.num_tasks);
  reader.read("mean_return", arm.mean_return);
  reader.read("offline_steps", arm.offline_steps);
  reader.read("real_steps", arm.real_steps);
  reader.read("dreamed_steps", arm.dreamed_steps);
  reader.read("tokens", arm.tokens);
  reader.read("seconds", arm.seconds);
  reader.read("note", arm.note);
  reader.for_each_key("by_type", [&](const Reader& types, const std::string& type) {
    types.read(type.c_str(), arm.by_type[type]);
  });
  return arm;
}

PairedResult read_paired(const Reader& reader) {
  PairedResult paired;
  reader.read("a", paired.a);
  reader.read("b", paired.b);
  reader.read_interval("difference", paired.difference);
  reader.read("n", paired.num_tasks);
  return paired;
}

CheckResult read_check(const Reader& reader) {
  CheckResult check;
  reader.read("n", check.num_tasks);
  reader.read("dreamed_success", check.dreamed_success);
  reader.read("real_success", check.real_success);
  reader.read("gap", check.gap);
  reader.read("confirmed_share", check.confirmed_share);
  reader.read("contradictions_per_episode", check.contradictions_per_episode);
  reader.read("second_looks_agree", check.second_looks_agree);
  reader.read("logged_success", check.logged_success);
  reader.read("above_logs", check.above_logs);
  reader.read("passed", check.passed);
  reader.read("verdict", check.verdict);
  reader.read("alarms", check.alarms);
  return check;
}

}  // namespace

std::string to_json(const RunResults& results) {
  Json json = {{"version", kVersion},
               {"world", results.world},
               {"seed", results.seed},
               {"real_evaluation", results.real_evaluation},
               {"arms", list(results.arms)},
               {"paired", list(results.paired)}};
  if (results.check) {
    json["check"] = to_value(*results.check);
  }
  json["fidelity"] = Json::object();
  for (const auto& [name, value] : results.fidelity) {
    json["fidelity"][name] = number(value);
  }
  json["fidelity_misses"] = results.fidelity_misses;
  json["notes"] = results.notes;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

RunResults results_from_json(std::string_view text) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kParse, fmt::format("results: not JSON: {}", error.what()));
  }
  const Reader reader(json, "");
  unsigned version = kVersion;
  reader.read("version", version);
  if (version != kVersion) {
    throw Error(ErrorKind::kCorrupt,
                fmt::format("results: version {}, expected {}", version, kVersion),
                "use the program that wrote them");
  }
  RunResults results;
  reader.read("world", results.world);
  reader.read("seed", results.seed);
  reader.read("real_evaluation", results.real_evaluation);
  reader.for_each("arms", [&](const Json& item, const std::string& where) {
    results.arms.push_back(read_arm(Reader(item, where)));
  });
  reader.for_each("paired", [&](const Json& item, const std::string& where) {
    results.paired.push_back(read_paired(Reader(item, where)));
  });
  if (reader.present("check")) {
    results.check = read_check(Reader(json.at("check"), "check."));
  }
  reader.for_each_key("fidelity", [&](const Reader& measures, const std::string& name) {
    measures.read(name.c_str(), results.fidelity[name]);
  });
  reader.read("fidelity_misses", results.fidelity_misses);
  reader.read("notes", results.notes);
  return results;
}

void write_results(const Path& run_folder, const RunResults& results) {
  write_file(run_folder / kFile, to_json(results));
}

std::optional<RunResults> read_results(const Path& run_folder) {
  const Path path = run_folder / kFile;
  if (!std::filesystem::exists(path)) {
    return std::nullopt;
  }
  const std::string text = read_file(path);
  try {
    return results_from_json(text);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace dreamgym

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

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json to_value(const ArmResult& arm) {
  const bool measured = arm.n > 0;
  return {{"arm", arm.arm},
          {"success", number(arm.success, measured)},
          {"ci_low", number(arm.ci_low, measured)},
          {"ci_high", number(arm.ci_high, measured)},
          {"n", arm.n},
          {"real_steps", arm.real_steps},
          {"dreamed_steps", arm.dreamed_steps},
          {"tokens", arm.tokens},
          {"seconds", number(arm.seconds)},
          {"note", arm.note}};
}

Json to_value(const PairedResult& paired) {
  return {{"a", paired.a},
          {"b", paired.b},
          {"difference", number(paired.difference)},
          {"ci_low", number(paired.ci_low)},
          {"ci_high", number(paired.ci_high)},
          {"n", paired.n}};
}

Json to_value(const FidelityResult& fidelity) {
  return {{"name", fidelity.name},
          {"value", number(fidelity.value)},
          {"n", fidelity.n},
          {"note", fidelity.note}};
}

Json to_value(const MeasuredShare& share) {
  return {{"value", number(share.value)},
          {"ci_low", number(share.ci_low)},
          {"ci_high", number(share.ci_high)}};
}

Json to_value(const Alarm& alarm) {
  return {{"phase", alarm.phase}, {"step", alarm.step}, {"name", alarm.name}, {"text", alarm.text}};
}

Json to_value(const FreeRunningResult& check) {
  Json json = {{"n", check.n}, {"dreamed_success", to_value(check.dreamed_success)}};
  if (check.real_success) {
    json["real_success"] = to_value(*check.real_success);
  }
  if (check.gap) {
    json["gap"] = to_value(*check.gap);
  }
  if (check.confirmed_share) {
    json["confirmed_share"] = number(*check.confirmed_share);
  }
  if (check.contradictions_per_episode) {
    json["contradictions_per_episode"] = number(*check.contradictions_per_episode);
  }
  json["max_gap"] = number(check.max_gap);
  json["passed"] = check.passed;
  json["forced"] = check.forced;
  json["verdict"] = check.verdict;
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
  void read(const char* key, MeasuredShare& share) const {
    if (present(key)) {
      const Reader inner(json_.at(key), where_ + key + ".");
      inner.read("value", share.value);
      inner.read("ci_low", share.ci_low);
      inner.read("ci_high", share.ci_high);
    }
  }
  void read(const char* key, std::optional<MeasuredShare>& share) const {
    if (present(key)) {
      read(key, share.emplace());
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
                            dump(got, -1).substr(0, 60),
                            expected));
  }

 private:
  const Json& json_;
  std::string where_;
};

ArmResult read_arm(const Reader& reader) {
  ArmResult arm;
  reader.read("arm", arm.arm);
  reader.read("success", arm.success);
  reader.read("ci_low", arm.ci_low);
  reader.read("ci_high", arm.ci_high);
  reader.read("n", arm.n);
  reader.read("real_steps", arm.real_steps);
  reader.read("dreamed_steps", arm.dreamed_steps);
  reader.read("tokens", arm.tokens);
  reader.read("seconds", arm.seconds);
  reader.read("note", arm.note);
  return arm;
}

PairedResult read_paired(const Reader& reader) {
  PairedResult paired;
  reader.read("a", paired.a);
  reader.read("b", paired.b);
  reader.read("difference", paired.difference);
  reader.read("ci_low", paired.ci_low);
  reader.read("ci_high", paired.ci_high);
  reader.read("n", paired.n);
  return paired;
}

FidelityResult read_fidelity(const Reader& reader) {
  FidelityResult fidelity;
  reader.read("name", fidelity.name);
  reader.read("value", fidelity.value);
  reader.read("n", fidelity.n);
  reader.read("note", fidelity.note);
  return fidelity;
}

Alarm read_alarm(const Reader& reader) {
  Alarm alarm;
  reader.read("phase", alarm.phase);
  reader.read("step", alarm.step);
  reader.read("name", alarm.name);
  reader.read("text", alarm.text);
  return alarm;
}

FreeRunningResult read_free_running(const Reader& reader) {
  FreeRunningResult check;
  reader.read("n", check.n);
  reader.read("dreamed_success", check.dreamed_success);
  reader.read("real_success", check.real_success);
  reader.read("gap", check.gap);
  reader.read("confirmed_share", check.confirmed_share);
  reader.read("contradictions_per_episode", check.contradictions_per_episode);
  reader.read("max_gap", check.max_gap);
  reader.read("passed", check.passed);
  reader.read("forced", check.forced);
  reader.read("verdict", check.verdict);
  return check;
}

}  // namespace

std::string to_json_line(const ArmResult& arm) {
  return dump(to_value(arm), -1);
}

std::string to_json(const RunResults& results) {
  Json json = {{"version", kVersion}, {"world", results.world}, {"summary", results.summary}};
  json["arms"] = list(results.arms);
  json["paired"] = list(results.paired);
  json["fidelity"] = list(results.fidelity);
  json["free_running"] = results.free_running ? to_value(*results.free_running) : Json(nullptr);
  json["alarms"] = list(results.alarms);
  json["notes"] = results.notes;
  return dump(json, 1) + "\n";
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
  reader.read("summary", results.summary);
  const auto object = [&](const auto& read, auto& items) {
    return [&](const Json& item, const std::string& where) {
      items.push_back(read(Reader(item, where)));
    };
  };
  reader.for_each("arms", object(read_arm, results.arms));
  reader.for_each("paired", object(read_paired, results.paired));
  reader.for_each("fidelity", object(read_fidelity, results.fidelity));
  reader.for_each("alarms", object(read_alarm, results.alarms));
  reader.for_each("notes", [&](const Json& item, const std::string& where) {
    results.notes.push_back(item.is_string() ? item.get<std::string>() : where + dump(item, -1));
  });
  if (reader.present("free_running")) {
    results.free_running = read_free_running(Reader(json.at("free_running"), "free_running."));
  }
  return results;
}

void write_results(const Path& run_folder, const RunResults& results) {
  write_file(run_folder / kFile, to_json(results));
}

RunResults read_results(const Path& run_folder) {
  const Path path = run_folder / kFile;
  const std::string text = read_file(path);
  try {
    return results_from_json(text);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace dreamgym

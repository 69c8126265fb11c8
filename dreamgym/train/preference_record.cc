#include "dreamgym/train/preference_record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/data/export.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;
using Turns = std::vector<DialogueTurn>;

[[noreturn]] void fail(std::string_view field, std::string_view expected) {
  throw Error(ErrorKind::kParse,
              fmt::format("ETO preference record: {} expected to be {}", field, expected),
              R"(one record: {"id","prompt":[turns],"chosen":[turns],"rejected":[turns]})");
}

/// The whole episode: observation, action, ..., observation; rules joined to the first observation.
Turns dialogue(const Trajectory& trajectory) {
  const Json record = Json::parse(export_record(LogFormat::kShareGpt, trajectory));
  Turns turns;
  std::string rules;
  for (const Json& turn : record.at("conversations")) {
    const auto& from = turn.at("from").get_ref<const std::string&>();
    const auto& value = turn.at("value").get_ref<const std::string&>();
    if (from == "system") {
      rules = value + "\n\n";
    } else {
      turns.push_back({from == "gpt", turns.empty() ? rules + value : value});
    }
  }
  return turns;
}

Json to_json(const Turns& turns) {
  Json out = Json::array();
  for (const DialogueTurn& turn : turns) {
    out.push_back({{"from", turn.by_agent ? "gpt" : "human"}, {"value", turn.text}});
  }
  return out;
}

Turns turns_from(const Json& record, const std::string& field) {
  const auto found = record.find(field);
  if (found == record.end() || !found->is_array() || found->empty()) {
    fail(field, "a list of turns, not empty");
  }
  Turns turns;
  for (const Json& turn : *found) {
    const bool is_turn = turn.is_object() && turn.contains("from") && turn.contains("value") &&
                         turn["from"].is_string() && turn["value"].is_string();
    if (!is_turn || (turn["from"] != "gpt" && turn["from"] != "human")) {
      fail(fmt::format("{}[{}]", field, turns.size()),
           R"({"from": "human" or "gpt", "value": text})");
    }
    const bool by_agent = turn["from"] == "gpt";
    if (!turns.empty() && turns.back().by_agent == by_agent) {
      fail(fmt::format("{}[{}]", field, turns.size()), "of the other speaker: turns alternate");
    }
    turns.push_back({by_agent, turn["value"].get<std::string>()});
  }
  return turns;
}

Turns tail_from(const Json& record, const std::string& field) {
  Turns turns = turns_from(record, field);
  if (!turns.front().by_agent || !turns.back().by_agent) {
    fail(field, "a tail that begins and ends with a gpt turn");
  }
  return turns;
}

}  // namespace

PreferenceRecord preference_record(const Trajectory& chosen,
                                   const Trajectory& rejected,
                                   std::size_t shared_steps) {
  check(shared_steps < chosen.steps.size(), "the chosen episode has a tail");
  check(shared_steps < rejected.steps.size(), "the rejected episode has a tail");
  const auto prompt_turns = static_cast<std::ptrdiff_t>(2 * shared_steps + 1);
  const Turns good = dialogue(chosen);
  const Turns bad = dialogue(rejected);
  return {.id = fmt::format("{}:{}:{}", chosen.task.id, chosen.episode_id, rejected.episode_id),
          .prompt = {good.begin(), good.begin() + prompt_turns},
          .chosen = {good.begin() + prompt_turns, good.end() - 1},
          .rejected = {bad.begin() + prompt_turns, bad.end() - 1}};
}

std::string to_eto_json(const PreferenceRecord& record) {
  return Json{{"id", record.id},
              {"prompt", to_json(record.prompt)},
              {"chosen", to_json(record.chosen)},
              {"rejected", to_json(record.rejected)}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

PreferenceRecord preference_record_from_eto(std::string_view json) {
  const Json record = Json::parse(json, nullptr, false);
  if (!record.is_object()) {
    fail("the text", "a JSON object");
  }
  if (!record.contains("id") || !(record["id"].is_string() || record["id"].is_number_integer())) {
    fail("id", "text or a whole number");
  }
  PreferenceRecord out{
      .id = record["id"].is_string() ? record["id"].get<std::string>() : record["id"].dump(),
      .prompt = turns_from(record, "prompt"),
      .chosen = tail_from(record, "chosen"),
      .rejected = tail_from(record, "rejected")};
  if (out.prompt.back().by_agent) {
    fail("prompt", "a list that ends with a human turn");
  }
  return out;
}

}  // namespace dreamgym

#include "dreamgym/data/importers/importers.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "dreamgym/base/text.h"
#include "dreamgym/data/trajectory_json.h"

namespace dreamgym::internal {
namespace {

/// One record that has a bit of everything.
constexpr std::string_view kLine =
    R"({"id":"e","task":"t","reward":1,"success":true,"tools":[],"system":"s","game":"g",)"
    R"("messages":[{"role":"user","content":["a",{"type":"text","text":"b"}]},)"
    R"({"role":"assistant","content":"Thought: x\nAction: y","tool_calls":[{"id":"1",)"
    R"("function":{"name":"n","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"1",)"
    R"("content":"<action>"}],"conversations":[{"from":"human","loss":null,"value":"OK"},)"
    R"({"from":"gpt","loss":false,"value":"OK"},{"from":"gpt","loss":true,"value":"Action: z"}],)"
    R"("steps":[{"t":0,"state":"s","action":"a","next_state":"n","reward":0.5,"done":true,)"
    R"("action_text":"a","info":{"k":1},"confidence":0.5,"demos":["d"],"thought":"h"}]})";

/// The same as a canonical line, whose task is an object.
Trajectory read_canonical(const std::string& line) {
  return trajectory_from_json(replace_all(line, R"("task":"t")", R"("task":{"id":"t"})"));
}

using Importer = ImportedEpisode (*)(const JsonObject&, const ImportOptions&);
constexpr Importer kImporters[] = {
    import_messages, import_sharegpt, import_agentgym, import_alfworld_log, import_webshop_log};

/// Bytes changed, cut out, doubled or exchanged for a piece of JSON.
std::string damage(std::string line, Rng& rng) {
  static const std::vector<std::string> pieces = {
      "null", "{}", "[]", "\"\"", "-1", "1e400", "true", "\\", "\"", ",", "\xff", "\\ud800", "\n"};
  for (std::uint64_t i = 1 + rng.below(3); i > 0; --i) {
    const std::size_t at = rng.below(line.size());
    const std::size_t length = rng.below(std::min<std::size_t>(12, line.size() - at));
    line.replace(at, length, rng.below(2) == 0 ? rng.choose(pieces) : line.substr(at, 2 * length));
  }
  return line;
}

TEST(Importers, ReadTheRecordTheDamageBeginsWith) {
  const Json json = parse_json(kLine);
  for (const Importer import : kImporters) {
    EXPECT_EQ(import(JsonObject(json, ""), {}).trajectory.steps.size(), 1);
  }
  EXPECT_EQ(read_canonical(std::string(kLine)).steps.size(), 1);
}

TEST(Importers, AnswerDamagedRecordsWithErrorsOrEpisodesNeverWithAnythingElse) {
  std::size_t refused = 0;
  std::size_t read = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Rng rng(seed);
    const std::string line = damage(std::string(kLine), rng);
    for (std::size_t i = 0; i <= std::size(kImporters); ++i) {
      try {
        if (i == std::size(kImporters)) {
          const Trajectory trajectory = read_canonical(line);
          EXPECT_EQ(trajectory_from_json(to_json_line(trajectory)), trajectory) << line;
        } else {
          const Json json = parse_json(line);
          EXPECT_FALSE(kImporters[i](JsonObject(json, ""), {}).trajectory.steps.empty());
        }
        ++read;
      } catch (const Error& error) {
        EXPECT_STRNE(error.what(), "");
        ++refused;
      }
    }
  }
  EXPECT_GT(read, 500);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace dreamgym::internal

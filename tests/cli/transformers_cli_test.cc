// What we write, read by transformers: equal logits, ids and conversations.
//
// Runs where DREAMGYM_TRANSFORMERS_PYTHON names a python that has torch and transformers.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "tests/chat_checkpoint.h"
#include "tests/cli/ran.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

std::string python() {
  const char* given = std::getenv("DREAMGYM_TRANSFORMERS_PYTHON");  // NOLINT(concurrency-mt-unsafe): tests
  return given == nullptr ? "" : given;
}

#define DREAMGYM_NEEDS_TRANSFORMERS()                                                       \
  if (python().empty()) {                                                                   \
    GTEST_SKIP() << "DREAMGYM_TRANSFORMERS_PYTHON names no python with transformers in it"; \
  }                                                                                         \
  DREAMGYM_NEEDS_FILE(language_model_data())

Json asked(const Path& model, const Json& request) {
  const TemporaryFolder folder;
  write_file(folder.path() / "request.json", request.dump());
  const std::string answer = (folder.path() / "answer.json").string();
  const std::string errors = (folder.path() / "errors").string();
  const std::string command = python() + " " + DREAMGYM_SOURCE_DIR + "/tests/transformers_check.py " +
                              model.string() + " <" + (folder.path() / "request.json").string() +
                              " >" + answer + " 2>" + errors;
  EXPECT_EQ(std::system(command.c_str()), 0)  // NOLINT(concurrency-mt-unsafe): tests
      << read_file(errors);
  return Json::parse(read_file(answer), nullptr, false);
}

double furthest_apart(const Json& ours, const Json& theirs) {
  EXPECT_EQ(ours.size(), theirs.size());
  double most = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    most = std::max(most, std::abs(ours[i].get<double>() - theirs[i].get<double>()));
  }
  return most;
}

Json our_logits(const Path& model, const Json& ids) {
  const Ran ran = run("lm score --model " + model.string(), Json{{"ids", ids}}.dump() + "\n");
  EXPECT_EQ(ran.code, 0) << ran.errors;
  return lines(ran.out).at(0)["last_logits"];
}

TEST(Transformers, ReadsEveryFamilyWeWriteWithEqualLogits) {
  DREAMGYM_NEEDS_TRANSFORMERS();
  for (const char* name : {"llama3_untied_f32", "llama3_tied_bf16", "qwen2_tied_bf16", "qwen3_tied_f32",
                           "smollm2_tied_bf16", "sharded_untied_f16"}) {
    const TemporaryFolder folder;
    const Path model = language_model_data() / "tiny" / name;
    const Path out = folder.path() / "out";
    const Ran ran = run("lm convert --model " + model.string() + " --out " + out.string());
    ASSERT_EQ(ran.code, 0) << ran.errors;
    const Json ids = read_json(model / "expected.json")["cases"][4]["ids"];
    const Json theirs = asked(out, {{"ids", ids}});
    EXPECT_LT(furthest_apart(our_logits(out, ids), theirs["last_logits"]), 1e-4) << name;
  }
}

TEST(Transformers, ReadsAPolicyTrainedHere) {
  DREAMGYM_NEEDS_TRANSFORMERS();
  const TemporaryFolder folder;
  write_chat_checkpoint(folder.path() / "chat");
  const Path logs = folder.path() / "logs.jsonl";
  ASSERT_EQ(run("collect toy --policy expert --episodes 6 --out " + logs.string()).code, 0);
  const Path out = folder.path() / "run";
  const Ran taught = run("sft " + logs.string() + " --kind policy --run " + out.string() + " --base " +
                         (folder.path() / "chat").string() + " --set policy.lora_rank=4");
  ASSERT_EQ(taught.code, 0) << taught.errors;
  const Path model = out / "models/policy";
  const Json messages = Json::parse(
      R"([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Open it."}])");
  const std::string text = "You open the drawer 12.  It's a caf\xc3\xa9.";
  const Json ids = Json::parse("[1, 4093, 198, 57, 400, 2, 198]");
  const Json theirs = asked(model, {{"ids", ids}, {"text", text}, {"messages", messages}});
  EXPECT_LT(furthest_apart(our_logits(model, ids), theirs["last_logits"]), 1e-4);
  const Ran encoded = run("lm tokenize --model " + model.string(), Json(text).dump() + "\n");
  EXPECT_EQ(lines(encoded.out).at(0)["ids"], theirs["ids"]);
  const Ran rendered = run("lm chat --generation-prompt --model " + model.string(),
                           Json{{"messages", messages}}.dump() + "\n");
  EXPECT_EQ(lines(rendered.out).at(0)["text"], theirs["chat"]);
}

}  // namespace
}  // namespace dreamgym

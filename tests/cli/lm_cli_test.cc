// `dreamgym lm ...` end to end on the small reference checkpoints.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/chat_checkpoint.h"
#include "tests/cli/ran.h"
#include "tests/language_model_data.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

Path tiny(const char* name) {
  return language_model_data() / "tiny" / name;
}

// A tokenizer with a chat format: SmolLM2's, as a model folder without weights.
Path smollm2_folder(const TemporaryFolder& folder) {
  const Path data = language_model_data() / "tokenizer";
  std::filesystem::copy_file(data / "smollm2_tokenizer.json", folder.path() / "tokenizer.json");
  std::filesystem::copy_file(data / "smollm2_tokenizer_config.json",
                             folder.path() / "tokenizer_config.json");
  return folder.path();
}

TEST(LmCli, TokenizesAndDetokenizes) {
  DREAMGYM_NEEDS_FILE(language_model_data());
  const TemporaryFolder folder;
  const std::string model = " --model " + smollm2_folder(folder).string();
  std::string texts;
  std::vector<Json> rows;
  for_each_line(language_model_data() / "tokenizer/strings.jsonl",
                [&](std::size_t number, std::string_view line) {
                  rows.push_back(Json::parse(line));
                  texts += rows.back()["text"].dump() + "\n";
                  return number < 40;
                });
  const Ran marked = run("lm tokenize" + model, texts);
  ASSERT_EQ(marked.code, 0) << marked.errors;
  const Ran plain = run("lm tokenize --plain" + model, texts);
  const auto ids = lines(marked.out);
  const auto plain_ids = lines(plain.out);
  ASSERT_EQ(ids.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(ids[i]["ids"], rows[i]["smollm2"]) << rows[i]["text"];
    EXPECT_EQ(plain_ids[i]["ids"], rows[i].value("smollm2_plain", rows[i]["smollm2"]));
  }
  const auto texts_back = lines(run("lm detokenize" + model, marked.out).out);
  EXPECT_EQ(texts_back.at(0)["text"], rows[0]["text"]);
}

TEST(LmCli, RendersConversations) {
  DREAMGYM_NEEDS_FILE(language_model_data());
  const TemporaryFolder folder;
  const std::string model = " --model " + smollm2_folder(folder).string();
  for_each_line(language_model_data() / "chat/conversations.jsonl",
                [&](std::size_t, std::string_view line) {
                  const Json row = Json::parse(line);
                  for (const Json& rendered : row["rendered"]) {
                    if (rendered["template"] != "smollm2") {
                      continue;
                    }
                    const Json asked{{"messages", row["messages"]},
                                     {"tools", row["tools"]},
                                     {"variables", rendered["variables"]}};
                    const bool prompt = rendered["add_generation_prompt"];
                    const Ran ran = run("lm chat" + model + (prompt ? " --generation-prompt" : ""),
                                        asked.dump());
                    EXPECT_EQ(ran.code, 0) << ran.errors;
                    EXPECT_EQ(lines(ran.out).at(0)["text"], rendered["text"]);
                    EXPECT_EQ(lines(ran.out).at(0)["ids"], rendered["ids"]);
                  }
                  return true;
                });
}

TEST(LmCli, ScoresAndGeneratesAsTheReference) {
  const Path folder = tiny("qwen3_tied_f32");
  DREAMGYM_NEEDS_FILE(folder);
  const Json reference = read_json(folder / "expected.json")["cases"][3];
  const Ran scored = run("lm score --model " + folder.string(), Json{{"ids", reference["ids"]}}.dump());
  ASSERT_EQ(scored.code, 0) << scored.errors;
  const Json said = lines(scored.out).at(0);
  for (std::size_t i = 0; i < reference["next_token_logprobs"].size(); ++i) {
    EXPECT_NEAR(said["logprobs"][i].get<double>(),
                reference["next_token_logprobs"][i].get<double>(),
                1e-4);
  }
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_NEAR(said["last_logits"][i].get<double>(),
                reference["last_logits_first64"][i].get<double>(),
                1e-4);
  }
  const Json asked{{"ids", reference["ids"]}, {"max_tokens", 20}, {"temperature", 0}};
  const Ran generated = run("lm generate --model " + folder.string(), asked.dump());
  ASSERT_EQ(generated.code, 0) << generated.errors;
  EXPECT_EQ(lines(generated.out).at(0)["ids"], reference["greedy20"]);
  EXPECT_EQ(lines(generated.out).at(0)["finish_reason"], "length");
  EXPECT_FALSE(lines(generated.out).at(0).contains("text")) << "there is no tokenizer";
  const std::string by_torch = "lm generate --device torch:cpu --model " + folder.string();
  EXPECT_EQ(lines(run(by_torch, asked.dump()).out).at(0)["ids"], reference["greedy20"]);
}

TEST(LmCli, GeneratesSeveralRepliesAndChoices) {
  const Path model = language_model_data() / "gguf/smollm2_q4_1.gguf";
  DREAMGYM_NEEDS_FILE(model);
  const std::string generate = "lm generate --model " + model.string();
  const Json several{{"ids", {5, 9, 2}}, {"max_tokens", 8}, {"seed", 3}, {"n", 3}};
  const auto replies = lines(run(generate, several.dump()).out);
  ASSERT_EQ(replies.size(), 3U);
  EXPECT_NE(replies[0]["ids"], replies[1]["ids"]);
  EXPECT_EQ(replies[2]["index"], 2);
  const Json choice{{"ids", {5, 9, 2}}, {"choices", {"a", "ab", "b"}}, {"seed", 1}};
  const Ran chosen = run(generate, choice.dump());
  ASSERT_EQ(chosen.code, 0) << chosen.errors;
  const Json said = lines(chosen.out).at(0);
  EXPECT_EQ(said["finish_reason"], "choice");
  EXPECT_TRUE(said["text"] == "a" || said["text"] == "ab" || said["text"] == "b") << said;
}

TEST(LmCli, ConvertsThereAndBack) {
  const Path model = language_model_data() / "gguf/llama3_f32.gguf";
  DREAMGYM_NEEDS_FILE(model);
  const TemporaryFolder temporary;
  const std::string folder = (temporary.path() / "folder").string();
  const std::string again = (temporary.path() / "again.gguf").string();
  const Ran there = run("lm convert --model " + model.string() + " --out " + folder);
  ASSERT_EQ(there.code, 0) << there.errors;
  const Ran back = run("lm convert --model " + folder + " --out " + again + " --type f32");
  ASSERT_EQ(back.code, 0) << back.errors;
  const std::string asked = R"({"ids": [3, 14, 15, 92]})";
  const std::string expected = run("lm score --model " + model.string(), asked).out;
  EXPECT_EQ(run("lm score --model " + folder, asked).out, expected);
  EXPECT_EQ(run("lm score --model " + again, asked).out, expected);
  const Json info = lines(run("lm info --model " + folder).out).at(0);
  EXPECT_EQ(info["family"], "llama");
  EXPECT_EQ(info["rope_scaling"], "llama3");
  EXPECT_EQ(info["vocab_size"], 256);
}

TEST(LmCli, NamesWhatIsWrong) {
  const Path folder = tiny("llama3_untied_f32");
  DREAMGYM_NEEDS_FILE(folder);
  const std::string generate = "lm generate --model " + folder.string();
  const auto error_of = [&](const std::string& input) {
    const Ran ran = run(generate, input);
    EXPECT_NE(ran.code, 0) << input;
    EXPECT_EQ(ran.out, "") << input;
    return ran.errors;
  };
  EXPECT_NE(error_of("{\"ids\": [1]}x").find("line 1"), std::string::npos);
  EXPECT_NE(error_of(R"({"ids": []})").find("empty"), std::string::npos);
  EXPECT_NE(error_of(R"({"ids": [999]})").find("999"), std::string::npos);
  EXPECT_NE(error_of(R"({"prompt": "x"})").find("tokenizer"), std::string::npos);
  EXPECT_NE(error_of(R"({"ids": [1], "temprature": 1})").find("temperature"), std::string::npos);
  EXPECT_NE(error_of(R"({"ids": [1], "temperature": -1})").find("-1"), std::string::npos);
  EXPECT_NE(error_of(R"({"ids": [1], "n": 0})").find("\"n\""), std::string::npos);
  const std::string long_context =
      error_of(Json{{"ids", std::vector<int>(5000, 1)}}.dump());
  EXPECT_NE(long_context.find("5000"), std::string::npos) << long_context;
  const Ran elsewhere = run(generate + " --device gpu", R"({"ids": [1]})");
  EXPECT_EQ(elsewhere.code, 2);
  EXPECT_NE(elsewhere.errors.find("\"gpu\""), std::string::npos) << elsewhere.errors;
  EXPECT_NE(elsewhere.errors.find("torch:cpu"), std::string::npos) << elsewhere.errors;
  EXPECT_EQ(run("lm info --model /nowhere").code, 1);
  EXPECT_EQ(run("lm").code, 2);
  EXPECT_NE(run("lm generate --help").out.find("Example"), std::string::npos);
}

TEST(LmCli, AnswersManyLinesAtOnceAsOneAfterTheOther) {
  DREAMGYM_NEEDS_FILE(language_model_data());
  const std::string model = " --model " + tiny("llama3_untied_f32").string();
  std::string asked;
  for (int i = 0; i < 12; ++i) {
    asked += Json{{"ids", {1, 2 + i, 3}}, {"max_tokens", 2 + 3 * (i % 4)}, {"seed", i}, {"n", 1 + i % 3}}.dump() + "\n";
  }
  const Ran one = run("lm generate" + model, asked);
  ASSERT_EQ(one.code, 0) << one.errors;
  const Ran many = run("lm generate --concurrent 5 --threads 2" + model, asked);
  EXPECT_EQ(many.code, 0) << many.errors;
  EXPECT_EQ(many.out, one.out);
  const Ran wrong = run("lm generate --concurrent 5" + model, "{\"ids\": [1]}\n\n{\"ids\": []}\n");
  EXPECT_NE(wrong.code, 0);
  EXPECT_NE(wrong.errors.find("line 3"), std::string::npos) << wrong.errors;
}

TEST(LmCli, HoldsRepliesToASchema) {
  DREAMGYM_NEEDS_FILE(language_model_data());
  const TemporaryFolder folder;
  const Path model = folder.path() / "chat";
  write_chat_checkpoint(model);
  const Path schema = folder.path() / "schema.json";
  write_file(schema, R"({"type": "object", "properties": {"done": {"type": "boolean"}, "n": {"type": "integer"}}, "required": ["done"]})");
  const Ran ran = run("lm generate --schema " + schema.string() + " --model " + model.string(),
                      R"({"messages": [{"role": "user", "content": "Done?"}], "n": 3, "max_tokens": 80})"
                      "\n");
  ASSERT_EQ(ran.code, 0) << ran.errors;
  for (const Json& line : lines(ran.out)) {
    EXPECT_TRUE(Json::parse(line["text"].get<std::string>()).at("done").is_boolean()) << line;
  }
  write_file(schema, R"({"type": "string", "format": "date"})");
  const Ran refused = run("lm generate --schema " + schema.string() + " --model " + model.string(), "{}\n");
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.errors.find("\"format\""), std::string::npos) << refused.errors;
}

}  // namespace
}  // namespace dreamgym

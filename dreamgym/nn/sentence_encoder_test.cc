#include "dreamgym/nn/sentence_encoder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dreamgym/base/error.h"
#include "tests/language_model_data.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

constexpr double kTolerance = 1e-5;  // of the reference answers

class SentenceEncoderParity : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (std::filesystem::exists(fetched_models() / "minilm/model.safetensors")) {
      encoder_ = new SentenceEncoder(fetched_models() / "minilm");
    }
  }
  static void TearDownTestSuite() {
    delete encoder_;
    encoder_ = nullptr;
  }
  void SetUp() override {
    DREAMGYM_NEEDS_FILE(fetched_models() / "minilm/model.safetensors");
    DREAMGYM_NEEDS_FILE(language_model_data() / "minilm");
    answers_ = read_json(language_model_data() / "minilm/expected.json");
  }
  static inline const SentenceEncoder* encoder_ = nullptr;
  nlohmann::json answers_;
};

TEST_F(SentenceEncoderParity, EmbedsAsTheReference) {
  std::vector<std::string> texts;
  for (const auto& row : answers_["rows"]) {
    texts.push_back(row["text"].get<std::string>());
  }
  const auto together = encoder_->embed_all(texts);
  std::map<int, std::vector<float>> by_id;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto& row = answers_["rows"][i];
    const std::vector<float> vector = encoder_->embed(texts[i]);
    ASSERT_EQ(vector.size(), encoder_->dimension());
    double sum = 0;
    double squares = 0;
    for (std::size_t d = 0; d < vector.size(); ++d) {
      sum += double{vector[d]};
      squares += double{vector[d]} * double{vector[d]};
      EXPECT_NEAR(together[i][d], vector[d], kTolerance) << "neighbours change nothing";
    }
    EXPECT_NEAR(squares, 1.0, 1e-5);
    EXPECT_NEAR(sum, row["sum"].get<double>(), 20 * kTolerance);
    const auto first = row["first16"].get<std::vector<double>>();
    for (std::size_t d = 0; d < first.size(); ++d) {
      EXPECT_NEAR(vector[d], first[d], kTolerance) << texts[i];
    }
    by_id[row["id"].get<int>()] = vector;
  }
  for (const auto& pair : answers_["cosine"]) {
    const auto& a = by_id.at(pair[0].get<int>());
    const auto& b = by_id.at(pair[1].get<int>());
    double dot = 0;
    for (std::size_t d = 0; d < a.size(); ++d) {
      dot += double{a[d]} * double{b[d]};
    }
    EXPECT_NEAR(dot, pair[2].get<double>(), kTolerance);
  }
}

TEST_F(SentenceEncoderParity, CutsLongTextsAndTakesEmptyOnes) {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    text += "word ";
  }
  EXPECT_EQ(encoder_->embed(text), encoder_->embed(text + "more words at the end"));
  EXPECT_EQ(encoder_->embed("").size(), encoder_->dimension());
  EXPECT_EQ(encoder_->name(), "minilm");
  EXPECT_EQ(encoder_->max_tokens(), 256U);
}

TEST(SentenceEncoder, SaysWhatIsMissingOrUnknown) {
  EXPECT_THROW(SentenceEncoder("/nowhere"), Error);
  const Path minilm = fetched_models() / "minilm";
  DREAMGYM_NEEDS_FILE(minilm);
  const TemporaryFolder folder;
  std::filesystem::copy_file(minilm / "tokenizer.json", folder.path() / "tokenizer.json");
  auto config = read_json(minilm / "config.json");
  config["hidden_act"] = "relu";
  write_file(folder.path() / "config.json", config.dump());
  try {
    const SentenceEncoder encoder(folder.path());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_NE(std::string(error.what()).find("relu"), std::string::npos);
  }
}

}  // namespace
}  // namespace dreamgym

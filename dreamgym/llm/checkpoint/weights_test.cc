#include "dreamgym/llm/checkpoint/weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/base/text.h"
#include "tests/language_model_data.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

TransformerConfig tiny_config() {
  TransformerConfig config;
  config.vocab_size = 11;
  config.hidden_size = 8;
  config.num_layers = 1;
  config.num_heads = 2;
  config.num_kv_heads = 1;
  config.head_dim = 4;
  config.intermediate_size = 6;
  return config;
}

// A folder of this test, empty at first, gone afterwards.
class WeightsOnDisk : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (std::filesystem::temp_directory_path() /
               (std::string("dreamgym_weights_") +
                testing::UnitTest::GetInstance()->current_test_info()->name()))
                  .string();
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] Path arrays_path() const { return Path(folder_) / "model.safetensors"; }
  [[nodiscard]] Path config_path() const { return Path(folder_) / "config.json"; }

  ErrorKind load_error() {
    try {
      load_weights(folder_);
    } catch (const Error& error) {
      message_ = error.what();
      return error.kind();
    }
    ADD_FAILURE() << "loaded";
    return ErrorKind::kBusy;
  }

  std::string folder_;
  std::string message_;
};

TEST(InitialWeights, HaveTheShapesAndSpreadsOfTheRecipe) {
  TransformerConfig config = transformer_preset("nano");
  config.vocab_size = 512;
  const TransformerWeights weights = initial_weights(config, 7);
  const auto spread = [&](const std::string& name) {
    const auto& values = weights.arrays.at(name).values;
    double sum = 0;
    for (const float value : values) {
      sum += static_cast<double>(value) * value;
    }
    return std::sqrt(sum / static_cast<double>(values.size()));
  };
  EXPECT_NEAR(spread("model.embed_tokens.weight"), 0.02, 0.0005);
  EXPECT_NEAR(spread("model.layers.2.mlp.up_proj.weight"), 1 / std::sqrt(128.0), 0.002);
  EXPECT_NEAR(spread("model.layers.2.mlp.down_proj.weight"), 1 / std::sqrt(384.0 * 10), 0.001);
  EXPECT_EQ(spread("model.layers.0.mlp_convolution.weight"), 0.0);
  EXPECT_EQ(spread("model.norm.weight"), 1.0);
  EXPECT_EQ(weights.arrays.size(), parameter_shapes(config).size());
}

TEST(InitialWeights, FollowTheSeedOnly) {
  EXPECT_EQ(initial_weights(tiny_config(), 7).arrays, initial_weights(tiny_config(), 7).arrays);
  EXPECT_NE(initial_weights(tiny_config(), 7).arrays, initial_weights(tiny_config(), 8).arrays);
}

TEST(TransformerPreset, HasTheSizesItSays) {
  const auto millions = [](const std::string& name) {
    TransformerConfig config = transformer_preset(name);
    config.vocab_size = 1024;
    double count = 0;
    for (const auto& [parameter, shape] : parameter_shapes(config)) {
      count += static_cast<double>(shape[0] * (shape.size() > 1 ? shape[1] : 1));
    }
    return count / 1e6;
  };
  EXPECT_NEAR(millions("nano-s"), 0.45, 0.03);
  EXPECT_NEAR(millions("nano"), 1.12, 0.03);
  EXPECT_NEAR(millions("nano-l"), 2.87, 0.05);
}

TEST(TransformerPreset, NamesTheKnownOnes) {
  try {
    transformer_preset("nanol");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
    EXPECT_NE(std::string(error.what()).find("nano-l"), std::string::npos);
  }
}

TEST_F(WeightsOnDisk, ComeBackBitForBitInFp32) {
  TransformerWeights weights = initial_weights(tiny_config(), 7);
  weights.version = "tiny@1";
  save_weights(weights, folder_, NumberType::kFloat32);
  const TransformerWeights loaded = load_weights(folder_);
  EXPECT_EQ(loaded.config, weights.config);
  EXPECT_EQ(loaded.arrays, weights.arrays);
  EXPECT_EQ(loaded.version, "tiny@1");
}

TEST_F(WeightsOnDisk, ComeBackRoundedInBf16) {
  const TransformerWeights weights = initial_weights(tiny_config(), 7);
  save_weights(weights, folder_, NumberType::kBFloat16);
  const TransformerWeights loaded = load_weights(folder_);
  for (const auto& [name, array] : weights.arrays) {
    for (std::size_t i = 0; i < array.values.size(); ++i) {
      EXPECT_NEAR(
          loaded.arrays.at(name).values[i], array.values[i], std::abs(array.values[i]) / 256);
    }
  }
}

TEST_F(WeightsOnDisk, NoticeAFlippedByte) {
  save_weights(initial_weights(tiny_config(), 7), folder_, NumberType::kFloat32);
  std::string bytes = read_file(arrays_path());
  bytes[bytes.size() - 40] ^= 1;
  write_file(arrays_path(), bytes);
  EXPECT_EQ(load_error(), ErrorKind::kCorrupt);
  EXPECT_NE(message_.find("checksum"), std::string::npos) << message_;
}

TEST_F(WeightsOnDisk, NoticeAFileCutShortAnywhere) {
  save_weights(initial_weights(tiny_config(), 7), folder_, NumberType::kFloat32);
  const std::string bytes = read_file(arrays_path());
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, std::size_t{100}, bytes.size() / 2, bytes.size() - 1}) {
    write_file(arrays_path(), bytes.substr(0, size));
    EXPECT_EQ(load_error(), ErrorKind::kCorrupt) << size;
  }
}

TEST_F(WeightsOnDisk, NameAMissingArray) {
  TransformerWeights weights = initial_weights(tiny_config(), 7);
  weights.arrays.erase("model.norm.weight");
  save_weights(weights, folder_, NumberType::kFloat32);
  EXPECT_EQ(load_error(), ErrorKind::kParse);
  EXPECT_NE(message_.find("model.norm.weight"), std::string::npos);
}

TEST_F(WeightsOnDisk, NameAnArrayOfAnotherShape) {
  TransformerWeights weights = initial_weights(tiny_config(), 7);
  weights.config.vocab_size = 12;
  save_weights(weights, folder_, NumberType::kFloat32);
  EXPECT_EQ(load_error(), ErrorKind::kParse);
  EXPECT_NE(message_.find("[11, 8]"), std::string::npos) << message_;
}

TEST_F(WeightsOnDisk, RefuseArraysOfAnotherArchitecture) {
  TransformerWeights weights = initial_weights(tiny_config(), 7);
  weights.arrays["model.layers.0.self_attn.q_proj.bias"] = {{8}, std::vector<float>(8)};
  save_weights(weights, folder_, NumberType::kFloat32);
  EXPECT_EQ(load_error(), ErrorKind::kUnsupported);
}

TEST_F(WeightsOnDisk, IgnoreATiedHeadStoredTwice) {
  TransformerWeights weights = initial_weights(tiny_config(), 7);
  weights.arrays["lm_head.weight"] = weights.arrays.at("model.embed_tokens.weight");
  save_weights(weights, folder_, NumberType::kFloat32);
  EXPECT_FALSE(load_weights(folder_).arrays.contains("lm_head.weight"));
}

TEST_F(WeightsOnDisk, ComeBackFromShards) {
  const TransformerWeights weights = initial_weights(tiny_config(), 7);
  save_weights(weights, folder_, NumberType::kFloat32);
  save_weights(weights, folder_, NumberType::kFloat32, 600);
  EXPECT_FALSE(std::filesystem::exists(arrays_path()));
  EXPECT_TRUE(
      contains(read_file(Path(folder_) / "model.safetensors.index.json"), "\"model-00002-of-0000"));
  EXPECT_EQ(load_weights(folder_).arrays, weights.arrays);
  save_weights(weights, folder_, NumberType::kFloat32);
  EXPECT_FALSE(std::filesystem::exists(Path(folder_) / "model.safetensors.index.json"));
  EXPECT_EQ(load_weights(folder_).arrays, weights.arrays);
}

TEST_F(WeightsOnDisk, NameTheArrayWithABrokenNumber) {
  TransformerWeights weights = initial_weights(tiny_config(), 7);
  weights.arrays.at("model.norm.weight").values[3] = NAN;
  save_weights(weights, folder_, NumberType::kBFloat16);
  EXPECT_EQ(load_error(), ErrorKind::kCorrupt);
  EXPECT_NE(message_.find("value 3 of array \"model.norm.weight\""), std::string::npos) << message_;
}

TEST_F(WeightsOnDisk, RefuseAnIndexThatContradictsItsShards) {
  save_weights(initial_weights(tiny_config(), 7), folder_, NumberType::kFloat32, 600);
  const Path index = Path(folder_) / "model.safetensors.index.json";
  const std::string text = read_file(index);
  const auto with = [&](const std::string& from, const std::string& to) {
    write_file(index, replace_all(text, from, to));
    return load_error();
  };
  EXPECT_EQ(with("model.norm.weight", "model.other.weight"), ErrorKind::kParse);
  EXPECT_EQ(with("model-00001-of-", "model-00009-of-"), ErrorKind::kNotFound);
  EXPECT_EQ(with("model-00001-of-", "../model-00001-of-"), ErrorKind::kParse);
  EXPECT_EQ(with("weight_map", "map"), ErrorKind::kParse);
}

TEST_F(WeightsOnDisk, SayWhichFileIsMissing) {
  EXPECT_EQ(load_error(), ErrorKind::kNotFound);
  EXPECT_NE(message_.find("config.json"), std::string::npos) << message_;
}

TEST_F(WeightsOnDisk, TakeAConfigThatIsNotJsonForOne) {
  save_weights(initial_weights(tiny_config(), 7), folder_, NumberType::kFloat32);
  write_file(config_path(), "{\"model_type\":");
  EXPECT_EQ(load_error(), ErrorKind::kParse);
}

TEST(LoadWeights, ReadsEveryReferenceCheckpoint) {
  const Path tiny = language_model_data() / "tiny";
  DREAMGYM_NEEDS_FILE(tiny);
  for (const char* name : {"llama3_untied_f32",
                           "llama3_tied_bf16",
                           "qwen2_tied_bf16",
                           "qwen3_tied_f32",
                           "smollm2_tied_bf16",
                           "sharded_untied_f16"}) {
    const TransformerWeights weights = load_weights((tiny / name).string());
    EXPECT_EQ(weights.arrays.size(), parameter_shapes(weights.config).size()) << name;
  }
}

TEST(LoadWeights, WritesWhatItRead) {
  const Path tiny = language_model_data() / "tiny";
  DREAMGYM_NEEDS_FILE(tiny);
  for (const char* name : {"llama3_tied_bf16", "qwen2_tied_bf16", "qwen3_tied_f32"}) {
    const TemporaryFolder folder;
    const TransformerWeights weights = load_weights((tiny / name).string());
    save_weights(weights, folder.path(), NumberType::kFloat32);
    const TransformerWeights again = load_weights(folder.path());
    EXPECT_EQ(again.config, weights.config) << name;
    EXPECT_EQ(again.arrays, weights.arrays) << name;
  }
}

}  // namespace
}  // namespace dreamgym

#include "dreamgym/llm/gguf/block_type.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "dreamgym/base/base64.h"
#include "dreamgym/base/rng.h"
#include "tests/language_model_data.h"

namespace dreamgym {
namespace {

TEST(BlockType, GivesTheReferenceValuesOfEveryFormat) {
  const Path file = language_model_data() / "gguf/quant_blocks.json";
  DREAMGYM_NEEDS_FILE(file);
  std::size_t num_formats = 0;
  std::size_t num_different = 0;  // by the rounding of one multiply-add
  for (const auto& entry : read_json(file)) {
    const auto format = block_format(entry["ggml_type_id"].get<std::uint32_t>());
    if (!format) {
      continue;
    }
    ++num_formats;
    EXPECT_EQ(format->name, entry["type"].get<std::string>());
    EXPECT_EQ(format->num_values, entry["block_elements"].get<std::size_t>());
    EXPECT_EQ(format->num_bytes, entry["block_bytes"].get<std::size_t>());
    const std::string raw = *decode_base64(entry["raw_base64"].get<std::string>());
    const std::string expected_bytes =
        *decode_base64(entry["values_f32_base64"].get<std::string>());
    std::vector<float> expected(expected_bytes.size() / sizeof(float));
    std::memcpy(expected.data(), expected_bytes.data(), expected_bytes.size());
    std::vector<float> values(expected.size());
    dequantize(format->type, raw, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(values[i], expected[i], 1e-6 * std::abs(expected[i])) << format->name << " " << i;
      num_different += values[i] != expected[i] ? 1 : 0;
    }
  }
  EXPECT_EQ(num_formats, 10U);
  RecordProperty("num_different", std::to_string(num_different));
}

TEST(BlockType, QuantisesWithinHalfAStep) {
  Rng rng(2);
  std::vector<float> values(96);
  for (std::size_t i = 0; i < 64; ++i) {  // the last block is all zero
    values[i] = static_cast<float>(rng.normal());
  }
  std::vector<char> bytes;
  quantize(BlockType::kQ8_0, values, bytes);
  ASSERT_EQ(bytes.size(), 3U * 34U);
  std::vector<float> back(values.size());
  dequantize(BlockType::kQ8_0, {bytes.data(), bytes.size()}, back);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(back[i], values[i], 0.02) << i;
  }
  EXPECT_EQ(back[90], 0.0F);
}

TEST(BlockType, KnowsNoOthers) {
  EXPECT_FALSE(block_format(std::uint32_t{10}));
  EXPECT_FALSE(block_format(std::uint32_t{0xffffffff}));
}

}  // namespace
}  // namespace dreamgym

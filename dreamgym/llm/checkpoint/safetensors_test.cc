#include "dreamgym/llm/checkpoint/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"

namespace dreamgym {
namespace {

std::string with_length(std::uint64_t length, const std::string& rest) {
  return std::string(reinterpret_cast<const char*>(&length), 8) + rest;
}

std::string file_of(const std::string& header, std::size_t data_bytes) {
  return with_length(header.size(), header + std::string(data_bytes, '\0'));
}

/// What reading everything says; kBusy if it succeeds.
ErrorKind error_of(const std::string& bytes) {
  try {
    const Safetensors file = read_safetensors(bytes, "x");
    for (const auto& [name, array] : file.arrays) {
      (void)widened(array, name, "x");
    }
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::kBusy;
}

TEST(Safetensors, RefusesWhatDoesNotFit) {
  EXPECT_EQ(error_of(file_of("[1]", 0)), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4)),
            ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 8)),
            ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8)),
            ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(file_of(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4)),
            ErrorKind::kCorrupt);
  EXPECT_EQ(
      error_of(file_of(
          R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", 0)),
      ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4)),
            ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,-4]}})", 4)),
            ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", 4)),
            ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(file_of(R"({"a":{"dtype":"F32","shape":[1]}})", 4)), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(file_of(R"({"a":7})", 0)), ErrorKind::kCorrupt);
}

TEST(Safetensors, RefusesArraysThatOverlap) {
  const std::string header = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                             R"("b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})";
  EXPECT_EQ(error_of(file_of(header, 12)), ErrorKind::kCorrupt);
}

TEST(Safetensors, BelievesNoLengthOfTheHeader) {
  EXPECT_EQ(error_of(""), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of("1234567"), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(with_length(1ULL << 60U, "{}")), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(with_length(~0ULL, "{}")), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(with_length(3, "{}")), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(with_length(2, "{}")), ErrorKind::kBusy);  // no arrays is a valid file
}

TEST(Safetensors, LeavesOtherNumbersAloneUntilTheyAreWanted) {
  const std::string bytes =
      file_of(R"({"ids":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})", 8);
  EXPECT_EQ(read_safetensors(bytes, "x").arrays.at("ids").bytes.size(), 8U);
  EXPECT_EQ(error_of(bytes), ErrorKind::kUnsupported);
  EXPECT_EQ(error_of(file_of(R"({"a":{"dtype":"Q4","shape":[1],"data_offsets":[0,8]}})", 8)),
            ErrorKind::kUnsupported);
}

std::string written(NumberType type) {
  std::string bytes;
  write_safetensors({{"b", {{3}, [] { return std::vector<float>{1, -2.5F, 0}; }}},
                     {"a", {{1, 2}, [] { return std::vector<float>{0.5F, 8}; }}}},
                    {{"note", "x"}},
                    type,
                    [&](std::string_view piece) { bytes += piece; });
  return bytes;
}

TEST(Safetensors, ReadsWhatItWrites) {
  for (const NumberType type :
       {NumberType::kFloat32, NumberType::kFloat16, NumberType::kBFloat16}) {
    const std::string bytes = written(type);
    const Safetensors file = read_safetensors(bytes, "x");
    EXPECT_EQ(file.metadata.at("note"), "x");
    EXPECT_EQ(widened(file.arrays.at("a"), "a", "x"), (WeightArray{{1, 2}, {0.5F, 8}}));
    EXPECT_EQ(widened(file.arrays.at("b"), "b", "x"), (WeightArray{{3}, {1, -2.5F, 0}}));
  }
}

TEST(Safetensors, SurvivesAnyFlippedByte) {
  const std::string good = written(NumberType::kFloat32);
  Rng rng(5);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = good;
    bytes[rng.below(bytes.size())] = static_cast<char>(rng.below(256));
    bytes.resize(rng.below(4) == 0 ? rng.below(bytes.size()) : bytes.size());
    (void)error_of(bytes);  // an Error or none, but no crash
  }
}

}  // namespace
}  // namespace dreamgym

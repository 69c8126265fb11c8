#include "dreamgym/llm/gguf/gguf_file.h"

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/rng.h"
#include "tests/language_model_data.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

template <class T>
std::string number(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

std::string text(const std::string& bytes) {
  return number<std::uint64_t>(bytes.size()) + bytes;
}

std::string header(std::uint64_t num_tensors, std::uint64_t num_values) {
  return "GGUF" + number<std::uint32_t>(3) + number(num_tensors) + number(num_values);
}

/// A table entry of F32 numbers.
std::string tensor(const std::string& name, std::uint64_t extent, std::uint64_t offset) {
  return text(name) + number<std::uint32_t>(1) + number(extent) + number<std::uint32_t>(0) +
         number(offset);
}

std::string padded(std::string bytes, std::size_t data_bytes) {
  bytes.resize((bytes.size() + 31) / 32 * 32 + data_bytes);
  return bytes;
}

/// Opens a file of these bytes and reads its tensors; kBusy if all goes well.
ErrorKind error_of(const std::string& bytes) {
  const TemporaryFolder folder;
  write_file(folder.path() / "x.gguf", bytes);
  try {
    const GgufFile file(folder.path() / "x.gguf");
    for (const auto& [name, entry] : file.tensors()) {
      (void)dequantized(entry, name);
    }
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::kBusy;
}

TEST(GgufFile, ReadsValuesOfEveryKind) {
  const TemporaryFolder folder;
  const std::string bytes =
      header(1, 4) + text("i") + number<std::uint32_t>(4) + number<std::uint32_t>(7) + text("f") +
      number<std::uint32_t>(6) + number(1e-5F) + text("s") + number<std::uint32_t>(8) + text("hi") +
      text("a") + number<std::uint32_t>(9) + number<std::uint32_t>(1) + number<std::uint64_t>(2) +
      number<std::int8_t>(-1) + number<std::int8_t>(5) + tensor("t", 2, 0);
  write_file(folder.path() / "x", padded(bytes, 8));
  const GgufFile file(folder.path() / "x");
  EXPECT_EQ(file.get<std::int64_t>("i"), 7);
  EXPECT_EQ(file.get<double>("f"), 1e-5);
  EXPECT_EQ(file.get<std::string>("s"), "hi");
  EXPECT_EQ(file.get<std::vector<std::int64_t>>("a"), (std::vector<std::int64_t>{-1, 5}));
  EXPECT_EQ(file.find<bool>("none"), nullptr);
  EXPECT_THROW((void)file.find<bool>("i"), Error);
  EXPECT_THROW((void)file.get<bool>("none"), Error);
  EXPECT_EQ(file.tensors().at("t").shape, (std::vector<std::int64_t>{2}));
}

TEST(GgufFile, RefusesWhatContradictsItself) {
  EXPECT_EQ(error_of(""), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of("GGML"), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of("GGUF" + number<std::uint32_t>(9)), ErrorKind::kUnsupported);
  EXPECT_EQ(error_of(header(0, 0)), ErrorKind::kBusy);
  EXPECT_EQ(error_of(header(~0ULL, 0)), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(header(0, 1ULL << 60U)), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(header(0, 1) + number<std::uint64_t>(~0ULL) + "key"), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(header(0, 1) + text("a") + number<std::uint32_t>(9) +
                     number<std::uint32_t>(8) + number<std::uint64_t>(1ULL << 61U)),
            ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(header(0, 1) + text("a") + number<std::uint32_t>(77) + "x"),
            ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(padded(header(1, 0) + tensor("t", 2, 0), 4)), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(padded(header(1, 0) + tensor("t", 2, 4), 64)), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(padded(header(1, 0) + tensor("t", 1ULL << 62U, 0), 64)), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(padded(header(1, 0) + tensor("t", ~0ULL, 0), 64)), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(padded(header(1, 0) + tensor("t", 1, ~0ULL - 31), 64)), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(padded(header(2, 0) + tensor("t", 9, 0) + tensor("u", 1, 32), 64)),
            ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(padded(header(2, 0) + tensor("t", 1, 0) + tensor("t", 1, 32), 64)),
            ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(padded(header(2, 0) + tensor("t", 8, 0) + tensor("u", 1, 32), 64)),
            ErrorKind::kBusy);
}

TEST(GgufFile, SurvivesAnyDamage) {
  const Path path = language_model_data() / "gguf/qwen3_q8_0.gguf";
  DREAMGYM_NEEDS_FILE(path);
  const std::string good = read_file(path);
  Rng rng(9);
  for (int round = 0; round < 150; ++round) {
    std::string bytes = good;
    for (int i = 0; i < 4; ++i) {
      bytes[rng.below(rng.below(2) == 0 ? 600 : 10000)] = static_cast<char>(rng.below(256));
    }
    bytes.resize(rng.below(4) == 0 ? rng.below(bytes.size()) : bytes.size());
    (void)error_of(bytes);  // an Error or none, but no crash
  }
}

}  // namespace
}  // namespace dreamgym

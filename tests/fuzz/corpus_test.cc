// Every file of every corpus through its target, with any compiler: seeds, and whatever once was a finding.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "dreamgym/base/file.h"
#include "tests/fuzz/targets.h"

namespace dreamgym {
namespace {

void replay(const char* corpus, void (*target)(std::string_view)) {
  std::vector<Path> files;
  for (const auto& entry : std::filesystem::directory_iterator(Path(DREAMGYM_SOURCE_DIR) / "tests/fuzz/corpus" / corpus)) {
    files.push_back(entry.path());
  }
  ASSERT_FALSE(files.empty());
  std::ranges::sort(files);
  for (const Path& file : files) {
    SCOPED_TRACE(file.filename().string());
    const std::string bytes = read_file(file);
    EXPECT_NO_THROW(target(bytes));
    EXPECT_NO_THROW(target(std::string_view(bytes).substr(0, bytes.size() / 2)));
  }
}

TEST(FuzzCorpus, Safetensors) { replay("safetensors", fuzz_safetensors); }
TEST(FuzzCorpus, Gguf) { replay("gguf", fuzz_gguf); }
TEST(FuzzCorpus, Tokenizer) { replay("tokenizer", fuzz_tokenizer); }
TEST(FuzzCorpus, Chat) { replay("chat", fuzz_chat); }
TEST(FuzzCorpus, Reply) { replay("reply", fuzz_reply); }

}  // namespace
}  // namespace dreamgym

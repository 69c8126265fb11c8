#include "dreamgym/replay/salvage.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"
#include "dreamgym/replay/experience_store.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

constexpr std::size_t kRows = 400;

void fill(const Path& file) {
  ExperienceStore store(file);
  std::vector<StoredTransition> records;
  for (std::size_t i = 0; i < kRows; ++i) {
    StoredTransition record;
    record.episode_id = fmt::format("e{}", i);
    record.transition.action = fmt::format("open drawer {}", i);
    record.transition.observation.text = std::string(300, 'x');
    record.transition.next_observation.text = fmt::format("It holds a pen {}.", i);
    records.push_back(std::move(record));
  }
  (void)store.add(records);
}

// Overwrites bytes of the file.
void damage(const Path& file, std::size_t at, std::size_t count) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(at));
  stream << std::string(count, '\x7f');
}

TEST(Salvage, TakesEverythingOfAWholeStore) {
  const TemporaryFolder folder;
  fill(folder.path() / "a.sqlite");
  const Salvage found = salvage_store(folder.path() / "a.sqlite", folder.path() / "b.sqlite");
  EXPECT_EQ(found.kept, kRows);
  EXPECT_EQ(found.bad_rows + found.unreadable, 0U);
  EXPECT_EQ(found.first_problem, "");
}

TEST(Salvage, SavesWhatLiesBesideTheDamageAndSaysWhatIsLost) {
  const TemporaryFolder folder;
  const Path file = folder.path() / "a.sqlite";
  fill(file);
  // One page in the middle of the rows.
  damage(file, std::filesystem::file_size(file) / 2 / 4096 * 4096, 4096);
  const Salvage found = salvage_store(file, folder.path() / "b.sqlite");
  EXPECT_GT(found.kept, kRows / 4);
  EXPECT_LE(found.kept, kRows);
  EXPECT_TRUE(found.kept == kRows || found.bad_rows + found.unreadable > 0);
  EXPECT_EQ(found.first_problem.find("hint"), std::string::npos) << "its hint is to do what was just done";
  const ExperienceStore saved(folder.path() / "b.sqlite");
  saved.verify();
  EXPECT_EQ(saved.size(), found.kept);
}

TEST(Salvage, RefusesAFileThatIsThereAndOneThatIsNone) {
  const TemporaryFolder folder;
  fill(folder.path() / "a.sqlite");
  EXPECT_THROW((void)salvage_store(folder.path() / "a.sqlite", folder.path() / "a.sqlite"), Error);
  EXPECT_THROW((void)salvage_store(folder.path() / "none", folder.path() / "b.sqlite"), Error);
}

}  // namespace
}  // namespace dreamgym

#include "dreamgym/replay/experience_store.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

#include "dreamgym/base/error.h"
#include "dreamgym/base/file.h"

namespace dreamgym {
namespace {

using AddOutcome = ExperienceStore::AddOutcome;

StoredTransition example(int number, Provenance provenance = Provenance::kReal) {
  StoredTransition record;
  record.world = "toy";
  record.split = "train";
  record.instruction = "count";
  record.episode_id = "episode " + std::to_string(number / 10);
  record.step_index = static_cast<std::size_t>(number % 10);
  record.provenance = provenance;
  record.policy_version = "expert";
  record.transition.observation = {"number " + std::to_string(number), {"next", "a\\b\nc", ""}};
  record.transition.action = "next";
  record.transition.next_observation = {"number " + std::to_string(number + 1), {"next"}};
  record.transition.reward = -0.5 * number;
  record.transition.reasoning_trace = "effect: done";
  record.transition.demonstrations = {"x", "y"};
  record.transition.info = {{"score", "1"}, {"bytes", std::string("\xff\0z", 3)}};
  record.id = content_id(record);
  return record;
}

std::vector<StoredTransition> examples(int first, int count, Provenance provenance) {
  std::vector<StoredTransition> records;
  for (int i = 0; i < count; ++i) {
    records.push_back(example(first + i, provenance));
  }
  return records;
}

ErrorKind error_kind(const std::function<void()>& run, std::string* message = nullptr) {
  try {
    run();
  } catch (const Error& error) {
    if (message != nullptr) {
      *message = error.what();
    }
    return error.kind();
  }
  ADD_FAILURE() << "no Error";
  return ErrorKind::kInvalidArgument;
}

class ExperienceStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("store_test_" + std::to_string(getpid()) + "_" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    file_ = folder_ / "experience.sqlite";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void run_sql(const std::string& sql) const {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql;
    sqlite3_close(handle);
  }

  std::filesystem::path folder_;
  std::filesystem::path file_;
};

TEST_F(ExperienceStoreTest, GivesBackWhatWasPutInAfterReopening) {
  auto records = examples(0, 5, Provenance::kReal);
  records[2].transition.confidence = 0.25;
  records[3].provenance = Provenance::kDreamed;
  records[3].simulator_version = "dream-1";
  records[4].transition.reward = -0.0;
  {
    ExperienceStore store(file_);
    const auto report = store.add(records);
    for (std::size_t i = 0; i < records.size(); ++i) {
      EXPECT_EQ(report.results[i].outcome, AddOutcome::kAdded);
      records[i].id = content_id(records[i]);
    }
    EXPECT_EQ(store.load(), records);
  }
  ExperienceStore store(file_);
  EXPECT_EQ(store.load(), records);
  EXPECT_EQ(store.size(), 5U);
  EXPECT_EQ(store.num_dreamed(), 1U);
  EXPECT_EQ(store.find(records[3].id), records[3]);
  EXPECT_EQ(store.find("0123456789abcdef"), std::nullopt);
  EXPECT_NO_THROW(store.verify());
}

TEST_F(ExperienceStoreTest, KeepsEqualContentOnceAndNotesASecondEpisode) {
  ExperienceStore store(file_);
  auto again = example(1);
  again.episode_id = "another";
  auto third = example(1);
  third.episode_id = "third";
  EXPECT_EQ(store.add(std::vector{example(1), example(1)}).results[1].outcome,
            AddOutcome::kDuplicate);
  EXPECT_EQ(store.add(std::vector{again}).results[0].outcome, AddOutcome::kOtherEpisode);
  EXPECT_EQ(store.add(std::vector{third}).results[0].outcome, AddOutcome::kDuplicate);
  ASSERT_EQ(store.size(), 1U);
  EXPECT_EQ(store.load()[0].episode_id, "episode 0");
  EXPECT_EQ(store.load()[0].other_episode_id, "another");
}

TEST_F(ExperienceStoreTest, LetsARealTransitionReplaceTheSameDreamButNotTheReverse) {
  ExperienceStore store(file_);
  const auto dreamed = store.add(std::vector{example(1, Provenance::kDreamed)});
  const auto real = store.add(std::vector{example(1)});
  EXPECT_EQ(real.results[0].outcome, AddOutcome::kReplaced);
  EXPECT_EQ(real.removed, std::vector{dreamed.results[0].sequence});
  EXPECT_EQ(store.add(std::vector{example(1, Provenance::kDreamed)}).results[0].outcome,
            AddOutcome::kDuplicate);
  ASSERT_EQ(store.size(), 1U);
  EXPECT_EQ(store.load()[0].provenance, Provenance::kReal);
}

TEST_F(ExperienceStoreTest, EvictsTheOldestDreamsAndNeverASeed) {
  ExperienceStore store(file_, {.dreamed_capacity = 3});
  store.add(examples(0, 10, Provenance::kReal));
  store.add(examples(100, 2, Provenance::kDreamed));
  const auto report = store.add(examples(200, 2, Provenance::kDreamed));
  EXPECT_EQ(report.removed.size(), 1U);
  EXPECT_EQ(store.num_dreamed(), 3U);
  EXPECT_EQ(store.size(), 13U);
  const auto left = store.load();
  EXPECT_EQ(left[10].transition.observation.text, "number 101");
  EXPECT_EQ(left[12].transition.observation.text, "number 201");
  // More than the capacity at once: the last ones stay.
  store.add(examples(300, 5, Provenance::kDreamed));
  EXPECT_EQ(store.load()[10].transition.observation.text, "number 302");
}

// A reservoir keeps a uniform sample of everything dreamed: old and new alike, whatever the batches were.
TEST_F(ExperienceStoreTest, KeepsASampleOfAllDreamsAsAReservoir) {
  ExperienceStore store(file_, {.dreamed_capacity = 100, .eviction = ExperienceStore::Eviction::kReservoir});
  store.add(examples(0, 5, Provenance::kReal));
  for (int i = 0; i < 20; ++i) {
    store.add(examples(1000 + 50 * i, 50, Provenance::kDreamed));
  }
  EXPECT_EQ(store.num_dreamed(), 100U);
  std::size_t old = 0;
  for (const auto& record : store.load()) {
    old += record.provenance == Provenance::kDreamed && std::stoul(record.transition.observation.text.substr(7)) < 1500 ? 1 : 0;
  }
  EXPECT_GT(old, 30U) << "a half, give or take";
  EXPECT_LT(old, 70U);
  EXPECT_EQ(store.size(), 105U);
}

TEST_F(ExperienceStoreTest, RollsBackToAnEarlierMarkWhateverHappenedSince) {
  ExperienceStore store(file_, {.dreamed_capacity = 3});
  store.add(examples(0, 2, Provenance::kReal));
  store.add(examples(100, 3, Provenance::kDreamed));
  const auto mark = store.mark();
  const auto before = store.load();
  const auto continue_run = [&] {
    auto twin = example(1);
    twin.episode_id = "another";
    store.add(std::vector{twin, example(100), example(55)});
    store.add(examples(200, 3, Provenance::kDreamed));
    return store.load();
  };
  const auto after = continue_run();
  EXPECT_NE(after, before);
  store.roll_back_to(mark);
  EXPECT_EQ(store.load(), before);
  EXPECT_EQ(store.mark(), mark);
  EXPECT_EQ(continue_run(), after);
}

TEST_F(ExperienceStoreTest, ForgetsEvictedRowsOnlyWhenToldAndThenRefusesToGoBack) {
  ExperienceStore store(file_, {.dreamed_capacity = 1});
  store.add(examples(0, 1, Provenance::kDreamed));
  const auto early = store.mark();
  store.add(examples(1, 1, Provenance::kDreamed));
  EXPECT_TRUE(store.find(example(0).id).has_value());
  store.forget_evicted(store.mark());
  EXPECT_FALSE(store.find(example(0).id).has_value());
  EXPECT_TRUE(store.find(example(1).id).has_value());
  EXPECT_EQ(error_kind([&] { store.roll_back_to(early); }), ErrorKind::kCorrupt);
  EXPECT_EQ(error_kind([&] { store.roll_back_to(99); }), ErrorKind::kInvalidArgument);
}

TEST_F(ExperienceStoreTest, RefusesNumbersThatAreNotFiniteAndKeepsNothingOfTheBatch) {
  ExperienceStore store(file_);
  auto records = examples(0, 3, Provenance::kReal);
  records[2].transition.reward = std::numeric_limits<double>::quiet_NaN();
  std::string message;
  EXPECT_EQ(error_kind([&] { store.add(records); }, &message), ErrorKind::kInvalidArgument);
  EXPECT_NE(message.find("episode 0"), std::string::npos) << message;
  EXPECT_EQ(store.size(), 0U);
}

TEST_F(ExperienceStoreTest, SaysSoWhenTheFileIsNoExperienceStore) {
  std::ofstream(file_) << std::string(5000, 'x');
  std::string message;
  EXPECT_EQ(error_kind([&] { ExperienceStore store(file_); }, &message), ErrorKind::kCorrupt);
  EXPECT_NE(message.find("experience.sqlite"), std::string::npos) << message;
  std::filesystem::remove(file_);
  run_sql("CREATE TABLE other (x)");
  EXPECT_EQ(error_kind([&] { ExperienceStore store(file_); }, &message), ErrorKind::kCorrupt);
  EXPECT_NE(message.find("no experience store"), std::string::npos) << message;
}

TEST_F(ExperienceStoreTest, NamesTheVersionItDoesNotKnow) {
  {
    ExperienceStore store(file_);
  }
  run_sql("PRAGMA user_version = 7");
  std::string message;
  EXPECT_EQ(error_kind([&] { ExperienceStore store(file_); }, &message), ErrorKind::kCorrupt);
  EXPECT_NE(message.find("version 7, expected 1"), std::string::npos) << message;
}

TEST_F(ExperienceStoreTest, NoticesAChangedByte) {
  {
    ExperienceStore store(file_);
    store.add(examples(0, 20, Provenance::kReal));
  }
  std::string bytes = read_file(file_);
  const std::size_t place = bytes.find("number 13");
  ASSERT_NE(place, std::string::npos);
  bytes[place] = 'N';
  std::ofstream(file_, std::ios::binary) << bytes;
  const ExperienceStore store(file_);
  std::string message;
  EXPECT_EQ(error_kind([&] { (void)store.load(); }, &message), ErrorKind::kCorrupt);
  EXPECT_NE(message.find("row 1"), std::string::npos) << message;
}

TEST_F(ExperienceStoreTest, NoticesAFileCutShort) {
  {
    ExperienceStore store(file_);
    store.add(examples(0, 400, Provenance::kReal));
  }
  std::filesystem::resize_file(file_, std::filesystem::file_size(file_) / 2);
  EXPECT_EQ(error_kind([&] { ExperienceStore(file_).verify(); }), ErrorKind::kCorrupt);
}

TEST_F(ExperienceStoreTest, SaysSoWhenTheFolderIsMissing) {
  std::string message;
  EXPECT_EQ(error_kind([&] { ExperienceStore store(folder_ / "no" / "x.sqlite"); }, &message),
            ErrorKind::kIo);
  EXPECT_NE(message.find("x.sqlite"), std::string::npos) << message;
}

TEST_F(ExperienceStoreTest, TakesTwoWritersAtOnce) {
  const auto write = [&](int first) {
    ExperienceStore store(file_);
    for (int i = 0; i < 20; ++i) {
      store.add(examples(first + 5 * i, 10, Provenance::kReal));
    }
  };
  // Overlapping content from two connections, each opening (and creating) the file by itself.
  {
    const std::jthread one(write, 0);
    const std::jthread two(write, 50);
  }
  const ExperienceStore store(file_);
  EXPECT_EQ(store.size(), 155U);
  EXPECT_EQ(store.mark(), 40U);
  EXPECT_NO_THROW(store.verify());
}

// Kills a process at some moment of its writing; what it had been told is stored must be there,
// and every batch whole.
TEST_F(ExperienceStoreTest, SurvivesBeingKilledInTheMiddleOfWriting) {
  constexpr int kBatch = 25;
  int acknowledged = 0;
  for (int round = 0; round < 8; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        ExperienceStore store(file_, {.dreamed_capacity = 60});
        for (int i = 0;; ++i) {
          store.add(examples(1'000'000 * round + kBatch * i,
                             kBatch,
                             i % 2 == 0 ? Provenance::kReal : Provenance::kDreamed));
          if (write(pipe_ends[1], "x", 1) != 1) {
            _exit(1);
          }
        }
      } catch (...) {
        _exit(2);
      }
    }
    close(pipe_ends[1]);
    char byte = 0;
    for (int i = 0; i < 3 + 2 * round; ++i) {
      ASSERT_EQ(read(pipe_ends[0], &byte, 1), 1);
      acknowledged += kBatch * (i % 2 == 0 ? 1 : 0);
    }
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    close(pipe_ends[0]);

    const ExperienceStore store(file_, {.dreamed_capacity = 60});
    ASSERT_NO_THROW(store.verify());
    const auto num_real = static_cast<int>(store.size() - store.num_dreamed());
    EXPECT_GE(num_real, acknowledged);
    EXPECT_EQ(num_real % kBatch, 0);
    EXPECT_LE(store.num_dreamed(), 60U);
    acknowledged = num_real;
  }
}

}  // namespace
}  // namespace dreamgym

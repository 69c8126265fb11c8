#include "dreamgym/base/parallel_map.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace dreamgym {
namespace {

std::vector<std::size_t> squares(std::size_t count) {
  std::vector<std::size_t> expected(count);
  for (std::size_t i = 0; i < count; ++i) {
    expected[i] = i * i;
  }
  return expected;
}

TEST(ParallelMap, KeepsInputOrderForAnyNumberOfThreads) {
  for (const std::size_t num_threads : {0U, 1U, 2U, 8U}) {
    for (const std::size_t count : {0U, 1U, 2U, 100U}) {
      EXPECT_EQ(parallel_map(count, num_threads, [](std::size_t i) { return i * i; }),
                squares(count))
          << num_threads << " threads, " << count << " items";
    }
  }
}

TEST(ParallelMap, CallsEachItemOnce) {
  std::vector<std::atomic<int>> calls(1000);
  parallel_for(calls.size(), 4, [&](std::size_t i) { ++calls[i]; });
  for (const auto& count : calls) {
    ASSERT_EQ(count, 1);
  }
}

TEST(ParallelMap, StaysOnTheCallersThreadWhenThereIsOne) {
  parallel_for(3, 1, [caller = std::this_thread::get_id()](std::size_t) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

TEST(ParallelMap, UsesNoMoreThreadsThanAsked) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  parallel_for(200, 3, [&](std::size_t) {
    const std::scoped_lock lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  EXPECT_LE(seen.size(), 3U);
}

void throw_on_seven(std::size_t i) {
  if (i % 10 == 7) {
    throw std::runtime_error(std::to_string(i));
  }
}

TEST(ParallelMap, RethrowsTheExceptionOfTheLowestItem) {
  for (const std::size_t num_threads : {1U, 4U}) {
    std::string thrown = "nothing";
    try {
      parallel_for(100, num_threads, throw_on_seven);
    } catch (const std::runtime_error& error) {
      thrown = error.what();
    }
    EXPECT_EQ(thrown, "7") << num_threads << " threads";
  }
}

}  // namespace
}  // namespace dreamgym

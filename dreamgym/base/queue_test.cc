#include "dreamgym/base/queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

namespace dreamgym {
namespace {

TEST(Queue, HandsItemsOutInOrder) {
  Queue<int> queue(3);
  for (const int item : {1, 2, 3}) {
    ASSERT_TRUE(queue.push(item));
  }
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), 2);
  EXPECT_EQ(queue.pop(), 3);
}

TEST(Queue, CarriesItemsThatCanOnlyBeMoved) {
  Queue<std::unique_ptr<int>> queue(1);
  ASSERT_TRUE(queue.push(std::make_unique<int>(7)));
  const auto popped = queue.pop();
  ASSERT_TRUE(popped.has_value());
  EXPECT_EQ(**popped, 7);
}

TEST(Queue, DrainsAfterCloseThenEnds) {
  Queue<int> queue(2);
  ASSERT_TRUE(queue.push(1));
  queue.close();
  queue.close();
  EXPECT_FALSE(queue.push(2));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(Queue, CloseWakesAWaitingConsumer) {
  Queue<int> queue(1);
  std::optional<int> popped = 5;
  {
    const std::jthread consumer([&] { popped = queue.pop(); });
    queue.close();
  }
  EXPECT_EQ(popped, std::nullopt);
}

TEST(Queue, CloseWakesAWaitingProducer) {
  Queue<int> queue(1);
  ASSERT_TRUE(queue.push(1));
  bool accepted = true;
  {
    const std::jthread producer([&] { accepted = queue.push(2); });
    queue.close();
  }
  EXPECT_FALSE(accepted);
}

TEST(Queue, NeverHoldsMoreThanItsCapacity) {
  Queue<int> queue(2);
  std::atomic<int> num_pushed{0};
  std::jthread producer([&] {
    for (int i = 0; i < 200 && queue.push(i); ++i) {
      ++num_pushed;
    }
    queue.close();
  });
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(queue.pop(), i);
    // Whatever was pushed and not popped is in the queue, but for one push not yet counted.
    ASSERT_LE(num_pushed, i + 1 + 2);
  }
  EXPECT_EQ(queue.pop(), std::nullopt);
}

void push_range(Queue<int>& queue, int begin, int end) {
  for (int item = begin; item < end; ++item) {
    EXPECT_TRUE(queue.push(item));
  }
}

void pop_all(Queue<int>& queue, std::vector<int>& popped) {
  while (const std::optional<int> item = queue.pop()) {
    popped.push_back(*item);
  }
}

TEST(Queue, LosesAndRepeatsNothingBetweenManyThreads) {
  constexpr int kItems = 500;  // of each producer
  Queue<int> queue(4);
  std::vector<int> popped_by_one;
  std::vector<int> popped;
  {
    const std::jthread one(pop_all, std::ref(queue), std::ref(popped_by_one));
    const std::jthread other(pop_all, std::ref(queue), std::ref(popped));
    {
      const std::jthread first(push_range, std::ref(queue), 0, kItems);
      const std::jthread second(push_range, std::ref(queue), kItems, 2 * kItems);
      const std::jthread third(push_range, std::ref(queue), 2 * kItems, 3 * kItems);
    }
    queue.close();
  }
  popped.insert(popped.end(), popped_by_one.begin(), popped_by_one.end());
  std::ranges::sort(popped);
  std::vector<int> expected(std::size_t{3} * kItems);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(popped, expected);
}

TEST(Queue, RefusesCapacityZero) {
  EXPECT_THROW(Queue<int>(0), LogicError);
}

}  // namespace
}  // namespace dreamgym

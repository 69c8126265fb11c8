#include "dreamgym/base/queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <numeric>
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
  EXPECT_EQ(**queue.pop(), 7);
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

TEST(Queue, LosesAndRepeatsNothingBetweenManyThreads) {
  constexpr int kPerProducer = 500;
  constexpr int kProducers = 3;
  Queue<int> queue(4);
  std::vector<std::vector<int>> popped(kProducers);
  {
    std::vector<std::jthread> consumers;
    for (auto& mine : popped) {
      consumers.emplace_back([&queue, &mine] {
        while (const std::optional<int> item = queue.pop()) {
          mine.push_back(*item);
        }
      });
    }
    {
      std::vector<std::jthread> producers;
      for (int p = 0; p < kProducers; ++p) {
        producers.emplace_back([&queue, p] {
          for (int i = 0; i < kPerProducer; ++i) {
            EXPECT_TRUE(queue.push(p * kPerProducer + i));
          }
        });
      }
    }
    queue.close();
  }
  std::vector<int> num_seen(std::size_t{kProducers} * kPerProducer, 0);
  for (const auto& mine : popped) {
    for (const int item : mine) {
      ++num_seen[static_cast<std::size_t>(item)];
    }
  }
  EXPECT_EQ(num_seen, std::vector<int>(num_seen.size(), 1));
}

TEST(Queue, RefusesCapacityZero) {
  EXPECT_THROW(Queue<int>(0), LogicError);
}

}  // namespace
}  // namespace dreamgym

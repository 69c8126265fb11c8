// A bounded queue between two stages of work, each on threads of its own.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/base/mutex.h"

namespace dreamgym {

/// First in, first out; the producer waits while it is full and the consumer while it is empty.
///
/// close() ends it: pushes are refused from then on, pops drain what is there.
/// Thread safety: any number of producers and consumers.
template <class T>
class Queue {
 public:
  /// @param capacity  most items held at once; > 0.
  explicit Queue(std::size_t capacity) : capacity_(capacity) {
    check(capacity > 0, "a queue holds at least one item");
  }

  /// Waits for room. @return false if the queue was closed; the item is dropped then.
  [[nodiscard]] bool push(T item) DREAMGYM_EXCLUDES(mutex_) {
    {
      const MutexLock lock(mutex_);
      while (items_.size() >= capacity_ && !closed_) {
        has_room_.wait(mutex_);
      }
      if (closed_) {
        return false;
      }
      items_.push_back(std::move(item));
    }
    has_items_.notify_one();
    return true;
  }

  /// Waits for an item. @return nothing once the queue is closed and empty.
  [[nodiscard]] std::optional<T> pop() DREAMGYM_EXCLUDES(mutex_) {
    std::optional<T> item;
    {
      const MutexLock lock(mutex_);
      while (items_.empty() && !closed_) {
        has_items_.wait(mutex_);
      }
      if (items_.empty()) {
        return item;
      }
      item = std::move(items_.front());
      items_.pop_front();
    }
    has_room_.notify_one();
    return item;
  }

  /// Wakes everyone who waits. May be called again.
  void close() DREAMGYM_EXCLUDES(mutex_) {
    {
      const MutexLock lock(mutex_);
      closed_ = true;
    }
    has_room_.notify_all();
    has_items_.notify_all();
  }

 private:
  const std::size_t capacity_;
  Mutex mutex_;
  Condition has_room_;
  Condition has_items_;
  std::deque<T> items_ DREAMGYM_GUARDED_BY(mutex_);
  bool closed_ DREAMGYM_GUARDED_BY(mutex_) = false;
};

}  // namespace dreamgym

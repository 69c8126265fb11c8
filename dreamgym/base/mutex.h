// A mutex whose use clang checks (-Wthread-safety): which field needs which lock is written beside
// the field. std::mutex carries no such annotations in libstdc++, hence this wrapper.
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define DREAMGYM_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define DREAMGYM_THREAD_ATTRIBUTE(x)
#endif

/// A field that may be touched only while the mutex is held.
#define DREAMGYM_GUARDED_BY(mutex) DREAMGYM_THREAD_ATTRIBUTE(guarded_by(mutex))
/// A function to be called only while the mutex is held / only while it is not.
#define DREAMGYM_REQUIRES(mutex) DREAMGYM_THREAD_ATTRIBUTE(requires_capability(mutex))
#define DREAMGYM_EXCLUDES(mutex) DREAMGYM_THREAD_ATTRIBUTE(locks_excluded(mutex))

namespace dreamgym {

/// Thread safety: that is its purpose. Not recursive.
class DREAMGYM_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  void lock() DREAMGYM_THREAD_ATTRIBUTE(acquire_capability()) { mutex_.lock(); }
  void unlock() DREAMGYM_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

/// Holds a Mutex from construction to the end of the scope. Lifetime: the mutex outlives it.
class DREAMGYM_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) DREAMGYM_THREAD_ATTRIBUTE(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() DREAMGYM_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

/// Lets a thread that holds a Mutex sleep until another one changed what it waits for.
class Condition {
 public:
  /// Releases the mutex while asleep. May wake for no reason: call it in a loop over the condition.
  void wait(Mutex& mutex) DREAMGYM_REQUIRES(mutex) { condition_.wait(mutex); }
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable_any condition_;
};

}  // namespace dreamgym

// parallel_map: a function over numbered items on several threads, results in input order.
//
// Items are handed out in order; the first exception (lowest index) is rethrown after all threads
// have joined. With one thread everything runs on the caller's.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <type_traits>
#include <vector>

namespace dreamgym {

/// Calls f(i) for i in [0, count) on up to num_threads threads.
template <class F>
void parallel_for(std::size_t count, std::size_t num_threads, const F& f) {
  if (num_threads <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) {
      f(i);
    }
    return;
  }
  std::atomic<std::size_t> next{0};
  std::vector<std::exception_ptr> errors(count);
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        f(i);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 1; t < std::min(num_threads, count); ++t) {
      threads.emplace_back(work);
    }
    work();
  }
  for (const auto& error : errors) {
    if (error) {
      std::rethrow_exception(error);
    }
  }
}

/// [f(0), ..., f(count - 1)]; the result type must be default-constructible.
template <class F>
auto parallel_map(std::size_t count, std::size_t num_threads, const F& f) {
  std::vector<std::invoke_result_t<F, std::size_t>> results(count);
  parallel_for(count, num_threads, [&](std::size_t i) { results[i] = f(i); });
  return results;
}

}  // namespace dreamgym

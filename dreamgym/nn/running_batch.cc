#include "dreamgym/nn/running_batch.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/mutex.h"
#include "dreamgym/nn/engine/engine_core.h"
#include "dreamgym/nn/engine/prefix_sharing.h"

namespace dreamgym {
namespace {

using engine::ActiveRequest;
using engine::CachedSequence;
using engine::EngineCore;

}  // namespace

struct RunningBatch::Impl {
  struct Waiting {
    Ticket ticket = 0;
    Submission submission;
  };
  // One that has been let in. Its request stays where it is, for `active` borrows it.
  struct Running {
    Ticket ticket = 0;
    Submission submission;
    std::vector<std::unique_ptr<CachedSequence>> own_memory;  // of session 0
    std::optional<ActiveRequest> active;
    // Whom it takes its beginning over from, and how many tokens; null = nobody (any more).
    const Running* leader = nullptr;
    std::size_t shared = 0;
  };

  Impl(EngineCore& its_core, RunningBatchConfig its_config, const Clock& its_clock)
      : core(its_core), config(its_config), clock(its_clock) {}

  std::vector<Ended> end_what_is_over() DREAMGYM_EXCLUDES(mutex);
  void let_in() DREAMGYM_EXCLUDES(mutex);
  std::optional<Waiting> next_waiting() DREAMGYM_EXCLUDES(mutex);
  void start(Waiting waiting);
  void find_leader(Running& fresh);
  void take_over(Running& follower);
  std::vector<ActiveRequest*> ready();
  std::vector<Ended> finished();
  void remove(const Running* gone);
  void drop_everything() DREAMGYM_EXCLUDES(mutex);
  [[nodiscard]] std::vector<std::uint64_t> sessions_in_use() const;

  EngineCore& core;
  const RunningBatchConfig config;
  const Clock& clock;
  std::vector<std::unique_ptr<Running>> running;  // by ticket; of step()'s thread

  mutable Mutex mutex;
  std::deque<Waiting> waiting DREAMGYM_GUARDED_BY(mutex);
  std::set<Ticket> cancelled DREAMGYM_GUARDED_BY(mutex);
  Ticket last_ticket DREAMGYM_GUARDED_BY(mutex) = 0;
  std::size_t num_running DREAMGYM_GUARDED_BY(mutex) = 0;  // for other threads to read
};

RunningBatch::RunningBatch(GenerationEngine& engine, RunningBatchConfig config, const Clock& clock) {
  if (config.max_running == 0 || config.max_waiting == 0) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("a running batch of {} requests and {} that wait; expected at least 1 of each",
                            config.max_running,
                            config.max_waiting));
  }
  impl_ = std::make_unique<Impl>(*engine.core_, config, clock);
}

RunningBatch::~RunningBatch() = default;

std::optional<RunningBatch::Ticket> RunningBatch::submit(Submission submission) {
  impl_->core.check_requests(std::span(&submission.request, 1));
  const MutexLock lock(impl_->mutex);
  if (impl_->waiting.size() >= impl_->config.max_waiting) {
    return std::nullopt;
  }
  impl_->waiting.push_back({++impl_->last_ticket, std::move(submission)});
  return impl_->last_ticket;
}

void RunningBatch::cancel(Ticket ticket) {
  const MutexLock lock(impl_->mutex);
  impl_->cancelled.insert(ticket);
}

std::vector<RunningBatch::Ended> RunningBatch::step() {
  try {
    std::vector<Ended> ended = impl_->end_what_is_over();
    impl_->let_in();
    ++impl_->core.num_calls;
    const std::vector<ActiveRequest*> ready = impl_->ready();
    if (!ready.empty()) {
      impl_->core.run_pass(ready);
    }
    for (Ended& one : impl_->finished()) {
      ended.push_back(std::move(one));
    }
    impl_->core.evict(impl_->sessions_in_use());
    std::ranges::sort(ended, {}, &Ended::ticket);
    return ended;
  } catch (...) {
    impl_->drop_everything();
    throw;
  }
}

bool RunningBatch::idle() const {
  const MutexLock lock(impl_->mutex);
  return impl_->waiting.empty() && impl_->num_running == 0;
}

std::size_t RunningBatch::num_running() const {
  const MutexLock lock(impl_->mutex);
  return impl_->num_running;
}

std::size_t RunningBatch::num_waiting() const {
  const MutexLock lock(impl_->mutex);
  return impl_->waiting.size();
}

// Those that were cancelled or whose time is over.
std::vector<RunningBatch::Ended> RunningBatch::Impl::end_what_is_over() {
  const auto now = clock.now();
  std::vector<Ended> ended;
  const MutexLock lock(mutex);
  const auto end_of = [&](Ticket ticket, const Submission& submission) -> std::optional<End> {
    if (cancelled.contains(ticket)) {
      return End::kCancelled;
    }
    return submission.deadline && now >= *submission.deadline ? std::optional(End::kDeadline)
                                                              : std::nullopt;
  };
  std::erase_if(waiting, [&](const Waiting& one) {
    const auto end = end_of(one.ticket, one.submission);
    if (end) {
      ended.push_back({one.ticket, *end, {}});
    }
    return end.has_value();
  });
  std::vector<const Running*> gone;
  for (const auto& one : running) {
    if (const auto end = end_of(one->ticket, one->submission)) {
      ended.push_back({one->ticket, *end, one->active->take_reply()});
      gone.push_back(one.get());
    }
  }
  for (const Running* one : gone) {
    remove(one);
  }
  num_running = running.size();
  cancelled.clear();
  return ended;
}

void RunningBatch::Impl::let_in() {
  while (running.size() < config.max_running) {
    auto next = next_waiting();
    if (!next) {
      break;
    }
    start(std::move(*next));
  }
  const MutexLock lock(mutex);
  num_running = running.size();
}

// The first of the owner with the fewest running, of those whose session is free.
std::optional<RunningBatch::Impl::Waiting> RunningBatch::Impl::next_waiting() {
  std::map<std::uint64_t, std::size_t> of_owner;
  for (const auto& one : running) {
    ++of_owner[one->submission.owner];
  }
  const std::vector<std::uint64_t> in_use = sessions_in_use();
  const MutexLock lock(mutex);
  auto best = waiting.end();
  std::set<std::uint64_t> seen;  // sessions of earlier ones go first
  for (auto one = waiting.begin(); one != waiting.end(); ++one) {
    const std::uint64_t session = one->submission.request.session;
    const bool free = session == 0 || (std::ranges::find(in_use, session) == in_use.end() &&
                                       seen.insert(session).second);
    if (free && (best == waiting.end() ||
                 of_owner[one->submission.owner] < of_owner[best->submission.owner])) {
      best = one;
    }
  }
  if (best == waiting.end()) {
    return std::nullopt;
  }
  Waiting next = std::move(*best);
  waiting.erase(best);
  return next;
}

void RunningBatch::Impl::start(Waiting next) {
  auto fresh = std::make_unique<Running>();
  fresh->ticket = next.ticket;
  fresh->submission = std::move(next.submission);
  const GenerationRequest& request = fresh->submission.request;
  CachedSequence& sequence = core.sequence_of(request, fresh->own_memory);
  fresh->active.emplace(core.begin(request, sequence));
  find_leader(*fresh);
  const auto place = std::ranges::upper_bound(
      running, fresh->ticket, {}, [](const auto& one) { return one->ticket; });
  running.insert(place, std::move(fresh));
}

// Whoever of the running ones has most of the beginning in common with a request of which nothing is
// cached.
void RunningBatch::Impl::find_leader(Running& fresh) {
  if (fresh.active->finished() || fresh.active->sequence().size() > 0) {
    return;
  }
  const auto& context = fresh.submission.request.context;
  for (const auto& one : running) {
    const std::size_t shared = engine::common_length(one->active->tokens(), context);
    if (shared >= kPanelWidth && shared > fresh.shared) {
      fresh.leader = one.get();
      fresh.shared = shared;
    }
  }
  if (fresh.leader != nullptr) {
    engine::plan_sharing(*fresh.leader->active, *fresh.active, fresh.shared);
  }
}

void RunningBatch::Impl::take_over(Running& follower) {
  core.counters.reused_tokens += follower.active->sequence().share_prefix(
      follower.leader->active->sequence(), follower.submission.request.context);
  follower.leader = nullptr;
}

// Those that have something to compute: not the ones that wait for a beginning.
std::vector<ActiveRequest*> RunningBatch::Impl::ready() {
  std::vector<ActiveRequest*> out;
  for (const auto& one : running) {
    if (one->leader != nullptr &&
        engine::has_read(*one->leader->active, *one->active, one->shared)) {
      take_over(*one);
    }
    if (one->leader == nullptr && !one->active->finished()) {
      out.push_back(&*one->active);
    }
  }
  return out;
}

std::vector<RunningBatch::Ended> RunningBatch::Impl::finished() {
  std::vector<Ended> ended;
  std::vector<const Running*> gone;
  for (const auto& one : running) {
    if (one->active->finished()) {
      ended.push_back({one->ticket, End::kReplied, one->active->take_reply()});
      gone.push_back(one.get());
    }
  }
  for (const Running* one : gone) {
    remove(one);
  }
  const MutexLock lock(mutex);
  num_running = running.size();
  return ended;
}

// Who waited for its beginning takes over what there is of it.
void RunningBatch::Impl::remove(const Running* gone) {
  for (const auto& one : running) {
    if (one->leader == gone) {
      take_over(*one);
    }
  }
  std::erase_if(running, [&](const auto& one) { return one.get() == gone; });
}

// A sequence may have been left between two states.
void RunningBatch::Impl::drop_everything() {
  for (const std::uint64_t session : sessions_in_use()) {
    core.sessions.erase(session);
  }
  running.clear();
  const MutexLock lock(mutex);
  waiting.clear();
  cancelled.clear();
  num_running = 0;
}

std::vector<std::uint64_t> RunningBatch::Impl::sessions_in_use() const {
  std::vector<std::uint64_t> sessions;
  for (const auto& one : running) {
    if (one->submission.request.session != 0) {
      sessions.push_back(one->submission.request.session);
    }
  }
  return sessions;
}

}  // namespace dreamgym

#include "dreamgym/env/deadline.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "tests/error_message.h"

namespace dreamgym {
namespace {

/// Answers "wait" only when the gate opens.
struct Gate {
  std::mutex mutex;
  std::condition_variable opened;
  bool open = false;

  void pass() {
    std::unique_lock lock(mutex);
    opened.wait(lock, [&] { return open; });
  }
  void unlock() {
    const std::lock_guard lock(mutex);
    open = true;
    opened.notify_all();
  }
};

class SlowRoom final : public Environment {
 public:
  explicit SlowRoom(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}
  Observation reset(const Task& task, std::uint64_t) override { return {task.instruction, {}}; }
  StepResult step(const Action& action) override {
    if (action == "wait") {
      gate_->pass();
    } else if (action == "break") {
      throw Error(ErrorKind::kUnsupported, "no such lever");
    }
    return {.observation = {"done: " + action, {}}};
  }

 private:
  std::shared_ptr<Gate> gate_;
};

TEST(DeadlineEnvironment, AnswersAndThrowsLikeTheOneInside) {
  DeadlineEnvironment room(std::make_unique<SlowRoom>(std::make_shared<Gate>()), 30);
  EXPECT_EQ(room.reset({.instruction = "go"}, 1).text, "go");
  EXPECT_EQ(room.step("push").observation.text, "done: push");
  EXPECT_TRUE(contains(message_of([&] { return room.step("break"); }), "no such lever"));
  EXPECT_EQ(room.step("push").observation.text, "done: push");
}

TEST(DeadlineEnvironment, GivesUpACallThatHangsAndEveryLaterOne) {
  const auto gate = std::make_shared<Gate>();
  {
    DeadlineEnvironment room(std::make_unique<SlowRoom>(gate), 0.02);
    (void)room.reset({.instruction = "go"}, 1);
    EXPECT_TRUE(contains(message_of([&] { return room.step("wait"); }), "took longer than 0.02 s"));
    EXPECT_TRUE(contains(message_of([&] { return room.step("push"); }), "given up"));
  }
  gate->unlock();  // the forgotten thread may end
}

}  // namespace
}  // namespace dreamgym

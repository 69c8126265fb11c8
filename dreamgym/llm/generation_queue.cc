#include "dreamgym/llm/generation_queue.h"

#include <map>
#include <memory>
#include <utility>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

// Of a model that can only answer all at once.
class GenerateQueue final : public GenerationQueue {
 public:
  explicit GenerateQueue(LanguageModel& model) : model_(model) {}

  void submit(std::uint64_t ticket, GenerationRequest request) override {
    check(waiting_.emplace(ticket, std::move(request)).second, "the tickets under way are distinct");
  }

  std::vector<Ended> collect(std::chrono::nanoseconds /*patience*/) override { return finish(); }

  std::vector<Ended> finish() override { return generate_all(model_, std::exchange(waiting_, {})); }

  [[nodiscard]] bool idle() const override { return waiting_.empty(); }

 private:
  LanguageModel& model_;
  std::map<std::uint64_t, GenerationRequest> waiting_;
};

}  // namespace

std::vector<GenerationQueue::Ended> GenerationQueue::generate_all(
    LanguageModel& model, std::map<std::uint64_t, GenerationRequest> requests) {
  std::vector<Ended> ended;
  std::vector<GenerationRequest> asked;
  for (auto& [ticket, request] : requests) {
    ended.push_back({ticket, {}});
    asked.push_back(std::move(request));
  }
  if (asked.empty()) {
    return ended;
  }
  std::vector<GenerationReply> replies = model.generate(asked);
  check(replies.size() == ended.size(), "a model answers every request");
  for (std::size_t i = 0; i < ended.size(); ++i) {
    ended[i].reply = std::move(replies[i]);
  }
  return ended;
}

std::unique_ptr<GenerationQueue> LanguageModel::open_queue() { return std::make_unique<GenerateQueue>(*this); }

}  // namespace dreamgym

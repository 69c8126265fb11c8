// Requests under way at a language model: each reply is there when it is done, not when the slowest is.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

#include "dreamgym/llm/language_model.h"

namespace dreamgym {

/// Replies are those of LanguageModel::generate(), whenever their requests came and whoever is beside them.
/// Destroyed with requests under way it drops them.
/// Thread safety: none. Lifetime: the model outlives the queue; nobody else asks it meanwhile, but sessions of no
/// request under way may be released.
class GenerationQueue {
 public:
  struct Ended {
    std::uint64_t ticket = 0;
    GenerationReply reply;
  };

  virtual ~GenerationQueue() = default;
  /// @param ticket  of the caller's choice; of no request under way. Neither is the request's session (0 apart).
  virtual void submit(std::uint64_t ticket, GenerationRequest request) = 0;
  /// Those that are done, by ticket; nothing if none is under way. A model that computes on the caller's thread goes
  /// on by a step, one that answers elsewhere is waited for, up to `patience`, until it has answered something.
  /// @throws Error as LanguageModel::generate(); a queue that threw is of no more use.
  virtual std::vector<Ended> collect(std::chrono::nanoseconds patience) = 0;
  /// Everything under way, by ticket, once all of it is done: for who has nothing else to do meanwhile.
  virtual std::vector<Ended> finish() = 0;
  /// Nothing is under way.
  [[nodiscard]] virtual bool idle() const = 0;

 protected:
  /// The requests, by ticket, in one generate().
  static std::vector<Ended> generate_all(LanguageModel& model, std::map<std::uint64_t, GenerationRequest> requests);
};

}  // namespace dreamgym

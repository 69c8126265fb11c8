// Asking a model again until an answer can be true: what every dream does with replies that contradict the record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace dreamgym::experience_internal {

/// From the best to the worst; of equals the first answer stands.
enum class Verdict {
  kGood,
  kContradicts,  ///< can be read and can't be true
  kUnreadable,
  kFailed,       ///< no answer, and asking again is of no use
};

struct AskingCounts {
  std::uint64_t asked_again = 0;
  std::uint64_t contradictions = 0;  ///< kept, because no answer was free of them
};

/// Asks about each query until its answer is good or failed, at most `attempts` times.
/// @param asked  the queries' indices.
/// @param ask    (indices, attempt from 1) -> a Reply each, in order.
/// @param judge  (index, reply) -> Verdict.
/// @return       of each query in `asked`, in order, its best answer.
template <class Reply, class Ask, class Judge>
std::vector<Reply> ask_until_consistent(std::span<const std::size_t> asked,
                                        std::size_t attempts,
                                        const Ask& ask,
                                        const Judge& judge,
                                        AskingCounts& counts) {
  struct Best {
    Reply reply{};
    std::optional<Verdict> verdict{};
  };
  std::vector<Best> best(asked.size());
  std::vector<std::size_t> open(asked.size());  // positions in `asked`
  for (std::size_t j = 0; j < open.size(); ++j) {
    open[j] = j;
  }
  for (std::size_t attempt = 1; !open.empty(); ++attempt) {
    std::vector<std::size_t> indices;
    for (const std::size_t j : open) {
      indices.push_back(asked[j]);
    }
    std::vector<Reply> replies = ask(std::span<const std::size_t>(indices), attempt);
    std::vector<std::size_t> again;
    for (std::size_t r = 0; r < open.size(); ++r) {
      Best& known = best[open[r]];
      const Verdict verdict = judge(indices[r], replies[r]);
      if (!known.verdict || verdict < *known.verdict) {
        known = {std::move(replies[r]), verdict};
      }
      const bool over = verdict == Verdict::kGood || verdict == Verdict::kFailed || attempt >= attempts;
      if (!over) {
        again.push_back(open[r]);
        ++counts.asked_again;
      } else if (*known.verdict == Verdict::kContradicts) {
        ++counts.contradictions;
      }
    }
    open = std::move(again);
  }
  std::vector<Reply> answers;
  answers.reserve(best.size());
  for (Best& one : best) {
    answers.push_back(std::move(one.reply));
  }
  return answers;
}

}  // namespace dreamgym::experience_internal

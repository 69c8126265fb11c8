#include "dreamgym/train/preference_packing.h"

#include <fmt/format.h>

#include <algorithm>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

constexpr std::size_t kChosen = 0;
constexpr std::size_t kRejected = 1;

std::size_t num_taught(const TokenRun& run) {
  return static_cast<std::size_t>(std::count_if(
      run.weights.begin(), run.weights.end(), [](float weight) { return weight > 0; }));
}

TokenRun tail_of(const TokenRun& run, std::size_t begin) {
  TokenRun out;
  for (std::size_t i = begin; i < run.size(); ++i) {
    out.append(run.tokens[i], run.parts[i], run.weights[i]);
  }
  return out;
}

void require_pair(const TrainingSequence& pair) {
  check(pair.branches.size() == 2, "a pair has two branches");
  check(num_taught(pair.trunk) == 0, "a pair's trunk carries no loss");
  check(num_taught(pair.branches[kChosen].run) > 0, "a chosen tail has taught tokens");
  check(num_taught(pair.branches[kRejected].run) > 0, "a rejected tail has taught tokens");
}

}  // namespace

TrainingSequence preference_sequence(const TrainingSequence& chosen,
                                     const TrainingSequence& rejected) {
  const TokenRun& good = chosen.trunk;
  const TokenRun& bad = rejected.trunk;
  std::size_t shared = 0;
  while (shared < std::min(good.size(), bad.size()) && good.tokens[shared] == bad.tokens[shared]) {
    ++shared;
  }
  const bool they_part = shared < std::min(good.size(), bad.size());
  while (shared > 0 && good.weights[shared - 1] > 0) {
    --shared;  // back to the beginning of the turn, so that both tails hold all of it
  }
  TrainingSequence out;
  out.trunk.append(std::span(good.tokens).first(shared), LossPart::kNone, 0.0F);
  for (const TokenRun* run : {&good, &bad}) {
    out.branches.push_back({.trunk_end = shared, .run = tail_of(*run, shared)});
  }
  const bool has_tails =
      num_taught(out.branches[kChosen].run) > 0 && num_taught(out.branches[kRejected].run) > 0;
  if (!they_part || shared == 0 || !has_tails) {
    throw Error(
        ErrorKind::kInvalidArgument,
        fmt::format("a preference pair of {} and {} tokens that share {} has no two tails to "
                    "compare",
                    good.size(),
                    bad.size(),
                    shared),
        "raise the longest sequence allowed, or leave the pair out");
  }
  return out;
}

PackedPairs pack_pairs(std::span<const TrainingSequence* const> pairs, std::size_t max_tokens) {
  for (const TrainingSequence* pair : pairs) {
    require_pair(*pair);
  }
  PackedPairs out;
  out.taught = pack_sequences(pairs, max_tokens);
  out.of_batch.resize(out.taught.batches.size());
  std::size_t batch = 0;
  std::size_t next = 0;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    if (next == out.taught.batches[batch].queries.size()) {
      ++batch;
      next = 0;
    }
    const PairPlace place = {.batch = batch,
                             .begin = next,
                             .chosen = num_taught(pairs[p]->branches[kChosen].run),
                             .rejected = num_taught(pairs[p]->branches[kRejected].run)};
    out.places.push_back(place);
    out.of_batch[batch].push_back(p);
    next += place.chosen + place.rejected;
  }
  return out;
}

TailSums sum_tails(std::span<const TokenScore> scores, const PairPlace& place) {
  TailSums sums;
  const std::size_t middle = place.begin + place.chosen;
  for (std::size_t q = place.begin; q < middle; ++q) {
    sums.chosen += scores[q].logprob;
  }
  for (std::size_t q = middle; q < middle + place.rejected; ++q) {
    sums.rejected += scores[q].logprob;
  }
  return sums;
}

}  // namespace dreamgym

#include "dreamgym/train/packing.h"

#include "dreamgym/base/error.h"
#include "dreamgym/train/episode_tokens.h"

namespace dreamgym {
namespace {

bool has_loss(const TokenRun& run) {
  for (const float weight : run.weights) {
    if (weight > 0) {
      return true;
    }
  }
  return false;
}

bool has_loss(const TrainingSequence& sequence) {
  if (has_loss(sequence.trunk)) {
    return true;
  }
  for (const auto& branch : sequence.branches) {
    if (has_loss(branch.run)) {
      return true;
    }
  }
  return false;
}

// Adds the weighted tokens of a run (a segment already in the batch) as queries.
void add_queries(TaughtBatches& out, std::uint32_t segment, const TokenRun& run, bool is_trunk) {
  PackedBatch& batch = out.batches.back();
  for (std::size_t i = is_trunk ? 1 : 0; i < run.size(); ++i) {
    if (run.weights[i] <= 0) {
      continue;
    }
    batch.add_query(segment, static_cast<std::uint32_t>(i));
    out.weights.back().push_back(run.weights[i]);
    out.parts.back().push_back(run.parts[i]);
    out.total_weight += run.weights[i];
  }
}

}  // namespace

TaughtBatches pack_sequences(std::span<const TrainingSequence* const> sequences,
                             std::size_t max_tokens) {
  TaughtBatches out;
  for (const TrainingSequence* sequence : sequences) {
    if (!has_loss(*sequence)) {
      continue;
    }
    const std::size_t size = sequence->num_tokens();
    if (out.batches.empty() || out.batches.back().num_tokens() + size > max_tokens) {
      out.batches.emplace_back();
      out.weights.emplace_back();
      out.parts.emplace_back();
    }
    PackedBatch& batch = out.batches.back();
    const std::uint32_t trunk = batch.add_segment(sequence->trunk.tokens);
    add_queries(out, trunk, sequence->trunk, true);
    for (const auto& branch : sequence->branches) {
      const std::uint32_t segment = batch.add_segment(
          branch.run.tokens, trunk, static_cast<std::uint32_t>(branch.trunk_end));
      add_queries(out, segment, branch.run, false);
    }
    out.num_tokens += size;
  }
  return out;
}

PlayedBatches pack_episodes(std::span<const Episode* const> episodes, std::size_t max_tokens) {
  PlayedBatches out;
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    const TokenLedger& ledger = episodes[e]->ledger;
    std::size_t last = 0;  // nothing after the last trainable token needs to be computed
    for (std::size_t i = 1; i < ledger.size(); ++i) {
      last = ledger.trainable(i) ? i : last;
    }
    if (last == 0) {
      continue;
    }
    if (out.batches.empty() || out.batches.back().num_tokens() + last + 1 > max_tokens) {
      out.batches.emplace_back();
      out.episode.emplace_back();
      out.turn.emplace_back();
      out.old_logprobs.emplace_back();
    }
    PackedBatch& batch = out.batches.back();
    const std::uint32_t segment =
        batch.add_segment(std::span<const TokenId>(ledger.tokens()).first(last + 1));
    const std::vector<std::size_t> turns =
        episode_tokens(ledger, std::vector<double>(episodes[e]->trajectory.steps.size())).turns;
    out.turn.back().insert(out.turn.back().end(), turns.begin(), turns.end());
    for (std::size_t i = 1; i <= last; ++i) {
      if (!ledger.trainable(i)) {
        continue;
      }
      batch.add_query(
          segment, static_cast<std::uint32_t>(i), ledger.temperature(i), ledger.allowed(i));
      out.episode.back().push_back(e);
      out.old_logprobs.back().push_back(ledger.logprob(i));
      ++out.num_queries;
    }
    out.num_tokens += last + 1;
  }
  return out;
}

}  // namespace dreamgym

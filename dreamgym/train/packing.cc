#include "dreamgym/train/packing.h"

#include <algorithm>
#include <numeric>


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

// Nothing after the last trainable token needs to be computed; empty without one.
std::span<const TokenId> up_to_the_last_choice(const TokenLedger& ledger) {
  std::size_t last = 0;
  for (std::size_t i = 1; i < ledger.size(); ++i) {
    last = ledger.trainable(i) ? i : last;
  }
  return std::span(ledger.tokens()).first(last == 0 ? 0 : last + 1);
}

// Where the tokens of the context added last lie in a batch, so that the next one continues it from
// the point where the two part.
class SharedPrefixes {
 public:
  /// Tokens at the front that a context would not compute again.
  [[nodiscard]] std::size_t shared(std::span<const TokenId> context) const {
    const auto parted = std::ranges::mismatch(context, tokens_);
    const auto count = static_cast<std::size_t>(parted.in1 - context.begin());
    return count < kWorthABranch ? 0 : count;
  }

  void add(std::span<const TokenId> context, PackedBatch& batch) {
    const std::size_t begin = shared(context);
    while (!links_.empty() && links_.back().begin >= begin) {
      links_.pop_back();
    }
    if (begin < context.size()) {
      const std::span<const TokenId> rest = context.subspan(begin);
      const std::uint32_t segment =
          links_.empty() ? batch.add_segment(rest)
                         : batch.add_segment(rest,
                                             links_.back().segment,
                                             static_cast<std::uint32_t>(begin - links_.back().begin));
      links_.push_back({segment, begin});
    }
    tokens_ = context;
  }

  /// Asks for token i of the context added last.
  void add_query(std::size_t i, const TokenLedger& ledger, PackedBatch& batch) const {
    auto link = links_.rbegin();
    while (link->begin > i) {
      ++link;
    }
    batch.add_query(link->segment,
                    static_cast<std::uint32_t>(i - link->begin),
                    ledger.temperature(i),
                    ledger.allowed(i));
  }

 private:
  static constexpr std::size_t kWorthABranch = 8;

  struct Link {
    std::uint32_t segment = 0;
    std::size_t begin = 0;  // of the context's tokens
  };

  std::span<const TokenId> tokens_;  // borrowed from the episode's ledger
  std::vector<Link> links_;          // segments that the context runs through
};

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
  std::vector<std::size_t> order(episodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t e) { return episodes[e]->group; });
  PlayedBatches out;
  SharedPrefixes prefixes;
  for (const std::size_t e : order) {
    std::size_t first = 0;
    for (const TokenLedger& ledger : episodes[e]->ledgers) {
      const std::span<const TokenId> context = up_to_the_last_choice(ledger);
      if (context.empty()) {
        continue;
      }
      const std::size_t computed = context.size() - prefixes.shared(context);
      if (out.batches.empty() || out.batches.back().num_tokens() + computed > max_tokens) {
        out.batches.emplace_back();
        out.old_logprobs.emplace_back();
        prefixes = {};
      }
      prefixes.add(context, out.batches.back());
      SamplePlace place{.episode = e,
                        .first = first,
                        .batch = out.batches.size() - 1,
                        .begin = out.batches.back().queries.size()};
      for (std::size_t i = 1; i < context.size(); ++i) {
        if (ledger.trainable(i)) {
          prefixes.add_query(i, ledger, out.batches.back());
          out.old_logprobs.back().push_back(ledger.logprob(i));
          ++place.count;
        }
      }
      first += place.count;
      out.num_queries += place.count;
      out.places.push_back(place);
    }
  }
  for (const PackedBatch& batch : out.batches) {
    out.num_tokens += batch.num_tokens();
  }
  return out;
}

}  // namespace dreamgym

#include "dreamgym/nn/engine/prefix_sharing.h"

#include <algorithm>

namespace dreamgym::engine {
namespace {

// All of a context but its last token, which has to be computed to be continued.
std::span<const TokenId> shareable(const ActiveRequest& request) {
  const auto& context = request.request().context;
  return std::span(context).first(context.size() - 1);
}

}  // namespace

std::size_t common_length(std::span<const TokenId> a, std::span<const TokenId> b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

std::vector<PrefixChain> find_prefix_chains(std::span<ActiveRequest* const> requests) {
  std::vector<ActiveRequest*> fresh;
  for (ActiveRequest* request : requests) {
    if (!request->finished() && request->sequence().size() == 0) {
      fresh.push_back(request);
    }
  }
  // Sorted, a context stands beside the one it has most in common with.
  std::ranges::stable_sort(fresh, [](const ActiveRequest* a, const ActiveRequest* b) {
    return std::ranges::lexicographical_compare(shareable(*a), shareable(*b));
  });
  std::vector<PrefixChain> chains;
  bool follows = false;
  for (std::size_t i = 1; i < fresh.size(); ++i) {
    const std::size_t shared = common_length(shareable(*fresh[i - 1]), shareable(*fresh[i]));
    if (shared < kPanelWidth) {
      follows = false;
      continue;
    }
    if (!follows) {
      chains.push_back({{{fresh[i - 1], 0}}});
      follows = true;
    }
    chains.back().members.push_back({fresh[i], shared});
  }
  return chains;
}

// Each member is read as far as the next one needs it; that one takes it over.
void Decoder::read_chain(const PrefixChain& chain, EngineCounters& counters) {
  for (std::size_t i = 1; i < chain.members.size(); ++i) {
    const ActiveRequest& leader = *chain.members[i - 1].request;
    const std::size_t shared = chain.members[i].shared;
    CachedSequence& sequence = leader.sequence();
    sequence.plan_snapshot(shared);
    while (sequence.size() < shared) {
      const std::size_t count = std::min(chunk_tokens_, shared - sequence.size());
      const PassPart part{&sequence, leader.unread().first(count), 0};
      pass_.run(std::span(&part, 1));
      counters.prefill_tokens += count;
    }
    counters.reused_tokens +=
        chain.members[i].request->sequence().share_prefix(sequence, shared);
  }
}

}  // namespace dreamgym::engine

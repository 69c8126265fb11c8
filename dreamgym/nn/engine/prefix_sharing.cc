#include "dreamgym/nn/engine/prefix_sharing.h"

#include <algorithm>

namespace dreamgym::engine {
namespace {

// Tokens the follower does not compute.
std::size_t reusable(const ActiveRequest& follower, std::size_t shared) {
  return std::min(shared, follower.request().context.size() - 1);
}

}  // namespace

void plan_sharing(const ActiveRequest& leader, const ActiveRequest& follower, std::size_t shared) {
  leader.sequence().plan_snapshot(reusable(follower, shared));
}

bool has_read(const ActiveRequest& leader, const ActiveRequest& follower, std::size_t shared) {
  return leader.sequence().num_stored() >= shared &&
         leader.sequence().size() >= reusable(follower, shared);
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
    return a->request().context < b->request().context;
  });
  std::vector<PrefixChain> chains;
  bool follows = false;
  for (std::size_t i = 1; i < fresh.size(); ++i) {
    const std::size_t shared =
        common_length(fresh[i - 1]->request().context, fresh[i]->request().context);
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
    ActiveRequest* leader = chain.members[i - 1].request;
    const auto& [follower, shared] = chain.members[i];
    plan_sharing(*leader, *follower, shared);
    while (!has_read(*leader, *follower, shared)) {
      run_pass(std::span(&leader, 1), counters);
    }
    counters.reused_tokens +=
        follower->sequence().share_prefix(leader->sequence(), follower->request().context);
  }
}

}  // namespace dreamgym::engine

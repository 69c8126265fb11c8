// Requests of one call that begin alike: the common beginning is read once.
//
// Thread safety: reentrant.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dreamgym/nn/engine/decoding.h"

namespace dreamgym::engine {

/// Requests in an order in which each begins like the one before it.
struct PrefixChain {
  struct Member {
    ActiveRequest* request = nullptr;
    std::size_t shared = 0;  ///< leading tokens in common with the member before; 0 for the first
  };
  std::vector<Member> members;  ///< at least two
};

/// Asks the leader to remember where the follower will go on.
/// @param shared  leading tokens of the follower's context that the leader reads as well.
void plan_sharing(const ActiveRequest& leader, const ActiveRequest& follower, std::size_t shared);

/// Whether the leader has read the shared tokens. A context's last token is computed by each, for what
/// follows it, but its key and value are not the follower's own.
bool has_read(const ActiveRequest& leader, const ActiveRequest& follower, std::size_t shared);

/// Chains of the unfinished requests of which nothing is cached. Beginnings shorter than a cache
/// block are not worth sharing.
std::vector<PrefixChain> find_prefix_chains(std::span<ActiveRequest* const> requests);

}  // namespace dreamgym::engine

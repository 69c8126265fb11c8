// The memory of a run as its configuration wants it: embedder, index, capacity.
#pragma once

#include <memory>

#include "dreamgym/base/file.h"
#include "dreamgym/config/replay_config.h"
#include "dreamgym/replay/replay_buffer.h"

namespace dreamgym {

/// @param cache_file  where an encoder's vectors are kept; "" = in memory only. Not used by hashed n-grams.
/// @throws Error kNotFound for an encoder that is not there; kIo for a server that does not answer;
///         kInvalidArgument naming both if the cache is of another encoder.
std::shared_ptr<const Embedder> make_embedder(const ReplayConfig& config, const Path& cache_file);

/// The buffer kept in a store; vectors of an encoder are kept beside it, in `store`.embeddings.
std::unique_ptr<ReplayBuffer> open_buffer(const ReplayConfig& config, const Path& store);

/// The buffer of a run that has been prepared: it holds what the run's logs taught.
/// @throws Error kCorrupt if its store is gone or holds no real transition; nothing is created then.
std::unique_ptr<ReplayBuffer> open_run_buffer(const ReplayConfig& config, const Path& run_folder);

}  // namespace dreamgym

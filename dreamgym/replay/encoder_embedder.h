// Keys of transitions from a text encoder: a sentence model run natively (MiniLM), or an embeddings endpoint.
//
// A pair's key is sqrt(1 - w) phi(state) + sqrt(w) phi(action), brought to length 1, w the action's share: its
// similarity to another is then about w times the actions' plus 1 - w times the states'. (One text of both would
// lose the action wherever an encoder cuts long states.)
// States and actions recur, so every text is encoded once: vectors are kept in memory and, if wanted, in a file that
// names the encoder (docs/formats/embedding_cache.md), so that a start does not encode everything anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/base/mutex.h"
#include "dreamgym/llm/embedder.h"

namespace dreamgym {

/// Several texts to vectors at once.
/// Thread safety: calls must not overlap.
class TextEncoder {
 public:
  virtual ~TextEncoder() = default;
  [[nodiscard]] virtual std::size_t dimension() const = 0;
  /// [texts][dimension] vectors of length 1. @throws Error kIo if there is no answer.
  virtual std::vector<std::vector<float>> encode(std::span<const std::string> texts) = 0;
  [[nodiscard]] virtual std::string name() const = 0;
};

/// A state and an action.
using StateAction = std::pair<std::string_view, std::string_view>;

class EncoderEmbedder final : public Embedder {
 public:
  struct Options {
    double action_share = 0.5;          ///< w, in [0, 1]
    std::size_t max_cached = 200'000;   ///< texts; further ones are encoded each time
    std::size_t batch = 64;             ///< texts of one call
    Path cache_file{};                  ///< "" = in memory only
  };

  /// @throws Error kInvalidArgument for a share out of range, and naming both if the cache file is of another encoder
  ///         or dimension. What a crash left half written at the file's end is dropped.
  EncoderEmbedder(std::shared_ptr<TextEncoder> encoder, Options options);

  [[nodiscard]] std::size_t dimension() const override { return encoder_->dimension(); }
  [[nodiscard]] std::vector<float> embed(std::string_view text) const override;
  [[nodiscard]] std::vector<float> embed_pair(std::string_view state, std::string_view action) const override;
  [[nodiscard]] std::string name() const override;

  /// The same of several pairs, with as few calls of the encoder as there can be.
  [[nodiscard]] std::vector<std::vector<float>> embed_pairs(std::span<const StateAction> pairs) const;
  [[nodiscard]] std::size_t num_cached() const;

 private:
  using Vectors = std::unordered_map<std::uint64_t, std::vector<float>>;

  void load_cache();
  /// The vectors of all the texts, by their hashes.
  Vectors vectors_of(std::span<const std::string_view> texts) const DREAMGYM_REQUIRES(mutex_);
  void keep(std::uint64_t key, const std::vector<float>& vector) const DREAMGYM_REQUIRES(mutex_);

  std::shared_ptr<TextEncoder> encoder_;
  Options options_;
  mutable Mutex mutex_;
  mutable Vectors cached_ DREAMGYM_GUARDED_BY(mutex_);
  mutable std::ofstream file_ DREAMGYM_GUARDED_BY(mutex_);
};

/// Keys of several pairs: in one go where the embedder can, else on several threads.
std::vector<std::vector<float>> embed_pairs(const Embedder& embedder,
                                            std::span<const StateAction> pairs,
                                            std::size_t num_threads);

}  // namespace dreamgym

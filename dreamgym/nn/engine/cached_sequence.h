// What the engine remembers of one sequence: keys, values and convolution tails.
//
// Keys and values sit in blocks of kPanelWidth tokens, each [layer][kv head]{key block, value
// block} (kernels.h). Going back to an earlier length costs nothing for them: later tokens are
// written over. The convolutions also need their inputs of the last taps - 1 tokens, so these tails
// are remembered at a few lengths (snapshots), and a sequence goes back to the last of them.
//
// Thread safety: none. Lifetime: the pool outlives the sequence.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "dreamgym/llm/checkpoint/transformer_config.h"
#include "dreamgym/llm/tokenizer.h"
#include "dreamgym/nn/engine/block_pool.h"
#include "dreamgym/nn/kernels/aligned_floats.h"
#include "dreamgym/nn/kernels/kernels.h"

namespace dreamgym::engine {

/// Sizes of the memory of a sequence, in floats: of blocks as they lie in host memory, and of tails.
struct CacheShape {
  /// @param format  of keys and values; not kInt8.
  explicit CacheShape(const TransformerConfig& config,
                      NumberFormat format = NumberFormat::kFloat32);

  NumberFormat format = NumberFormat::kFloat32;
  std::size_t head_dim = 0;
  std::size_t num_kv_heads = 0;
  std::size_t key_floats = 0;    ///< of a key block
  std::size_t value_floats = 0;  ///< of a value block
  std::size_t scale_floats = 0;  ///< of both blocks' scales behind them, int16 only
  std::size_t value_stride = 0;
  std::size_t block_floats = 0;
  std::size_t hidden_stride = 0;
  std::size_t tail_rows = 0;    ///< taps - 1, or 0 without convolutions
  std::size_t num_tails = 0;    ///< two a layer: attention's, then the MLP's
  std::size_t tail_floats = 0;  ///< of all tails

  /// Writes a token's key and value [head_dim] of one head.
  /// @param lane   of the token in its block. @param block  the key block, the value block behind it.
  void store(std::size_t lane, const float* key, const float* value, float* block) const;

  [[nodiscard]] std::size_t key_offset(std::size_t layer, std::size_t head) const {
    return (layer * num_kv_heads + head) * (key_floats + value_floats + scale_floats);
  }
  [[nodiscard]] std::size_t value_offset(std::size_t layer, std::size_t head) const {
    return key_offset(layer, head) + key_floats;
  }
  [[nodiscard]] std::size_t scale_offset(std::size_t layer, std::size_t head) const {
    return value_offset(layer, head) + value_floats;
  }
};

/// Leading tokens in common.
std::size_t common_length(std::span<const TokenId> a, std::span<const TokenId> b);

/// Blocks are shared with sequences that begin alike; a shared one is copied before it is written.
/// Keys and values may be there of more tokens than are computed: of those a rewind went back over, and
/// of a context's last token, which is computed for what follows it even where another sequence had it.
/// Computed again they are the same, bit for bit, so they are not written and their block stays shared.
/// Invariant: size() <= num_stored(); tails are those after size() tokens.
class CachedSequence {
 public:
  static constexpr std::size_t kMaxSnapshots = 8;

  CachedSequence(const CacheShape& shape, BlockPool& pool);

  /// Tokens that are computed.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Tokens whose keys and values are there.
  [[nodiscard]] std::size_t num_stored() const { return tokens_.size(); }

  /// Goes back to where `context` departs from what is cached (before its last token, so that there
  /// is something to compute), or to the last snapshot before that. Returns the new size.
  std::size_t rewind_to_common(std::span<const TokenId> context);

  /// Takes over what another sequence holds of the beginning of `context`; all of it but the context's
  /// last token, or as many as that one has a snapshot for, count as computed. Nothing of this one has
  /// been. Returns the new size.
  std::size_t share_prefix(const CachedSequence& other, std::span<const TokenId> context);

  /// Asks for a snapshot when the sequence is `length` tokens long; one already past is ignored.
  void plan_snapshot(std::size_t length);

  /// Makes room for these tokens, which are about to be computed; those from num_stored() on are then to
  /// be written. Pointers from blocks() and block() hold until the next call.
  void reserve_blocks(std::span<const TokenId> next);
  [[nodiscard]] const float* const* blocks() const { return block_starts_.data(); }
  [[nodiscard]] float* block(std::size_t index) { return blocks_[index]->start; }
  /// Its number in the pool's memory.
  [[nodiscard]] std::size_t block_index(std::size_t index) const { return blocks_[index]->index; }

  /// The tail_rows inputs before the next token of convolution `index`.
  [[nodiscard]] const float* tail(std::size_t index) const;
  /// Takes the tail (and planned snapshots) of convolution `index` after num_new more tokens.
  /// @param inputs  [tail_rows + num_new, hidden_stride]: the old tail, then the new tokens'.
  void advance_tail(std::size_t index, const float* inputs, std::size_t num_new);
  /// Counts tokens whose keys, values and tails are now all there.
  void commit(std::span<const TokenId> tokens);

  /// Shared blocks count in parts.
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Snapshot {
    std::size_t length = 0;
    AlignedFloats tails;  // all of them
  };

  void own_block(std::size_t index);

  CacheShape shape_;
  std::vector<TokenId> tokens_;  // whose keys and values are stored
  std::size_t size_ = 0;
  BlockPool* pool_;
  std::vector<std::shared_ptr<CacheBlock>> blocks_;
  std::vector<const float*> block_starts_;
  AlignedFloats tails_;              // [num_tails, tail_rows, hidden_stride]
  std::vector<Snapshot> snapshots_;  // ascending length; those longer than size() are planned
};

}  // namespace dreamgym::engine

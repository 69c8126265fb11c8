// Keys and values on a device of libtorch, in one slab that doubles when it is full.
//
// While it doubles, the old slab and the new one are both there.
// Thread safety: none.
#pragma once

#include <cstddef>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dreamgym/llm/checkpoint/transformer_config.h"
#include "dreamgym/nn/engine/block_pool.h"

namespace dreamgym::internal {

class TorchBlockMemory final : public engine::BlockMemory {
 public:
  /// @param type  of keys and values: kFloat or kBFloat16.
  TorchBlockMemory(const TransformerConfig& config, at::Device device, at::ScalarType type);

  std::vector<float*> grow() override;
  void clear(const engine::CacheBlock& block) override;
  void copy(const engine::CacheBlock& from, const engine::CacheBlock& to) override;
  [[nodiscard]] std::size_t block_bytes() const override;

  [[nodiscard]] at::ScalarType type() const { return type_; }
  /// A view [blocks, kPanelWidth tokens, kv heads, head_dim] of a layer's keys, until the slab grows.
  [[nodiscard]] at::Tensor keys(std::size_t layer) const { return part(layer, 0); }
  /// The same of its values.
  [[nodiscard]] at::Tensor values(std::size_t layer) const { return part(layer, 1); }

 private:
  [[nodiscard]] at::Tensor part(std::size_t layer, std::int64_t which) const;

  const at::Device device_;
  const at::ScalarType type_;
  std::vector<std::int64_t> shape_;  // [blocks, layers, keys or values, tokens, kv heads, head_dim]
  at::Tensor slab_;
};

}  // namespace dreamgym::internal

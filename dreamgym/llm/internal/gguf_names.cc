#include "dreamgym/llm/internal/gguf_names.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace dreamgym {
namespace {

using Names = std::pair<std::string_view, std::string_view>;

constexpr std::array<Names, 3> kOutside = {
    {{"model.embed_tokens", "token_embd"}, {"model.norm", "output_norm"}, {"lm_head", "output"}}};
constexpr std::array<Names, 11> kInside = {{{"input_layernorm", "attn_norm"},
                                            {"post_attention_layernorm", "ffn_norm"},
                                            {"self_attn.q_proj", "attn_q"},
                                            {"self_attn.k_proj", "attn_k"},
                                            {"self_attn.v_proj", "attn_v"},
                                            {"self_attn.o_proj", "attn_output"},
                                            {"self_attn.q_norm", "attn_q_norm"},
                                            {"self_attn.k_norm", "attn_k_norm"},
                                            {"mlp.gate_proj", "ffn_gate"},
                                            {"mlp.up_proj", "ffn_up"},
                                            {"mlp.down_proj", "ffn_down"}}};

enum class Order { kHalves, kPairs };

/// Row of a head that holds one side of a rotated pair.
std::int64_t row_of(Order order, std::int64_t pair, std::int64_t side, std::int64_t head_dim) {
  return order == Order::kHalves ? side * (head_dim / 2) + pair : pair * 2 + side;
}

std::vector<float> reordered(const std::vector<float>& rows,
                             std::int64_t num_heads,
                             std::int64_t head_dim,
                             Order from,
                             Order to) {
  const std::int64_t width =
      static_cast<std::int64_t>(rows.size()) / (num_heads * head_dim);  // of a row
  std::vector<float> out(rows.size());
  for (std::int64_t head = 0; head < num_heads; ++head) {
    for (std::int64_t i = 0; i < head_dim; ++i) {
      const std::int64_t source = head * head_dim + row_of(from, i / 2, i % 2, head_dim);
      const std::int64_t target = head * head_dim + row_of(to, i / 2, i % 2, head_dim);
      std::copy_n(rows.begin() + source * width, width, out.begin() + target * width);
    }
  }
  return out;
}

}  // namespace

std::optional<std::string> gguf_name(const std::string& name) {
  constexpr std::string_view kLayers = "model.layers.";
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) {
    return std::nullopt;
  }
  std::string_view stem = std::string_view(name).substr(0, dot);
  const std::string kind = name.substr(dot);  // ".weight", ".bias"
  if (!stem.starts_with(kLayers)) {
    const auto* const found = std::ranges::find(kOutside, stem, &Names::first);
    return found == kOutside.end() ? std::nullopt
                                   : std::optional(std::string(found->second) + kind);
  }
  stem.remove_prefix(kLayers.size());
  const std::size_t number_end = std::min(stem.find('.'), stem.size());
  const std::string_view part = stem.substr(std::min(number_end + 1, stem.size()));
  const auto* const found = std::ranges::find(kInside, part, &Names::first);
  if (found == kInside.end()) {
    return std::nullopt;
  }
  std::string gguf = "blk.";
  return gguf.append(stem.substr(0, number_end)).append(".").append(found->second).append(kind);
}

std::int64_t num_permuted_heads(const std::string& name, const TransformerConfig& config) {
  if (config.family != "llama") {
    return 0;
  }
  if (name.ends_with("self_attn.q_proj.weight")) {
    return config.num_heads;
  }
  return name.ends_with("self_attn.k_proj.weight") ? config.num_kv_heads : 0;
}

std::vector<float> pairs_together(const std::vector<float>& rows,
                                  std::int64_t num_heads,
                                  std::int64_t head_dim) {
  return reordered(rows, num_heads, head_dim, Order::kHalves, Order::kPairs);
}

std::vector<float> halves_together(const std::vector<float>& rows,
                                   std::int64_t num_heads,
                                   std::int64_t head_dim) {
  return reordered(rows, num_heads, head_dim, Order::kPairs, Order::kHalves);
}

}  // namespace dreamgym

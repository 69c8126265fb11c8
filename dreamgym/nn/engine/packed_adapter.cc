#include "dreamgym/nn/engine/packed_adapter.h"

#include <algorithm>
#include <functional>
#include <span>

#include "dreamgym/nn/internal/adapter_layout.h"

namespace dreamgym::engine {
namespace {

using internal::LowRankTerm;

class AdapterPacker {
 public:
  AdapterPacker(const LoraAdapter& adapter, const TransformerConfig& config)
      : layout_(internal::adapter_layout(adapter, config)),
        flat_(layout_.flat.count),
        hidden_(static_cast<std::size_t>(config.hidden_size)),
        heads_(static_cast<std::size_t>((config.num_heads + 2 * config.num_kv_heads) *
                                        config.head_dim)),
        intermediate_(static_cast<std::size_t>(config.intermediate_size)) {
    internal::copy_in(adapter, layout_, flat_.data());
  }

  [[nodiscard]] PackedAdapter pack() const {
    PackedAdapter packed;
    const auto as_it_is = [](std::size_t column) { return column; };
    const auto interleaved = [this](std::size_t column) {
      return column < intermediate_ ? gate_column(column)
                                    : gate_column(column - intermediate_) + kPanelWidth / 2;
    };
    const std::size_t gate_up = 2 * round_up(intermediate_, kPanelWidth / 2);
    for (const internal::LayerTerms& of : layout_.layers) {
      const PackedLayerTerms& layer =
          packed.layers.emplace_back(terms_of(of.query_key_value, heads_, as_it_is),
                                     terms_of(of.attention_out, hidden_, as_it_is),
                                     terms_of(of.gate_up, gate_up, interleaved),
                                     terms_of(of.down, hidden_, as_it_is));
      for (const PackedTerms* terms :
           {&layer.query_key_value, &layer.attention_out, &layer.gate_up, &layer.down}) {
        packed.inner_columns = std::max(packed.inner_columns, terms->inner.columns());
      }
    }
    return packed;
  }

 private:
  // @param num_columns  of the product. @param place  a column of the trainer's product in the engine's.
  [[nodiscard]] PackedTerms terms_of(const std::vector<LowRankTerm>& terms,
                                     std::size_t num_columns,
                                     const std::function<std::size_t(std::size_t)>& place) const {
    PackedTerms packed;
    if (terms.empty()) {
      return packed;
    }
    const std::size_t rank = layout_.rank;
    const std::size_t depth = terms.size() * rank;
    std::vector<std::span<const float>> inner;
    packed.outer = empty_matrix(NumberFormat::kFloat32, num_columns, depth);
    for (std::size_t t = 0; t < terms.size(); ++t) {
      const LowRankTerm& term = terms[t];
      inner.emplace_back(flat_.data() + term.a, rank * term.in);
      std::vector<float> column(depth);
      for (std::size_t row = 0; row < term.out; ++row) {
        const float* values = flat_.data() + term.b + row * rank;
        std::transform(values, values + rank, column.data() + t * rank, [&](float value) {
          return layout_.scale * value;
        });
        set_column(packed.outer, place(term.first_column + row), column);
      }
    }
    packed.inner = pack_rows(NumberFormat::kFloat32, inner, terms.front().in);
    return packed;
  }

  internal::AdapterLayout layout_;
  std::vector<float> flat_;
  std::size_t hidden_;
  std::size_t heads_;
  std::size_t intermediate_;
};

}  // namespace

PackedAdapter pack_adapter(const LoraAdapter& adapter, const TransformerConfig& config) {
  return AdapterPacker(adapter, config).pack();
}

}  // namespace dreamgym::engine

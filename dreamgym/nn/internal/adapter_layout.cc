#include "dreamgym/nn/internal/adapter_layout.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "dreamgym/base/error.h"

namespace dreamgym::internal {
namespace {

// A matrix of a layer: its name without "model.layers.N." and ".weight", the product it is part
// of, and the matrices before it in that product's block.
struct Place {
  std::string_view name;
  std::vector<LowRankTerm> LayerTerms::*product;
  std::vector<std::string_view> before;
};

const std::array<Place, 7>& places() {
  static const std::array<Place, 7> kPlaces = {{
      {"self_attn.q_proj", &LayerTerms::query_key_value, {}},
      {"self_attn.k_proj", &LayerTerms::query_key_value, {"self_attn.q_proj"}},
      {"self_attn.v_proj",
       &LayerTerms::query_key_value,
       {"self_attn.q_proj", "self_attn.k_proj"}},
      {"self_attn.o_proj", &LayerTerms::attention_out, {}},
      {"mlp.gate_proj", &LayerTerms::gate_up, {}},
      {"mlp.up_proj", &LayerTerms::gate_up, {"mlp.gate_proj"}},
      {"mlp.down_proj", &LayerTerms::down, {}},
  }};
  return kPlaces;
}

std::string matrix_name(std::int64_t layer, std::string_view name) {
  return fmt::format("model.layers.{}.{}.weight", layer, name);
}

void check_pair(const std::string& name,
                const LoraAdapter::Pair& pair,
                const std::vector<std::int64_t>& shape,
                std::int64_t rank) {
  const std::vector<std::int64_t> a{rank, shape[1]};
  const std::vector<std::int64_t> b{shape[0], rank};
  if (pair.a.shape != a || pair.b.shape != b) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("the adapter of \"{}\" has shapes {} and {}, expected {} and {}",
                            name,
                            shape_text(pair.a.shape),
                            shape_text(pair.b.shape),
                            shape_text(a),
                            shape_text(b)));
  }
}

class AdapterLayoutBuilder {
 public:
  AdapterLayoutBuilder(const LoraAdapter& adapter, const TransformerConfig& config)
      : adapter_(adapter), shapes_(parameter_shapes(config)) {
    layout_.rank = static_cast<std::size_t>(adapter.rank);
    layout_.scale = static_cast<float>(adapter.scale());
    layout_.layers.resize(static_cast<std::size_t>(config.num_layers));
  }

  void add(std::int64_t layer, const Place& place) {
    const std::string name = matrix_name(layer, place.name);
    const auto found = adapter_.pairs.find(name);
    if (found == adapter_.pairs.end()) {
      return;
    }
    const auto& shape = shapes_.at(name);
    check_pair(name, found->second, shape, adapter_.rank);
    LowRankTerm term{.first_column = 0,
                     .out = static_cast<std::size_t>(shape[0]),
                     .in = static_cast<std::size_t>(shape[1])};
    for (const std::string_view before : place.before) {
      term.first_column += static_cast<std::size_t>(shapes_.at(matrix_name(layer, before))[0]);
    }
    term.a = append(lora_array_name(name, 'A'), layout_.rank, term.in);
    term.b = append(lora_array_name(name, 'B'), term.out, layout_.rank);
    (layout_.layers[static_cast<std::size_t>(layer)].*place.product).push_back(term);
  }

  AdapterLayout take() { return std::move(layout_); }

 private:
  std::size_t append(std::string name, std::size_t rows, std::size_t columns) {
    constexpr std::size_t kFloatsPerLine = 16;
    std::size_t& count = layout_.flat.count;
    count = (count + kFloatsPerLine - 1) / kFloatsPerLine * kFloatsPerLine;
    layout_.flat.parameters.push_back(
        {.name = std::move(name), .offset = count, .rows = rows, .columns = columns});
    count += rows * columns;
    return layout_.flat.parameters.back().offset;
  }

  const LoraAdapter& adapter_;
  std::map<std::string, std::vector<std::int64_t>> shapes_;
  AdapterLayout layout_;
};

// f(the values of A or B, the parameter that is it).
template <class Adapter, class F>
void for_each_matrix(Adapter& adapter, const AdapterLayout& layout, const F& f) {
  std::map<std::string_view, const Parameter*> by_name;
  for (const Parameter& parameter : layout.flat.parameters) {
    by_name.emplace(parameter.name, &parameter);
  }
  for (auto& [name, pair] : adapter.pairs) {
    f(pair.a.values, *by_name.at(lora_array_name(name, 'A')));
    f(pair.b.values, *by_name.at(lora_array_name(name, 'B')));
  }
}

}  // namespace

AdapterLayout adapter_layout(const LoraAdapter& adapter, const TransformerConfig& config) {
  AdapterLayoutBuilder builder(adapter, config);
  for (std::int64_t layer = 0; layer < config.num_layers; ++layer) {
    for (const Place& place : places()) {
      builder.add(layer, place);
    }
  }
  AdapterLayout layout = builder.take();
  const std::size_t num_placed = layout.flat.parameters.size() / 2;
  if (num_placed != adapter.pairs.size() || num_placed == 0) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{} of the adapter's {} pairs belong to a projection of the model",
                            num_placed,
                            adapter.pairs.size()),
                "an adapter trains q, k, v, o, gate, up or down projections of the layers");
  }
  return layout;
}

void copy_in(const LoraAdapter& adapter, const AdapterLayout& layout, float* flat) {
  for_each_matrix(adapter, layout, [&](const std::vector<float>& values, const Parameter& at) {
    std::ranges::copy(values, flat + at.offset);
  });
}

void copy_out(const AdapterLayout& layout, const float* flat, LoraAdapter& adapter) {
  for_each_matrix(adapter, layout, [&](std::vector<float>& values, const Parameter& at) {
    std::copy_n(flat + at.offset, at.count(), values.begin());
  });
}

}  // namespace dreamgym::internal

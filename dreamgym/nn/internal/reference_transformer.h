// The transformer again, slow and plain, in doubles: what the fast one is checked against.
//
// Only tests use it. Every segment is run as the linear sequence from its root.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "dreamgym/llm/checkpoint/weights.h"
#include "dreamgym/nn/packed_batch.h"

namespace dreamgym::internal {

struct ReferenceScore {
  double logprob = 0;
  double entropy = 0;
};

class ReferenceTransformer {
 public:
  using Rows = std::vector<std::vector<double>>;

  explicit ReferenceTransformer(const TransformerWeights& weights) : config_(weights.config) {
    for (const auto& [name, array] : weights.arrays) {
      arrays_[name].assign(array.values.begin(), array.values.end());
    }
  }

  double& parameter(const std::string& name, std::size_t index) {
    return arrays_.at(name).at(index);
  }

  [[nodiscard]] std::vector<ReferenceScore> score(const PackedBatch& batch) const {
    std::vector<ReferenceScore> scores(batch.queries.size());
    for (const Segment& segment : batch.segments) {
      const Rows hidden = run(linear_sequence(batch, segment));
      const std::size_t context = hidden.size() - (segment.end - segment.begin);
      for (std::size_t i = 0; i < batch.queries.size(); ++i) {
        const TokenQuery& query = batch.queries[i];
        if (query.source >= segment.begin && query.source < segment.end) {
          scores[i] = ask(hidden[context + query.source - segment.begin], batch, query);
        }
      }
    }
    return scores;
  }

  /// Tokens from the root to the segment's end.
  static std::vector<TokenId> linear_sequence(const PackedBatch& batch, const Segment& segment) {
    std::vector<TokenId> tokens(batch.tokens.begin() + segment.begin,
                                batch.tokens.begin() + segment.end);
    for (const Segment* at = &segment; at->parent != Segment::kNoParent;) {
      const Segment& parent = batch.segments[at->parent];
      tokens.insert(tokens.begin(),
                    batch.tokens.begin() + parent.begin,
                    batch.tokens.begin() + parent.begin + at->parent_end);
      at = &parent;
    }
    return tokens;
  }

 private:
  [[nodiscard]] const std::vector<double>& at(const std::string& name) const {
    return arrays_.at(name);
  }

  // y[t] = W x[t], W [out, in]
  [[nodiscard]] Rows linear(const Rows& x, const std::string& name) const {
    const auto& weight = at(name);
    Rows y;
    for (const auto& row : x) {
      std::vector<double> out(weight.size() / row.size());
      for (std::size_t o = 0; o < out.size(); ++o) {
        for (std::size_t i = 0; i < row.size(); ++i) {
          out[o] += weight[o * row.size() + i] * row[i];
        }
      }
      y.push_back(out);
    }
    return y;
  }

  // A query, key or value projection with its bias and the norm of each head.
  [[nodiscard]] Rows project(const Rows& x, const std::string& name) const {
    Rows y = linear(x, name + "_proj.weight");
    for (auto& row : y) {
      for (std::size_t i = 0; config_.qkv_bias && i < row.size(); ++i) {
        row[i] += at(name + "_proj.bias")[i];
      }
      if (config_.qk_norm && !name.ends_with("v")) {
        const auto head_dim = static_cast<std::ptrdiff_t>(config_.head_dim);
        for (auto head = row.begin(); head != row.end(); head += head_dim) {
          const Rows normal = norm({{head, head + head_dim}}, name + "_norm.weight");
          std::ranges::copy(normal[0], head);
        }
      }
    }
    return y;
  }

  [[nodiscard]] Rows norm(const Rows& x, const std::string& name) const {
    Rows z = x;
    for (auto& row : z) {
      double sum = 0;
      for (const double value : row) {
        sum += value * value;
      }
      const double rms =
          std::sqrt(sum / static_cast<double>(row.size()) + config_.rms_norm_epsilon);
      for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = row[i] / rms * at(name)[i];
      }
    }
    return z;
  }

  [[nodiscard]] Rows convolve(const Rows& z, const std::string& name) const {
    Rows out = z;
    const auto taps = static_cast<std::size_t>(config_.convolution_taps);
    for (std::size_t t = 0; t < z.size(); ++t) {
      for (std::size_t tap = 0; tap < taps; ++tap) {
        const std::size_t back = taps - 1 - tap;
        for (std::size_t i = 0; back <= t && i < z[t].size(); ++i) {
          out[t][i] += at(name)[tap * z[t].size() + i] * z[t - back][i];
        }
      }
    }
    return out;
  }

  void rotate(Rows& rows) const {
    const auto head_dim = static_cast<std::size_t>(config_.head_dim);
    const std::vector<double> frequencies = rope_frequencies(config_);
    for (std::size_t t = 0; t < rows.size(); ++t) {
      for (std::size_t head = 0; head < rows[t].size(); head += head_dim) {
        for (std::size_t i = 0; i < head_dim / 2; ++i) {
          const double angle = static_cast<double>(t) * frequencies[i];
          double& low = rows[t][head + i];
          double& high = rows[t][head + i + head_dim / 2];
          const double a = low;
          const double b = high;
          low = a * std::cos(angle) - b * std::sin(angle);
          high = b * std::cos(angle) + a * std::sin(angle);
        }
      }
    }
  }

  [[nodiscard]] std::vector<double> mix_values(const Rows& keys,
                                               const Rows& values,
                                               const std::vector<double>& query,
                                               std::size_t last) const {
    const auto head_dim = static_cast<std::size_t>(config_.head_dim);
    const auto group = static_cast<std::size_t>(config_.num_heads / config_.num_kv_heads);
    std::vector<double> out(query.size());
    for (std::size_t head = 0; head < query.size() / head_dim; ++head) {
      const std::size_t kv = head / group * head_dim;
      std::vector<double> weights(last + 1);
      double total = 0;
      for (std::size_t t = 0; t <= last; ++t) {
        double score = 0;
        for (std::size_t i = 0; i < head_dim; ++i) {
          score += query[head * head_dim + i] * keys[t][kv + i];
        }
        weights[t] = std::exp(score / std::sqrt(static_cast<double>(head_dim)));
        total += weights[t];
      }
      for (std::size_t t = 0; t <= last; ++t) {
        for (std::size_t i = 0; i < head_dim; ++i) {
          out[head * head_dim + i] += weights[t] / total * values[t][kv + i];
        }
      }
    }
    return out;
  }

  static void add(Rows& x, const Rows& y) {
    for (std::size_t t = 0; t < x.size(); ++t) {
      for (std::size_t i = 0; i < x[t].size(); ++i) {
        x[t][i] += y[t][i];
      }
    }
  }

  void attend(Rows& x, const std::string& layer) const {
    Rows input = norm(x, layer + "input_layernorm.weight");
    if (config_.convolution_taps > 0) {
      input = convolve(input, layer + "attention_convolution.weight");
    }
    Rows queries = project(input, layer + "self_attn.q");
    Rows keys = project(input, layer + "self_attn.k");
    const Rows values = project(input, layer + "self_attn.v");
    rotate(queries);
    rotate(keys);
    Rows mixed;
    for (std::size_t t = 0; t < x.size(); ++t) {
      mixed.push_back(mix_values(keys, values, queries[t], t));
    }
    add(x, linear(mixed, layer + "self_attn.o_proj.weight"));
  }

  void feed_forward(Rows& x, const std::string& layer) const {
    Rows input = norm(x, layer + "post_attention_layernorm.weight");
    if (config_.convolution_taps > 0) {
      input = convolve(input, layer + "mlp_convolution.weight");
    }
    Rows gate = linear(input, layer + "mlp.gate_proj.weight");
    const Rows up = linear(input, layer + "mlp.up_proj.weight");
    for (std::size_t t = 0; t < x.size(); ++t) {
      for (std::size_t i = 0; i < gate[t].size(); ++i) {
        gate[t][i] *= up[t][i] / (1.0 + std::exp(-gate[t][i]));
      }
    }
    add(x, linear(gate, layer + "mlp.down_proj.weight"));
  }

  [[nodiscard]] Rows run(const std::vector<TokenId>& tokens) const {
    const auto hidden = static_cast<std::size_t>(config_.hidden_size);
    Rows x;
    for (const TokenId token : tokens) {
      const auto row =
          at("model.embed_tokens.weight").begin() + static_cast<std::ptrdiff_t>(hidden) * token;
      x.emplace_back(row, row + static_cast<std::ptrdiff_t>(hidden));
    }
    for (std::int64_t layer = 0; layer < config_.num_layers; ++layer) {
      attend(x, "model.layers." + std::to_string(layer) + ".");
      feed_forward(x, "model.layers." + std::to_string(layer) + ".");
    }
    return norm(x, "model.norm.weight");
  }

  [[nodiscard]] ReferenceScore ask(const std::vector<double>& hidden,
                                   const PackedBatch& batch,
                                   const TokenQuery& query) const {
    const std::string head =
        config_.tied_embeddings ? "model.embed_tokens.weight" : "lm_head.weight";
    const std::vector<double> logits = linear({hidden}, head)[0];
    std::vector<TokenId> ids(batch.allowed.begin() + query.allowed_begin,
                             batch.allowed.begin() + query.allowed_end);
    for (TokenId id = 0; ids.size() < logits.size() && query.allowed_begin == query.allowed_end;
         ++id) {
      ids.push_back(id);
    }
    double total = 0;
    for (const TokenId id : ids) {
      total += std::exp(logits[static_cast<std::size_t>(id)] / query.temperature);
    }
    const auto logprob = [&](TokenId id) {
      return logits[static_cast<std::size_t>(id)] / query.temperature - std::log(total);
    };
    ReferenceScore score{logprob(query.target), 0};
    for (const TokenId id : ids) {
      score.entropy -= std::exp(logprob(id)) * logprob(id);
    }
    return score;
  }

  TransformerConfig config_;
  std::map<std::string, std::vector<double>> arrays_;
};

}  // namespace dreamgym::internal

#include "dreamgym/nn/engine/reference_transformer.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace dreamgym::engine {
namespace {

using Vector = std::vector<double>;
using Rows = std::vector<Vector>;  // one per token

const std::vector<float>& values_of(const TransformerWeights& weights, const std::string& name) {
  return weights.arrays.at(name).values;
}

// weight [out, in] times the vector.
Vector project(const std::vector<float>& weight, const Vector& input) {
  Vector out(weight.size() / input.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t k = 0; k < input.size(); ++k) {
      out[i] += double{weight[i * input.size() + k]} * input[k];
    }
  }
  return out;
}

Vector normalize(const Vector& input, const std::vector<float>& weight, double epsilon) {
  double squares = 0;
  for (const double value : input) {
    squares += value * value;
  }
  const double scale = 1.0 / std::sqrt(squares / static_cast<double>(input.size()) + epsilon);
  Vector out(input.size());
  for (std::size_t i = 0; i < input.size(); ++i) {
    out[i] = input[i] * scale * double{weight[i]};
  }
  return out;
}

// Norm, then the causal convolution along the tokens.
Rows prepare(const TransformerWeights& weights,
             const Rows& residual,
             const std::string& norm,
             const std::string& convolution) {
  Rows normalized;
  for (const Vector& row : residual) {
    normalized.push_back(normalize(row, values_of(weights, norm), weights.config.rms_norm_epsilon));
  }
  const auto taps = static_cast<std::size_t>(weights.config.convolution_taps);
  Rows out = normalized;
  for (std::size_t t = 0; t < out.size(); ++t) {
    for (std::size_t tap = 0; tap < taps; ++tap) {
      if (t + tap + 1 < taps) {
        continue;  // before the sequence: zeros
      }
      const Vector& before = normalized[t + tap + 1 - taps];
      for (std::size_t i = 0; i < before.size(); ++i) {
        out[t][i] += double{values_of(weights, convolution)[tap * before.size() + i]} * before[i];
      }
    }
  }
  return out;
}

// Turns each head of the vector to its position.
void rotate(Vector& heads, std::size_t position, const Vector& frequencies) {
  const std::size_t half = frequencies.size();
  for (std::size_t head = 0; head < heads.size(); head += 2 * half) {
    for (std::size_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(position) * frequencies[i];
      const double first = heads[head + i];
      const double second = heads[head + half + i];
      heads[head + i] = first * std::cos(angle) - second * std::sin(angle);
      heads[head + half + i] = second * std::cos(angle) + first * std::sin(angle);
    }
  }
}

// weight [out, in] times the vector, plus the bias where the family has one.
Vector project_head(const TransformerWeights& weights,
                    const std::string& name,
                    const Vector& input) {
  Vector out = project(values_of(weights, name + "_proj.weight"), input);
  if (weights.config.qkv_bias) {
    const std::vector<float>& bias = values_of(weights, name + "_proj.bias");
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] += double{bias[i]};
    }
  }
  return out;
}

// Each head of the vector normalised by itself, where the family does so.
void normalize_heads(const TransformerWeights& weights, const std::string& name, Vector& heads) {
  if (!weights.config.qk_norm) {
    return;
  }
  const auto head_dim = weights.config.head_dim;
  for (auto head = heads.begin(); head != heads.end(); head += head_dim) {
    const Vector normal = normalize(Vector(head, head + head_dim),
                                    values_of(weights, name + "_norm.weight"),
                                    weights.config.rms_norm_epsilon);
    std::ranges::copy(normal, head);
  }
}

struct Heads {
  Rows queries;
  Rows keys;
  Rows values;
};

// What query head `head` of token `t` sees, written into out at the head's place.
void attend(const Heads& heads,
            const TransformerConfig& config,
            std::size_t head,
            std::size_t t,
            Vector& out) {
  const auto head_dim = static_cast<std::size_t>(config.head_dim);
  const auto group = static_cast<std::size_t>(config.num_heads / config.num_kv_heads);
  const std::size_t shared = head / group * head_dim;
  Vector scores(t + 1);
  for (std::size_t key = 0; key <= t; ++key) {
    for (std::size_t d = 0; d < head_dim; ++d) {
      scores[key] += heads.queries[t][head * head_dim + d] * heads.keys[key][shared + d];
    }
    scores[key] /= std::sqrt(static_cast<double>(head_dim));
  }
  const double maximum = *std::ranges::max_element(scores);
  double total = 0;
  for (double& score : scores) {
    score = std::exp(score - maximum);
    total += score;
  }
  for (std::size_t key = 0; key <= t; ++key) {
    for (std::size_t d = 0; d < head_dim; ++d) {
      out[head * head_dim + d] += scores[key] / total * heads.values[key][shared + d];
    }
  }
}

void add(Vector& sum, const Vector& term) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] += term[i];
  }
}

void add_attention(const TransformerWeights& weights, const std::string& prefix, Rows& residual) {
  const Rows input = prepare(weights,
                             residual,
                             prefix + "input_layernorm.weight",
                             prefix + "attention_convolution.weight");
  const std::string attention = prefix + "self_attn.";
  const Vector frequencies = rope_frequencies(weights.config);
  Heads heads;
  for (std::size_t t = 0; t < input.size(); ++t) {
    heads.queries.push_back(project_head(weights, attention + "q", input[t]));
    heads.keys.push_back(project_head(weights, attention + "k", input[t]));
    heads.values.push_back(project_head(weights, attention + "v", input[t]));
    normalize_heads(weights, attention + "q", heads.queries[t]);
    normalize_heads(weights, attention + "k", heads.keys[t]);
    rotate(heads.queries[t], t, frequencies);
    rotate(heads.keys[t], t, frequencies);
  }
  for (std::size_t t = 0; t < input.size(); ++t) {
    Vector attended(heads.queries[t].size());
    for (std::size_t head = 0; head < static_cast<std::size_t>(weights.config.num_heads); ++head) {
      attend(heads, weights.config, head, t, attended);
    }
    add(residual[t], project(values_of(weights, attention + "o_proj.weight"), attended));
  }
}

void add_mlp(const TransformerWeights& weights, const std::string& prefix, Rows& residual) {
  const Rows input = prepare(weights,
                             residual,
                             prefix + "post_attention_layernorm.weight",
                             prefix + "mlp_convolution.weight");
  for (std::size_t t = 0; t < input.size(); ++t) {
    Vector gate = project(values_of(weights, prefix + "mlp.gate_proj.weight"), input[t]);
    const Vector up = project(values_of(weights, prefix + "mlp.up_proj.weight"), input[t]);
    for (std::size_t i = 0; i < gate.size(); ++i) {
      gate[i] = gate[i] / (1.0 + std::exp(-gate[i])) * up[i];
    }
    add(residual[t], project(values_of(weights, prefix + "mlp.down_proj.weight"), gate));
  }
}

}  // namespace

std::vector<std::vector<double>> reference_logits(const TransformerWeights& weights,
                                                  std::span<const TokenId> tokens) {
  const TransformerConfig& config = weights.config;
  const auto hidden = static_cast<std::size_t>(config.hidden_size);
  const std::vector<float>& embeddings = values_of(weights, "model.embed_tokens.weight");
  Rows residual;
  for (const TokenId token : tokens) {
    const auto row = embeddings.begin() +
                     static_cast<std::ptrdiff_t>(token) * static_cast<std::ptrdiff_t>(hidden);
    residual.emplace_back(row, row + static_cast<std::ptrdiff_t>(hidden));
  }
  for (std::int64_t layer = 0; layer < config.num_layers; ++layer) {
    const std::string prefix = "model.layers." + std::to_string(layer) + ".";
    add_attention(weights, prefix, residual);
    add_mlp(weights, prefix, residual);
  }
  Rows logits;
  for (const Vector& row : residual) {
    const Vector output =
        normalize(row, values_of(weights, "model.norm.weight"), config.rms_norm_epsilon);
    logits.push_back(project(
        config.tied_embeddings ? embeddings : values_of(weights, "lm_head.weight"), output));
  }
  return logits;
}

double reference_logprob(std::span<const double> logits, double temperature, TokenId target) {
  const double maximum = *std::ranges::max_element(logits);
  double total = 0;
  for (const double logit : logits) {
    total += std::exp((logit - maximum) / temperature);
  }
  return (logits[static_cast<std::size_t>(target)] - maximum) / temperature - std::log(total);
}

}  // namespace dreamgym::engine

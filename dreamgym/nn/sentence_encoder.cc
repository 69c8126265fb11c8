#include "dreamgym/nn/sentence_encoder.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <utility>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/checkpoint/bert_weights.h"
#include "dreamgym/nn/internal/float_buffer.h"
#include "dreamgym/nn/internal/linear.h"
#include "dreamgym/nn/internal/matrix_product.h"

namespace dreamgym {
namespace {

using internal::FloatBuffer;

struct Dense {
  std::vector<float> weight;  // [out, in]
  std::vector<float> bias;    // [out]
};

struct LayerNorm {
  std::vector<float> weight;
  std::vector<float> bias;
};

struct Layer {
  Dense query_key_value;  // [3 hidden, hidden]
  Dense attention_out;
  LayerNorm attention_norm;
  Dense up;
  Dense down;
  LayerNorm output_norm;
};

// Rows of all texts of one call, one after the other.
struct Rows {
  std::vector<TokenId> ids;
  std::vector<std::size_t> begins;  // [texts + 1]
};

struct Buffers {
  FloatBuffer hidden;    // [tokens, hidden]
  FloatBuffer heads;     // [tokens, 3 hidden]
  FloatBuffer attended;  // [tokens, hidden]
  FloatBuffer wide;      // [tokens, intermediate]
  FloatBuffer scores;    // [longest, longest]
};

void apply(const Dense& dense, std::size_t rows, const float* x, float* y) {
  const std::size_t out = dense.bias.size();
  const std::size_t in = dense.weight.size() / out;
  internal::multiply({rows, out, in}, {x, in}, {dense.weight.data(), in, true}, {y, out});
  internal::add_bias(rows, out, dense.bias.data(), y);
}

// y += dense(x)
void apply_add(const Dense& dense, std::size_t rows, const float* x, float* y) {
  const std::size_t out = dense.bias.size();
  const std::size_t in = dense.weight.size() / out;
  internal::multiply_add({rows, out, in}, {x, in}, {dense.weight.data(), in, true}, {y, out});
  internal::add_bias(rows, out, dense.bias.data(), y);
}

void normalize(const LayerNorm& norm, double epsilon, std::size_t rows, float* x) {
  const std::size_t width = norm.weight.size();
  for (std::size_t row = 0; row < rows; ++row, x += width) {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < width; ++i) {
      sum += double{x[i]};
    }
    const double mean = sum / static_cast<double>(width);
    for (std::size_t i = 0; i < width; ++i) {
      squares += (double{x[i]} - mean) * (double{x[i]} - mean);
    }
    const double scale = 1.0 / std::sqrt(squares / static_cast<double>(width) + epsilon);
    for (std::size_t i = 0; i < width; ++i) {
      x[i] = static_cast<float>((double{x[i]} - mean) * scale) * norm.weight[i] + norm.bias[i];
    }
  }
}

// The exact GELU, x * Phi(x).
void gelu(std::size_t count, float* x) {
  constexpr float kInverseRootTwo = 0.70710678118654752F;
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = 0.5F * x[i] * (1.0F + std::erf(x[i] * kInverseRootTwo));
  }
}

void softmax(std::size_t rows, std::size_t width, float* x) {
  for (std::size_t row = 0; row < rows; ++row, x += width) {
    const float maximum = *std::max_element(x, x + width);
    float sum = 0;
    for (std::size_t i = 0; i < width; ++i) {
      x[i] = std::exp(x[i] - maximum);
      sum += x[i];
    }
    for (std::size_t i = 0; i < width; ++i) {
      x[i] /= sum;
    }
  }
}

Dense dense_of(const BertWeights& weights, const std::string& name) {
  return {weights.arrays.at(name + ".weight").values, weights.arrays.at(name + ".bias").values};
}

LayerNorm norm_of(const BertWeights& weights, const std::string& name) {
  return {weights.arrays.at(name + ".LayerNorm.weight").values,
          weights.arrays.at(name + ".LayerNorm.bias").values};
}

Layer layer_of(const BertWeights& weights, std::int64_t index) {
  const std::string at = "encoder.layer." + std::to_string(index) + ".";
  Layer layer;
  for (const char* part : {"query", "key", "value"}) {
    const Dense dense = dense_of(weights, at + "attention.self." + part);
    auto& joint = layer.query_key_value;
    joint.weight.insert(joint.weight.end(), dense.weight.begin(), dense.weight.end());
    joint.bias.insert(joint.bias.end(), dense.bias.begin(), dense.bias.end());
  }
  layer.attention_out = dense_of(weights, at + "attention.output.dense");
  layer.attention_norm = norm_of(weights, at + "attention.output");
  layer.up = dense_of(weights, at + "intermediate.dense");
  layer.down = dense_of(weights, at + "output.dense");
  layer.output_norm = norm_of(weights, at + "output");
  return layer;
}

}  // namespace

struct SentenceEncoder::Impl {
  Impl(BertWeights from, WordPieceTokenizer its_tokenizer, std::string its_name)
      : config(from.config), tokenizer(std::move(its_tokenizer)), name(std::move(its_name)) {
    hidden = static_cast<std::size_t>(config.hidden_size);
    for (std::int64_t i = 0; i < config.num_layers; ++i) {
      layers.push_back(layer_of(from, i));
    }
    embedding_norm = norm_of(from, "embeddings");
    words = std::move(from.arrays.at("embeddings.word_embeddings.weight").values);
    positions = std::move(from.arrays.at("embeddings.position_embeddings.weight").values);
    const auto& segments = from.arrays.at("embeddings.token_type_embeddings.weight").values;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      positions[i] += segments[i % hidden];  // every token is of the first segment
    }
  }

  [[nodiscard]] Rows rows_of(const std::vector<std::string>& texts) const {
    Rows rows{{}, {0}};
    const auto longest = static_cast<std::size_t>(config.max_tokens);
    for (const std::string& text : texts) {
      std::vector<TokenId> ids = tokenizer.encode(text);
      for (const TokenId id : ids) {
        if (id < 0 || id >= config.vocab_size) {
          throw Error(ErrorKind::kCorrupt,
                      name + ": tokenizer.json gives the id " + std::to_string(id) +
                          ", the model knows " + std::to_string(config.vocab_size),
                      "the two files belong to different models");
        }
      }
      if (ids.size() > longest) {  // the closing token stays
        ids[longest - 1] = ids.back();
        ids.resize(longest);
      }
      rows.ids.insert(rows.ids.end(), ids.begin(), ids.end());
      rows.begins.push_back(rows.ids.size());
    }
    return rows;
  }

  void embed_tokens(const Rows& rows, float* x) const {
    for (std::size_t text = 0; text + 1 < rows.begins.size(); ++text) {
      for (std::size_t t = rows.begins[text]; t < rows.begins[text + 1]; ++t) {
        const float* word = words.data() + static_cast<std::size_t>(rows.ids[t]) * hidden;
        const float* position = positions.data() + (t - rows.begins[text]) * hidden;
        for (std::size_t i = 0; i < hidden; ++i) {
          x[t * hidden + i] = word[i] + position[i];
        }
      }
    }
    normalize(embedding_norm, config.layer_norm_epsilon, rows.ids.size(), x);
  }

  // Every token of a text sees all of them.
  void attend(std::size_t begin, std::size_t count, Buffers& buffers) const {
    const std::size_t head_dim = hidden / static_cast<std::size_t>(config.num_heads);
    const float scale = 1.0F / std::sqrt(static_cast<float>(head_dim));
    float* scores = buffers.scores.ensure(count * count);
    for (std::size_t head = 0; head < hidden; head += head_dim) {
      const float* queries = buffers.heads.data() + begin * 3 * hidden + head;
      internal::multiply({count, count, head_dim},
                         {queries, 3 * hidden},
                         {queries + hidden, 3 * hidden, true},
                         {scores, count});
      for (std::size_t i = 0; i < count * count; ++i) {
        scores[i] *= scale;
      }
      softmax(count, count, scores);
      internal::multiply({count, head_dim, count},
                         {scores, count},
                         {queries + 2 * hidden, 3 * hidden},
                         {buffers.attended.data() + begin * hidden + head, hidden});
    }
  }

  void run(const Layer& layer, const Rows& rows, Buffers& buffers) const {
    const std::size_t count = rows.ids.size();
    const auto wide = static_cast<std::size_t>(config.intermediate_size);
    float* x = buffers.hidden.data();
    apply(layer.query_key_value, count, x, buffers.heads.ensure(count * 3 * hidden));
    buffers.attended.ensure(count * hidden);
    for (std::size_t text = 0; text + 1 < rows.begins.size(); ++text) {
      attend(rows.begins[text], rows.begins[text + 1] - rows.begins[text], buffers);
    }
    apply_add(layer.attention_out, count, buffers.attended.data(), x);
    normalize(layer.attention_norm, config.layer_norm_epsilon, count, x);
    apply(layer.up, count, x, buffers.wide.ensure(count * wide));
    gelu(count * wide, buffers.wide.data());
    apply_add(layer.down, count, buffers.wide.data(), x);
    normalize(layer.output_norm, config.layer_norm_epsilon, count, x);
  }

  // The mean of the rows, of length 1.
  [[nodiscard]] std::vector<float> pool(const float* rows, std::size_t count) const {
    std::vector<double> sum(hidden);
    for (std::size_t t = 0; t < count; ++t) {
      for (std::size_t i = 0; i < hidden; ++i) {
        sum[i] += double{rows[t * hidden + i]};
      }
    }
    double squares = 0;
    for (const double value : sum) {
      squares += value * value;
    }
    const double scale = 1.0 / std::max(std::sqrt(squares), 1e-12);
    std::vector<float> vector(hidden);
    std::ranges::transform(
        sum, vector.begin(), [&](double value) { return static_cast<float>(value * scale); });
    return vector;
  }

  BertConfig config;
  WordPieceTokenizer tokenizer;
  std::string name;
  std::size_t hidden = 0;
  std::vector<float> words;
  std::vector<float> positions;  // the first segment's vector added
  LayerNorm embedding_norm;
  std::vector<Layer> layers;
};

SentenceEncoder::SentenceEncoder(const Path& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw Error(ErrorKind::kNotFound,
                "no sentence encoder at " + folder.string(),
                "name a folder that holds config.json, model.safetensors and tokenizer.json");
  }
  WordPieceTokenizer tokenizer = read_word_piece(folder / "tokenizer.json");
  BertWeights weights = load_bert(folder);
  const auto known = static_cast<std::size_t>(weights.config.vocab_size);
  if (tokenizer.vocabulary_size() > known || weights.config.max_tokens < 2) {
    throw Error(ErrorKind::kCorrupt,
                folder.string() + ": the tokenizer knows " +
                    std::to_string(tokenizer.vocabulary_size()) + " tokens, the model " +
                    std::to_string(known));
  }
  impl_ = std::make_unique<const Impl>(
      std::move(weights), std::move(tokenizer), folder.filename().string());
}

SentenceEncoder::~SentenceEncoder() = default;

std::size_t SentenceEncoder::dimension() const {
  return impl_->hidden;
}

std::size_t SentenceEncoder::max_tokens() const {
  return static_cast<std::size_t>(impl_->config.max_tokens);
}

const WordPieceTokenizer& SentenceEncoder::tokenizer() const {
  return impl_->tokenizer;
}

std::string SentenceEncoder::name() const {
  return impl_->name;
}

std::vector<float> SentenceEncoder::embed(std::string_view text) const {
  return embed_all({std::string(text)}).front();
}

std::vector<std::vector<float>> SentenceEncoder::embed_all(
    const std::vector<std::string>& texts) const {
  if (texts.empty()) {
    return {};
  }
  const internal::SingleThread single;
  const Rows rows = impl_->rows_of(texts);
  Buffers buffers;
  impl_->embed_tokens(rows, buffers.hidden.ensure(rows.ids.size() * impl_->hidden));
  for (const Layer& layer : impl_->layers) {
    impl_->run(layer, rows, buffers);
  }
  std::vector<std::vector<float>> vectors;
  for (std::size_t text = 0; text < texts.size(); ++text) {
    const float* first = buffers.hidden.data() + rows.begins[text] * impl_->hidden;
    vectors.push_back(impl_->pool(first, rows.begins[text + 1] - rows.begins[text]));
  }
  return vectors;
}

}  // namespace dreamgym

#include "dreamgym/nn/internal/head.h"

#include <algorithm>
#include <cmath>

#include "dreamgym/base/error.h"
#include "dreamgym/nn/internal/matrix_product.h"
#include "dreamgym/nn/internal/train_kernels.h"

namespace dreamgym::internal {
namespace {

// A chunk reads the whole matrix, so that a small one is bound by memory.
constexpr std::size_t kChunkLogits = 16 << 20U;  // floats held at once
constexpr std::size_t kMinChunkRows = 64;
constexpr std::size_t kMaxChunkRows = 256;

std::span<const TokenId> allowed_ids(const HeadInput& input, std::size_t query_index) {
  const TokenQuery& query = input.batch->queries[query_index];
  return std::span(input.batch->allowed)
      .subspan(query.allowed_begin, query.allowed_end - query.allowed_begin);
}

struct RowScore {
  TokenScore score;
  float log_sum = 0;
};

RowScore score_row(const TokenQuery& query, std::span<const float> logits, std::size_t target) {
  const float inverse_temperature = 1.0F / query.temperature;
  const SoftmaxSum sums =
      train_kernels().head_softmax(logits.data(), logits.size(), inverse_temperature);
  const float log_of_sum = std::log(sums.sum);
  const float log_sum = sums.maximum + log_of_sum;
  return {{.logprob = logits[target] * inverse_temperature - log_sum,
           .entropy = log_of_sum - sums.weighted_sum / sums.sum},
          log_sum};
}

}  // namespace

std::size_t logits_chunk_rows(std::size_t vocab_size) {
  // A vocabulary that is not learnt yet is empty, and asked about by plans.
  return std::clamp(kChunkLogits / std::max<std::size_t>(padded(vocab_size), 1), kMinChunkRows, kMaxChunkRows);
}

// Queries over the whole vocabulary whose logits are held together.
struct Head::Chunk {
  std::span<const std::size_t> queries;
};

std::size_t Head::bytes() const {
  return logits_.capacity_bytes() + rows_.capacity_bytes() + d_rows_.capacity_bytes();
}

void Head::prepare(const HeadInput& input) {
  const auto& queries = input.batch->queries;
  row_of_query_.resize(queries.size());
  scores_.assign(queries.size(), {});
  log_sums_.assign(queries.size(), 0.0F);
  open_queries_.clear();
  allowed_queries_.clear();
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto row = std::ranges::lower_bound(input.sources, queries[i].source);
    row_of_query_[i] = static_cast<std::size_t>(row - input.sources.begin());
    const bool open = queries[i].allowed_begin == queries[i].allowed_end;
    (open ? open_queries_ : allowed_queries_).push_back(i);
  }
}

void Head::fill_logits(const HeadWeights& weights, const HeadInput& input, const Chunk& chunk) {
  const std::size_t stride = padded(weights.vocab_size);
  const std::size_t most = logits_chunk_rows(weights.vocab_size);
  float* rows = rows_.ensure(most * weights.width);
  float* logits = logits_.ensure(most * stride);
  for (std::size_t i = 0; i < chunk.queries.size(); ++i) {
    std::copy_n(input.hidden + row_of_query_[chunk.queries[i]] * weights.width,
                weights.width,
                rows + i * weights.width);
  }
  multiply({chunk.queries.size(), weights.vocab_size, weights.width},
           {rows, weights.width},
           {weights.matrix, weights.width, true},
           {logits, stride},
           weights.compute);
}

void Head::score_chunk(const HeadWeights& weights, const HeadInput& input, const Chunk& chunk) {
  fill_logits(weights, input, chunk);
  const std::size_t stride = padded(weights.vocab_size);
  for (std::size_t i = 0; i < chunk.queries.size(); ++i) {
    const std::size_t index = chunk.queries[i];
    const TokenQuery& query = input.batch->queries[index];
    const RowScore row = score_row(query,
                                   {logits_.data() + i * stride, weights.vocab_size},
                                   static_cast<std::size_t>(query.target));
    scores_[index] = row.score;
    log_sums_[index] = row.log_sum;
  }
}

void Head::fill_allowed(const HeadWeights& weights, const HeadInput& input, std::size_t query) {
  const auto ids = allowed_ids(input, query);
  float* logits = logits_.ensure(padded(ids.size()));
  const float* hidden = input.hidden + row_of_query_[query] * weights.width;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const float* row = weights.matrix + static_cast<std::size_t>(ids[i]) * weights.width;
    logits[i] = train_kernels().dot(hidden, row, weights.width);
  }
}

void Head::score_allowed(const HeadWeights& weights, const HeadInput& input, std::size_t query) {
  fill_allowed(weights, input, query);
  const auto ids = allowed_ids(input, query);
  const TokenQuery& asked = input.batch->queries[query];
  const auto target = static_cast<std::size_t>(std::ranges::find(ids, asked.target) - ids.begin());
  const RowScore row = score_row(asked, {logits_.data(), ids.size()}, target);
  scores_[query] = row.score;
  log_sums_[query] = row.log_sum;
}

std::vector<TokenScore> Head::forward(const HeadWeights& weights, const HeadInput& input) {
  prepare(input);
  const std::size_t step = logits_chunk_rows(weights.vocab_size);
  for (std::size_t begin = 0; begin < open_queries_.size(); begin += step) {
    const std::size_t count = std::min(step, open_queries_.size() - begin);
    score_chunk(weights, input, {std::span(open_queries_).subspan(begin, count)});
  }
  for (const std::size_t query : allowed_queries_) {
    score_allowed(weights, input, query);
  }
  return scores_;
}

void Head::differentiate(const TokenQuery& query,
                         std::size_t index,
                         const TokenGradient& gradient,
                         std::span<float> logits) const {
  train_kernels().head_softmax_backward({.logits = logits.data(),
                                         .length = logits.size(),
                                         .inverse_temperature = 1.0F / query.temperature,
                                         .log_sum = log_sums_[index],
                                         .d_logprob = gradient.logprob,
                                         .d_entropy = gradient.entropy,
                                         .entropy = scores_[index].entropy});
}

void Head::backward_chunk(const HeadWeights& weights,
                          const HeadInput& input,
                          const Chunk& chunk,
                          const HeadGradients& gradients) {
  fill_logits(weights, input, chunk);
  const std::size_t stride = padded(weights.vocab_size);
  const std::size_t count = chunk.queries.size();
  float* d_rows = d_rows_.ensure(logits_chunk_rows(weights.vocab_size) * weights.width);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = chunk.queries[i];
    const TokenQuery& query = input.batch->queries[index];
    float* logits = logits_.data() + i * stride;
    differentiate(query, index, gradients.queries[index], {logits, weights.vocab_size});
    logits[query.target] += gradients.queries[index].logprob / query.temperature;
  }
  multiply({count, weights.width, weights.vocab_size},
           {logits_.data(), stride},
           {weights.matrix, weights.width},
           {d_rows, weights.width},
           weights.compute);
  if (gradients.d_matrix != nullptr) {
    multiply_add({weights.vocab_size, weights.width, count},
                 {logits_.data(), stride, true},
                 {rows_.data(), weights.width},
                 {gradients.d_matrix, weights.width},
                 weights.compute);
  }
  for (std::size_t i = 0; i < count; ++i) {
    train_kernels().add_scaled(1.0F,
                               d_rows + i * weights.width,
                               gradients.d_hidden + row_of_query_[chunk.queries[i]] * weights.width,
                               weights.width);
  }
}

void Head::backward_allowed(const HeadWeights& weights,
                            const HeadInput& input,
                            std::size_t query,
                            const HeadGradients& gradients) {
  fill_allowed(weights, input, query);
  const auto ids = allowed_ids(input, query);
  const TokenQuery& asked = input.batch->queries[query];
  const TokenGradient& gradient = gradients.queries[query];
  differentiate(asked, query, gradient, {logits_.data(), ids.size()});
  const auto target = std::ranges::find(ids, asked.target) - ids.begin();
  logits_.data()[target] += gradient.logprob / asked.temperature;
  const std::size_t row = row_of_query_[query] * weights.width;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::size_t id = static_cast<std::size_t>(ids[i]) * weights.width;
    const float d_logit = logits_.data()[i];
    train_kernels().add_scaled(
        d_logit, weights.matrix + id, gradients.d_hidden + row, weights.width);
    if (gradients.d_matrix != nullptr) {
      train_kernels().add_scaled(
          d_logit, input.hidden + row, gradients.d_matrix + id, weights.width);
    }
  }
}

void Head::backward(const HeadWeights& weights,
                    const HeadInput& input,
                    const HeadGradients& gradients) {
  check(gradients.queries.size() == scores_.size(), "a gradient for each query");
  const auto matters = [&](std::size_t query) {
    const TokenGradient& gradient = gradients.queries[query];
    return gradient.logprob != 0 || gradient.entropy != 0;
  };
  std::vector<std::size_t> active;
  std::ranges::copy_if(open_queries_, std::back_inserter(active), matters);
  const std::size_t step = logits_chunk_rows(weights.vocab_size);
  for (std::size_t begin = 0; begin < active.size(); begin += step) {
    const std::size_t count = std::min(step, active.size() - begin);
    backward_chunk(weights, input, {std::span(active).subspan(begin, count)}, gradients);
  }
  for (const std::size_t query : allowed_queries_) {
    if (matters(query)) {
      backward_allowed(weights, input, query, gradients);
    }
  }
}

}  // namespace dreamgym::internal

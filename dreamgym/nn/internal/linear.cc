#include "dreamgym/nn/internal/linear.h"

#include "dreamgym/nn/internal/matrix_product.h"
#include "dreamgym/nn/internal/train_kernels.h"

namespace dreamgym::internal {

const float* Linear::inner(const LowRankTerm& term, std::size_t rows, const float* x) const {
  const std::size_t rank = weights_.adapter->rank;
  float* inner = scratch_.inner.ensure(rows * rank);
  multiply({rows, rank, term.in},
           {x, term.in},
           {weights_.low_rank + term.a, term.in, true},
           {inner, rank},
           weights_.compute);
  for (std::size_t i = 0; i < rows * rank; ++i) {
    inner[i] *= weights_.adapter->scale;
  }
  return inner;
}

const float* Linear::d_inner(const LinearShape& shape,
                             const LowRankTerm& term,
                             std::size_t rows,
                             const float* d_y) const {
  const std::size_t rank = weights_.adapter->rank;
  float* d_inner = scratch_.d_inner.ensure(rows * rank);
  multiply({rows, rank, term.out},
           {d_y + term.first_column, shape.out},
           {weights_.low_rank + term.b, rank},
           {d_inner, rank},
           weights_.compute);
  for (std::size_t i = 0; i < rows * rank; ++i) {
    d_inner[i] *= weights_.adapter->scale;
  }
  return d_inner;
}

void Linear::add_terms(const LinearShape& shape,
                       std::size_t rows,
                       const float* x,
                       float* y) const {
  for (const LowRankTerm& term : shape.terms) {
    const std::size_t rank = weights_.adapter->rank;
    multiply_add({rows, term.out, rank},
                 {inner(term, rows, x), rank},
                 {weights_.low_rank + term.b, rank, true},
                 {y + term.first_column, shape.out},
                 weights_.compute);
  }
}

void Linear::forward(const LinearShape& shape, std::size_t rows, const float* x, float* y) const {
  multiply({rows, shape.out, shape.in},
           {x, shape.in},
           {weights_.base + shape.weight, shape.in, true},
           {y, shape.out},
           weights_.compute);
  add_terms(shape, rows, x, y);
}

void Linear::forward_add(const LinearShape& shape,
                         std::size_t rows,
                         const float* x,
                         float* y) const {
  multiply_add({rows, shape.out, shape.in},
               {x, shape.in},
               {weights_.base + shape.weight, shape.in, true},
               {y, shape.out},
               weights_.compute);
  add_terms(shape, rows, x, y);
}

void Linear::backward_input(const LinearShape& shape,
                            std::size_t rows,
                            const float* d_y,
                            float* d_x) const {
  multiply({rows, shape.in, shape.out},
           {d_y, shape.out},
           {weights_.base + shape.weight, shape.in},
           {d_x, shape.in},
           weights_.compute);
  for (const LowRankTerm& term : shape.terms) {
    const std::size_t rank = weights_.adapter->rank;
    multiply_add({rows, shape.in, rank},
                 {d_inner(shape, term, rows, d_y), rank},
                 {weights_.low_rank + term.a, term.in},
                 {d_x, shape.in},
                 weights_.compute);
  }
}

void Linear::backward_weight(const LinearShape& shape,
                             std::size_t rows,
                             const float* x,
                             const float* d_y,
                             const NetworkGradients& gradients) const {
  if (gradients.base != nullptr) {
    multiply_add({shape.out, shape.in, rows},
                 {d_y, shape.out, true},
                 {x, shape.in},
                 {gradients.at(shape.weight), shape.in},
                 weights_.compute);
  }
  if (gradients.low_rank == nullptr) {
    return;
  }
  for (const LowRankTerm& term : shape.terms) {
    const std::size_t rank = weights_.adapter->rank;
    multiply_add({rank, term.in, rows},
                 {d_inner(shape, term, rows, d_y), rank, true},
                 {x, shape.in},
                 {gradients.low_rank + term.a, term.in},
                 weights_.compute);
    multiply_add({term.out, rank, rows},
                 {d_y + term.first_column, shape.out, true},
                 {inner(term, rows, x), rank},
                 {gradients.low_rank + term.b, rank},
                 weights_.compute);
  }
}

void add_bias(std::size_t count, std::size_t width, const float* bias, float* rows) {
  for (std::size_t row = 0; row < count; ++row) {
    train_kernels().add_scaled(1.0F, bias, rows + row * width, width);
  }
}

void add_row_sum(std::size_t count, std::size_t width, const float* rows, float* d_bias) {
  for (std::size_t row = 0; row < count; ++row) {
    train_kernels().add_scaled(1.0F, rows + row * width, d_bias, width);
  }
}

}  // namespace dreamgym::internal

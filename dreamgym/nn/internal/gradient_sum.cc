#include "dreamgym/nn/internal/gradient_sum.h"

#include <algorithm>

#include "dreamgym/base/error.h"
#include "dreamgym/nn/internal/train_kernels.h"

namespace dreamgym::internal {
namespace {

using Range = std::pair<std::size_t, std::size_t>;

Range range_of_layer(const ParameterLayout& layout, std::size_t layer) {
  return {layout.layers[layer].attention_gain,
          layer + 1 < layout.layers.size() ? layout.layers[layer + 1].attention_gain
                                           : layout.final_gain};
}

std::vector<Range> ranges_outside(const ParameterLayout& layout) {
  const std::size_t first = layout.layers.empty() ? layout.final_gain : layout.layers[0].attention_gain;
  return {{0, first}, {layout.final_gain, layout.count}};
}

std::size_t count_of(const std::vector<Range>& ranges) {
  std::size_t count = 0;
  for (const auto& [begin, end] : ranges) {
    count += end - begin;
  }
  return count;
}

}  // namespace

std::size_t largest_gradient_parts(const ParameterLayout& layout) {
  std::size_t largest = 0;
  for (std::size_t layer = 0; layer < layout.layers.size(); ++layer) {
    largest = std::max(largest, count_of({range_of_layer(layout, layer)}));
  }
  return largest + count_of(ranges_outside(layout));
}

GradientSum::GradientSum(const ParameterLayout& layout, std::size_t adapter, float* total)
    : total_(total), of_adapter_(adapter > 0) {
  const auto add_part = [&](Ranges ranges) {
    const std::size_t count = count_of(ranges);
    parts_.push_back({.ranges = std::move(ranges), .count = count, .waiting = {}});
  };
  if (of_adapter_) {
    add_part({{0, adapter}});
    return;
  }
  for (std::size_t layer = 0; layer < layout.layers.size(); ++layer) {
    add_part({range_of_layer(layout, layer)});
  }
  add_part(ranges_outside(layout));
}

void GradientSum::fail(std::size_t number) {
  const std::scoped_lock lock(mutex_);
  first_failed_ = std::min(first_failed_, number);
  turn_.notify_all();
}

// Zeros. The smallest free buffer that is large enough, so that layers do not take the embedding's.
FloatBuffer GradientSum::take(std::size_t part) {
  const std::size_t count = parts_[part].count;
  FloatBuffer buffer;
  {
    const std::scoped_lock lock(mutex_);
    auto best = free_.end();
    for (auto candidate = free_.begin(); candidate != free_.end(); ++candidate) {
      const bool fits = candidate->capacity_bytes() >= count * sizeof(float);
      if (fits && (best == free_.end() || candidate->capacity_bytes() < best->capacity_bytes())) {
        best = candidate;
      }
    }
    if (best != free_.end()) {
      buffer = std::move(*best);
      free_.erase(best);
    }
  }
  std::fill_n(buffer.ensure(count), count, 0.0F);
  return buffer;
}

void GradientSum::add_now(Part& part, FloatBuffer gradient) {
  if (gradient.data() != nullptr) {
    const float* from = gradient.data();
    for (const auto& [begin, end] : part.ranges) {
      train_kernels().add_scaled(1.0F, from, total_ + begin, end - begin);
      from += end - begin;
    }
    free_.push_back(std::move(gradient));
  }
  ++part.next;
}

void GradientSum::add(std::size_t part_index, std::size_t number, FloatBuffer gradient) {
  Part& part = parts_[part_index];
  std::unique_lock lock(mutex_);
  const auto in_vain = [&] { return first_failed_ < number; };
  check(!in_vain(), "every earlier micro-batch was computed");
  const std::size_t bytes = gradient.capacity_bytes();
  if (number != part.next && waiting_bytes_ + bytes <= kWaitingGradientBytes) {
    waiting_bytes_ += bytes;
    part.waiting.emplace(number, std::move(gradient));
    return;
  }
  turn_.wait(lock, [&] { return in_vain() || number == part.next; });
  check(!in_vain(), "every earlier micro-batch was computed");
  add_now(part, std::move(gradient));
  for (auto first = part.waiting.find(part.next); first != part.waiting.end();
       first = part.waiting.find(part.next)) {
    waiting_bytes_ -= first->second.capacity_bytes();
    add_now(part, std::move(first->second));
    part.waiting.erase(first);
  }
  turn_.notify_all();
}

GradientSum::MicroBatch::MicroBatch(GradientSum& sum, std::size_t number)
    : sum_(sum), number_(number) {}

NetworkGradients GradientSum::MicroBatch::of_layer(std::size_t layer) {
  if (sum_.of_adapter_) {
    return of_embedding();
  }
  layer_ = sum_.take(layer);
  return {.base = layer_.data(), .begin = sum_.parts_[layer].ranges[0].first};
}

void GradientSum::MicroBatch::layer_done(std::size_t layer) {
  if (!sum_.of_adapter_) {
    sum_.add(layer, number_, std::move(layer_));
    ++num_layers_added_;
  }
}

NetworkGradients GradientSum::MicroBatch::of_embedding() {
  if (outside_.data() == nullptr) {
    outside_ = sum_.take(sum_.outside());
  }
  if (sum_.of_adapter_) {
    return {.low_rank = outside_.data()};
  }
  return {.base = outside_.data()};
}

NetworkGradients GradientSum::MicroBatch::of_rest() {
  NetworkGradients gradients = of_embedding();
  if (!sum_.of_adapter_) {
    const Ranges& ranges = sum_.parts_[sum_.outside()].ranges;
    gradients.base += ranges[0].second;
    gradients.begin = ranges[1].first;
  }
  return gradients;
}

void GradientSum::MicroBatch::finish() {
  if (num_layers_added_ == 0) {
    for (std::size_t layer = 0; layer < sum_.outside(); ++layer) {
      sum_.add(layer, number_, {});
    }
  }
  sum_.add(sum_.outside(), number_, std::move(outside_));
}

}  // namespace dreamgym::internal

// Body of the training kernels; included once per instruction set, inside a namespace, under that
// set's target pragma, with kLanes floats a vector defined before. So it includes nothing itself
// and everything in it has internal linkage.

using Vector = float __attribute__((vector_size(kLanes * sizeof(float))));
using IntVector = std::int32_t __attribute__((vector_size(kLanes * sizeof(float))));
using BitVector = std::uint32_t __attribute__((vector_size(kLanes * sizeof(float))));

inline Vector load(const float* source) {
  Vector value;
  __builtin_memcpy(&value, source, sizeof(value));
  return value;
}

inline void store(float* target, Vector value) {
  __builtin_memcpy(target, &value, sizeof(value));
}

inline Vector broadcast(float value) {
  return Vector{} + value;
}

inline float sum_lanes(Vector value) {
  float lanes[kLanes];
  store(lanes, value);
  for (std::size_t step = kLanes / 2; step > 0; step /= 2) {
    for (std::size_t i = 0; i < step; ++i) {
      lanes[i] += lanes[i + step];
    }
  }
  return lanes[0];
}

inline float max_lanes(Vector value) {
  float lanes[kLanes];
  store(lanes, value);
  for (std::size_t step = kLanes / 2; step > 0; step /= 2) {
    for (std::size_t i = 0; i < step; ++i) {
      lanes[i] = lanes[i] > lanes[i + step] ? lanes[i] : lanes[i + step];
    }
  }
  return lanes[0];
}

inline Vector maximum(Vector a, Vector b) {
  return a > b ? a : b;
}

// Lanes whose index is below `count`.
inline IntVector lanes_below(std::size_t count) {
  IntVector index;
  for (std::size_t i = 0; i < kLanes; ++i) {
    index[i] = static_cast<std::int32_t>(i);
  }
  return index < (IntVector{} + static_cast<std::int32_t>(count));
}

// exp with about 1 ulp: 2^n * p(r), |r| <= ln2 / 2 (Cephes' polynomial). Arguments below -87 give
// about 1e-38, never a denormal.
inline Vector exponential(Vector x) {
  x = x < broadcast(-87.0F) ? broadcast(-87.0F) : x;
  x = x > broadcast(88.0F) ? broadcast(88.0F) : x;
  const Vector magic = broadcast(12582912.0F);  // 1.5 * 2^23: adding it rounds to an integer
  const Vector shifted = x * 1.44269504F + magic;
  const Vector n = shifted - magic;
  Vector r = x - n * 0.693359375F;
  r = r + n * 2.12194440e-4F;
  Vector p = broadcast(1.9875691500e-4F);
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;
  BitVector exponent;  // unsigned: what is not a number may wrap around
  __builtin_memcpy(&exponent, &shifted, sizeof(exponent));
  BitVector bits;
  __builtin_memcpy(&bits, &p, sizeof(bits));
  bits += exponent << 23;
  Vector result;
  __builtin_memcpy(&result, &bits, sizeof(result));
  return result;
}

inline float exponential_of(float x) {
  return exponential(broadcast(x))[0];
}

inline Vector sigmoid(Vector x) {
  return 1.0F / (1.0F + exponential(-x));
}

float dot(const float* a, const float* b, std::size_t count) {
  Vector sum = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    sum += load(a + i) * load(b + i);
  }
  float total = sum_lanes(sum);
  for (; i < count; ++i) {
    total += a[i] * b[i];
  }
  return total;
}

void add_scaled(float factor, const float* x, float* y, std::size_t count) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    store(y + i, load(y + i) + factor * load(x + i));
  }
  for (; i < count; ++i) {
    y[i] += factor * x[i];
  }
}

// y += a * b
inline void add_product(const float* a, const float* b, float* y, std::size_t count) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    store(y + i, load(y + i) + load(a + i) * load(b + i));
  }
  for (; i < count; ++i) {
    y[i] += a[i] * b[i];
  }
}

// y = x * factor * gain
inline void scale_by(const float* x, float factor, const float* gain, float* y, std::size_t count) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    store(y + i, load(x + i) * factor * load(gain + i));
  }
  for (; i < count; ++i) {
    y[i] = x[i] * factor * gain[i];
  }
}

void norm_convolve(const NormConvolution& shape, const NormConvolutionForward& io) {
  const std::size_t width = shape.width;
  const std::size_t taps = shape.num_taps;
  const auto inverse_width = 1.0F / static_cast<float>(width);
  __builtin_memset(io.z + shape.num_rows * width, 0, width * sizeof(float));
  for (std::size_t t = 0; t < shape.num_rows; ++t) {
    const float* x = io.x + t * width;
    float* z = io.z + t * width;
    float* out = io.out + t * width;
    const float inverse = 1.0F / __builtin_sqrtf(dot(x, x, width) * inverse_width + shape.epsilon);
    io.inverse_rms[t] = inverse;
    scale_by(x, inverse, shape.gain, z, width);
    __builtin_memcpy(out, z, width * sizeof(float));
    std::size_t row = t;
    for (std::size_t back = 0; back < taps && row != shape.num_rows; ++back) {
      add_product(shape.taps + (taps - 1 - back) * width, io.z + row * width, out, width);
      row = static_cast<std::size_t>(shape.predecessor[row]);
    }
  }
}

// d_z of row t is whole once all later rows are done, since predecessors come earlier.
void norm_convolve_backward(const NormConvolution& shape, const NormConvolutionBackward& io) {
  const std::size_t width = shape.width;
  const std::size_t taps = shape.num_taps;
  const auto inverse_width = 1.0F / static_cast<float>(width);
  __builtin_memset(io.d_z, 0, (shape.num_rows + 1) * width * sizeof(float));
  for (std::size_t t = shape.num_rows; t-- > 0;) {
    const float* d_out = io.d_out + t * width;
    float* d_z = io.d_z + t * width;
    add_scaled(1.0F, d_out, d_z, width);
    std::size_t row = t;
    for (std::size_t back = 0; back < taps && row != shape.num_rows; ++back) {
      const std::size_t tap = taps - 1 - back;
      add_product(shape.taps + tap * width, d_out, io.d_z + row * width, width);
      add_product(io.z + row * width, d_out, io.d_taps + tap * width, width);
      row = static_cast<std::size_t>(shape.predecessor[row]);
    }
    const float* x = io.x + t * width;
    const float inverse = io.inverse_rms[t];
    Vector sum = {};
    float tail = 0;
    std::size_t i = 0;
    for (; i + kLanes <= width; i += kLanes) {
      const Vector unit = load(x + i) * inverse;
      const Vector d = load(d_z + i);
      store(io.d_gain + i, load(io.d_gain + i) + d * unit);
      sum += d * load(shape.gain + i) * unit;
    }
    for (; i < width; ++i) {
      io.d_gain[i] += d_z[i] * x[i] * inverse;
      tail += d_z[i] * shape.gain[i] * x[i] * inverse;
    }
    const float mean = (sum_lanes(sum) + tail) * inverse_width;
    float* d_x = io.d_x + t * width;
    i = 0;
    for (; i + kLanes <= width; i += kLanes) {
      const Vector unit = load(x + i) * inverse;
      store(d_x + i,
            load(d_x + i) + inverse * (load(d_z + i) * load(shape.gain + i) - unit * mean));
    }
    for (; i < width; ++i) {
      d_x[i] += inverse * (d_z[i] * shape.gain[i] - x[i] * inverse * mean);
    }
  }
}

void rotate(const Rotation& shape, float* rows) {
  const std::size_t half = shape.head_dim / 2;
  for (std::size_t t = 0; t < shape.num_rows; ++t) {
    const float* cosine = shape.cosine + static_cast<std::size_t>(shape.position[t]) * half;
    const float* sine = shape.sine + static_cast<std::size_t>(shape.position[t]) * half;
    for (std::size_t head = 0; head < shape.num_heads; ++head) {
      float* low = rows + t * shape.stride + head * shape.head_dim;
      float* high = low + half;
      std::size_t i = 0;
      for (; i + kLanes <= half; i += kLanes) {
        const Vector c = load(cosine + i);
        const Vector s = load(sine + i) * shape.direction;
        const Vector a = load(low + i);
        const Vector b = load(high + i);
        store(low + i, a * c - b * s);
        store(high + i, b * c + a * s);
      }
      for (; i < half; ++i) {
        const float s = sine[i] * shape.direction;
        const float a = low[i];
        const float b = high[i];
        low[i] = a * cosine[i] - b * s;
        high[i] = b * cosine[i] + a * s;
      }
    }
  }
}

void swiglu(std::size_t rows, std::size_t width, const float* gate_up, float* out) {
  for (std::size_t t = 0; t < rows; ++t) {
    const float* gate = gate_up + t * 2 * width;
    const float* up = gate + width;
    float* target = out + t * width;
    std::size_t i = 0;
    for (; i + kLanes <= width; i += kLanes) {
      const Vector g = load(gate + i);
      store(target + i, g * sigmoid(g) * load(up + i));
    }
    for (; i < width; ++i) {
      const float s = 1.0F / (1.0F + exponential_of(-gate[i]));
      target[i] = gate[i] * s * up[i];
    }
  }
}

void swiglu_backward(const SwigluBackward& io) {
  const std::size_t width = io.width;
  for (std::size_t t = 0; t < io.num_rows; ++t) {
    const float* gate = io.gate_up + t * 2 * width;
    const float* up = gate + width;
    const float* d_out = io.d_out + t * width;
    float* out = io.out + t * width;
    float* d_gate = io.d_gate_up + t * 2 * width;
    float* d_up = d_gate + width;
    std::size_t i = 0;
    for (; i + kLanes <= width; i += kLanes) {
      const Vector g = load(gate + i);
      const Vector u = load(up + i);
      const Vector d = load(d_out + i);
      const Vector s = sigmoid(g);
      const Vector silu = g * s;
      store(out + i, silu * u);
      store(d_up + i, d * silu);
      store(d_gate + i, d * u * (s + silu * (1.0F - s)));
    }
    for (; i < width; ++i) {
      const float s = 1.0F / (1.0F + exponential_of(-gate[i]));
      const float silu = gate[i] * s;
      out[i] = silu * up[i];
      d_up[i] = d_out[i] * silu;
      d_gate[i] = d_out[i] * up[i] * (s + silu * (1.0F - s));
    }
  }
}

SoftmaxSum attention_softmax(float* row, std::size_t valid, std::size_t length) {
  const std::size_t whole = valid / kLanes * kLanes;
  const IntVector inside = lanes_below(valid - whole);
  const Vector lowest = broadcast(-3.0e38F);
  Vector top = lowest;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    top = maximum(top, load(row + i));
  }
  if (whole < valid) {
    top = maximum(top, inside ? load(row + whole) : lowest);
  }
  const float most = max_lanes(top);
  Vector sum = {};
  for (std::size_t i = 0; i < whole; i += kLanes) {
    const Vector e = exponential(load(row + i) - most);
    sum += e;
    store(row + i, e);
  }
  std::size_t end = whole;
  if (whole < valid) {
    const Vector e = inside ? exponential(load(row + whole) - most) : Vector{};
    sum += e;
    store(row + whole, e);
    end += kLanes;
  }
  if (end < length) {
    __builtin_memset(row + end, 0, (length - end) * sizeof(float));
  }
  return {most, sum_lanes(sum), 0.0F};
}

void attention_softmax_backward(const AttentionRow& io) {
  const std::size_t whole = io.valid / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    const Vector p = exponential(load(io.scores + i) - io.log_sum);
    store(io.scores + i, p);
    store(io.d_p + i, p * (load(io.d_p + i) - io.delta));
  }
  std::size_t end = whole;
  if (whole < io.valid) {
    const IntVector inside = lanes_below(io.valid - whole);
    const Vector p = exponential(load(io.scores + whole) - io.log_sum);
    store(io.scores + whole, inside ? p : Vector{});
    store(io.d_p + whole, inside ? p * (load(io.d_p + whole) - io.delta) : Vector{});
    end += kLanes;
  }
  if (end < io.length) {
    __builtin_memset(io.scores + end, 0, (io.length - end) * sizeof(float));
    __builtin_memset(io.d_p + end, 0, (io.length - end) * sizeof(float));
  }
}

SoftmaxSum head_softmax(const float* logits, std::size_t length, float inverse_temperature) {
  const std::size_t whole = length / kLanes * kLanes;
  const IntVector inside = lanes_below(length - whole);
  const Vector lowest = broadcast(-3.0e38F);
  Vector top = lowest;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    top = maximum(top, load(logits + i));
  }
  if (whole < length) {
    top = maximum(top, inside ? load(logits + whole) : lowest);
  }
  const float most = max_lanes(top);
  Vector sum = {};
  Vector weighted = {};
  for (std::size_t i = 0; i < whole; i += kLanes) {
    const Vector x = (load(logits + i) - most) * inverse_temperature;
    const Vector e = exponential(x);
    sum += e;
    weighted += e * x;
  }
  if (whole < length) {
    const Vector x = inside ? (load(logits + whole) - most) * inverse_temperature : Vector{};
    const Vector e = inside ? exponential(x) : Vector{};
    sum += e;
    weighted += e * x;
  }
  return {most * inverse_temperature, sum_lanes(sum), sum_lanes(weighted)};
}

void head_softmax_backward(const HeadRow& io) {
  const float constant = io.d_logprob + io.d_entropy * io.entropy;
  for (std::size_t i = 0; i < io.length; i += kLanes) {
    const Vector logp = load(io.logits + i) * io.inverse_temperature - io.log_sum;
    const Vector p = exponential(logp);
    store(io.logits + i, -io.inverse_temperature * p * (constant + io.d_entropy * logp));
  }
}

inline Vector square_root(Vector x) {
  Vector root;
  for (std::size_t i = 0; i < kLanes; ++i) {
    root[i] = __builtin_sqrtf(x[i]);
  }
  return root;
}

void adamw(const AdamWStep& io) {
  const auto step = [&io](std::size_t i) {
    const float g = io.gradient[i] * io.gradient_scale;
    io.first[i] += (1.0F - io.beta1) * (g - io.first[i]);
    io.second[i] += (1.0F - io.beta2) * (g * g - io.second[i]);
    io.weights[i] =
        io.weights[i] * io.decay -
        io.step_size * io.first[i] / (__builtin_sqrtf(io.second[i]) * io.root_scale + io.epsilon);
  };
  std::size_t i = 0;
  for (; i + kLanes <= io.count; i += kLanes) {
    const Vector g = load(io.gradient + i) * io.gradient_scale;
    const Vector first = load(io.first + i) + (1.0F - io.beta1) * (g - load(io.first + i));
    const Vector second = load(io.second + i) + (1.0F - io.beta2) * (g * g - load(io.second + i));
    store(io.first + i, first);
    store(io.second + i, second);
    store(io.weights + i,
          load(io.weights + i) * io.decay -
              io.step_size * first / (square_root(second) * io.root_scale + io.epsilon));
  }
  for (; i < io.count; ++i) {
    step(i);
  }
}

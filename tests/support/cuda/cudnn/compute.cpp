#include "support/cuda/cudnn/compute.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace regatta::cuda_fakes::cudnn {

namespace {

constexpr float kInexact = 1 + 1e-4F;  // error factor of less exact engines

using Floats = std::vector<float>;
using Order = std::vector<std::int64_t>;

/// Rounded to a fraction of so many bits, to nearest even.
float rounded(float value, int bits) {
  if (!std::isfinite(value)) return value;
  const int cut = 23 - bits;
  auto pattern = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t half = (std::uint32_t{1} << (cut - 1)) - 1 + (pattern >> cut & 1U);
  pattern = (pattern + half) >> cut << cut;
  return std::bit_cast<float>(pattern);
}

float operand_rounding(std::int64_t engine, float value) {
  if (engine == kTensorCore) return rounded(value, 10);
  if (engine == kDownConverting) return rounded(value, 7);
  return value;
}

Floats operand(const Tensor& tensor, const void* memory, std::int64_t engine) {
  const auto count = static_cast<std::size_t>(tensor.count());
  Floats values(count);
  if (tensor.type == CUDNN_DATA_BFLOAT16) {
    const auto* const from = static_cast<const std::uint16_t*>(memory);
    for (std::size_t i = 0; i < count; ++i) values[i] = std::bit_cast<float>(static_cast<std::uint32_t>(from[i]) << 16);
    return values;
  }
  std::memcpy(values.data(), memory, count * sizeof(float));
  if (engine == kTensorCore || engine == kDownConverting) {
    for (float& value : values) value = operand_rounding(engine, value);
  }
  return values;
}

/// The order in which `count` terms are added.
Order order_of(const Configuration& c, std::int64_t count, std::uint64_t turn) {
  Order order;
  std::int64_t step = 1;
  if (c.engine == kTiled) step = 2 + c.tile;
  if (c.engine == kTensorCore) step = 5;
  if (c.engine == kAtomic) step = 6 + static_cast<std::int64_t>(turn % 5);
  for (std::int64_t begin = 0; begin < step; ++begin) {
    for (std::int64_t i = begin; i < count; i += step) order.push_back(i);
  }
  if (c.engine == kAtomic && turn % 2 == 1) std::reverse(order.begin(), order.end());
  return order;
}

/// Indices that all kinds share.
struct Loops {
  const Problem& p;
  std::int64_t rows, columns, channels, out_rows, out_columns, filters, taps_rows, taps_columns;

  explicit Loops(const Problem& problem)
      : p(problem),
        rows(p.x.extents[2]),
        columns(p.x.extents[3]),
        channels(p.x.extents[1]),
        out_rows(p.y.extents[2]),
        out_columns(p.y.extents[3]),
        filters(p.w.extents[0]),
        taps_rows(p.w.extents[2]),
        taps_columns(p.w.extents[3]) {}

  [[nodiscard]] std::int64_t positions() const { return p.x.extents[0] * out_rows * out_columns; }
  [[nodiscard]] std::int64_t taps() const { return taps_rows * taps_columns; }

  /// The pixel that a tap reads at a position; -1: outside.
  [[nodiscard]] std::int64_t pixel(std::int64_t position, std::int64_t tap) const {
    const std::int64_t sample = position / (out_rows * out_columns);
    const std::int64_t row = position / out_columns % out_rows * p.strides[0] - p.before[0] + tap / taps_columns;
    const std::int64_t column = position % out_columns * p.strides[1] - p.before[1] + tap % taps_columns;
    if (row < 0 || row >= rows || column < 0 || column >= columns) return -1;
    return (sample * rows + row) * columns + column;
  }
};

/// sums(count) += factor * values(count)
void add(float* sums, const float* values, float factor, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) sums[i] += factor * values[i];
}

/// From (filters, taps, channels) to (taps, channels, filters), or back.
Floats transposed(const Floats& from, std::int64_t rows, std::int64_t columns) {
  Floats to(from.size());
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      to[static_cast<std::size_t>(j * rows + i)] = from[static_cast<std::size_t>(i * columns + j)];
    }
  }
  return to;
}

Floats forward(const Loops& l, const Floats& x, const Floats& w, const Configuration& c, std::uint64_t turn) {
  const Floats weights = transposed(w, l.filters, l.taps() * l.channels);
  const Order order = order_of(c, l.taps() * l.channels, turn);
  Floats y(static_cast<std::size_t>(l.positions() * l.filters));
  for (std::int64_t position = 0; position < l.positions(); ++position) {
    for (const std::int64_t term : order) {
      const std::int64_t pixel = l.pixel(position, term / l.channels);
      if (pixel < 0) continue;
      const float value = x[static_cast<std::size_t>(pixel * l.channels + term % l.channels)];
      add(y.data() + position * l.filters, weights.data() + term * l.filters, value, l.filters);
    }
  }
  return y;
}

Floats kernel_gradient(const Loops& l, const Floats& x, const Floats& dy, const Configuration& c, std::uint64_t turn) {
  Floats sums(static_cast<std::size_t>(l.taps() * l.channels * l.filters));
  for (const std::int64_t position : order_of(c, l.positions(), turn)) {
    for (std::int64_t tap = 0; tap < l.taps(); ++tap) {
      const std::int64_t pixel = l.pixel(position, tap);
      if (pixel < 0) continue;
      for (std::int64_t channel = 0; channel < l.channels; ++channel) {
        const float value = x[static_cast<std::size_t>(pixel * l.channels + channel)];
        add(sums.data() + (tap * l.channels + channel) * l.filters, dy.data() + position * l.filters, value, l.filters);
      }
    }
  }
  return transposed(sums, l.taps() * l.channels, l.filters);
}

Floats input_gradient(const Loops& l, const Floats& dy, const Floats& w, const Configuration& c, std::uint64_t turn) {
  Floats dx(static_cast<std::size_t>(l.p.x.count()));
  const Order order = order_of(c, l.taps() * l.filters, turn);
  for (std::int64_t position = 0; position < l.positions(); ++position) {
    for (const std::int64_t term : order) {
      const std::int64_t tap = term % l.taps();
      const std::int64_t filter = term / l.taps();
      const std::int64_t pixel = l.pixel(position, tap);
      if (pixel < 0) continue;
      const float value = dy[static_cast<std::size_t>(position * l.filters + filter)];
      add(dx.data() + pixel * l.channels, w.data() + (filter * l.taps() + tap) * l.channels, value, l.channels);
    }
  }
  return dx;
}

Floats result_of(const Problem& p, const Configuration& c, const Pointers& from, std::uint64_t turn) {
  const Loops loops(p);
  switch (p.kind) {
    case Kind::kernel_gradient:
      return kernel_gradient(loops, operand(p.x, from.x, c.engine), operand(p.y, from.y, c.engine), c, turn);
    case Kind::input_gradient:
      return input_gradient(loops, operand(p.y, from.y, c.engine), operand(p.w, from.w, c.engine), c, turn);
    case Kind::forward:
      break;
  }
  return forward(loops, operand(p.x, from.x, c.engine), operand(p.w, from.w, c.engine), c, turn);
}

}  // namespace

void compute(const Problem& p, const Configuration& c, const Pointers& pointers, std::uint64_t turn) {
  const std::int64_t workspace = workspace_of(c, p);
  if (workspace > 0) std::memset(pointers.workspace, 0xff, static_cast<std::size_t>(workspace));
  Floats result = result_of(p, c, pointers, turn);
  const bool is_inexact = c.engine == kWinograd || c.engine == kFft;
  for (float& value : result) {
    if (is_inexact) value *= kInexact;
    if (c.engine == kReducedSums) value = rounded(value, 7);
  }
  const void* const to = p.kind == Kind::forward           ? pointers.y
                         : p.kind == Kind::kernel_gradient ? pointers.w
                                                           : pointers.x;
  std::memcpy(const_cast<void*>(to), result.data(), result.size() * sizeof(float));
}

}  // namespace regatta::cuda_fakes::cudnn

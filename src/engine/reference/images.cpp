// 2-D convolution and pooling with their gradients. A fused operation is its parts, one after the other.
#include <cmath>

#include "engine/reference/kernels.hpp"

namespace regatta::engine::reference {

namespace {

const float* in(const Memory& memory, std::size_t operand) { return static_cast<const float*>(memory[operand]); }
float* out(const Memory& memory, std::size_t operand) { return static_cast<float*>(memory[operand]); }

/// Visits every (image, position, tap) whose input lies inside, with the pixels and the tap that it joins.
template <class Visit>
void for_each_tap(const Conv2dShape& s, const Visit& visit) {
  for (std::int64_t position = 0; position < s.batch * s.out_rows * s.out_columns; ++position) {
    const std::int64_t image = position / (s.out_rows * s.out_columns);
    const std::int64_t out_row = position / s.out_columns % s.out_rows;
    const std::int64_t out_column = position % s.out_columns;
    for (std::int64_t tap = 0; tap < s.taps * s.taps; ++tap) {
      const std::int64_t row = out_row * s.stride - s.pad_rows + tap / s.taps;
      const std::int64_t column = out_column * s.stride - s.pad_columns + tap % s.taps;
      if (row < 0 || row >= s.rows || column < 0 || column >= s.columns) continue;
      visit((image * s.rows + row) * s.columns + column, position, tap);
    }
  }
}

std::vector<double> zeros(std::int64_t count) { return std::vector<double>(static_cast<std::size_t>(count)); }

void round_to(const std::vector<double>& sums, float* rounded) {
  for (std::size_t i = 0; i < sums.size(); ++i) rounded[i] = static_cast<float>(sums[i]);
}

/// Visits every element that a window covers: visit(index in x, index in y), a window's elements in order.
template <class Visit>
void for_each_covered(const PoolShape& s, const Visit& visit) {
  for (std::int64_t y = 0; y < s.batch * s.out_rows * s.out_columns * s.channels; ++y) {
    const std::int64_t channel = y % s.channels;
    const std::int64_t out_column = y / s.channels % s.out_columns;
    const std::int64_t out_row = y / (s.channels * s.out_columns) % s.out_rows;
    const std::int64_t image = y / (s.channels * s.out_columns * s.out_rows);
    for (std::int64_t element = 0; element < s.window_rows * s.window_columns; ++element) {
      const std::int64_t row = out_row * s.window_rows + element / s.window_columns;
      const std::int64_t column = out_column * s.window_columns + element % s.window_columns;
      visit(((image * s.rows + row) * s.columns + column) * s.channels + channel, y, element);
    }
  }
}

std::int64_t input_size(const PoolShape& s) { return s.batch * s.rows * s.columns * s.channels; }

}  // namespace

void run(const Conv2d& op, const Memory& memory) {
  const Conv2dShape& s = op.shape;
  const std::int64_t positions = s.batch * s.out_rows * s.out_columns;
  std::vector<double> y = zeros(positions * s.filters);
  for_each_tap(s, [&](std::int64_t pixel, std::int64_t position, std::int64_t tap) {
    for (std::int64_t channel = 0; channel < s.channels; ++channel) {
      const double value = in(memory, 0)[pixel * s.channels + channel];
      const float* const weights = in(memory, 1) + (tap * s.channels + channel) * s.filters;
      for (std::int64_t filter = 0; filter < s.filters; ++filter) {
        y[static_cast<std::size_t>(position * s.filters + filter)] += value * weights[filter];
      }
    }
  });
  round_to(y, out(memory, 2));
  if (op.add_bias) run(AddBias{positions, s.filters}, {memory[2], memory[3]});
  run(Activate{op.activation, positions * s.filters}, {memory[2]});
}

void run(const Conv2dKernelGradient& op, const Memory& memory) {
  const Conv2dShape& s = op.shape;
  std::vector<double> gradient = zeros(s.taps * s.taps * s.channels * s.filters);
  for_each_tap(s, [&](std::int64_t pixel, std::int64_t position, std::int64_t tap) {
    for (std::int64_t channel = 0; channel < s.channels; ++channel) {
      const double value = in(memory, 0)[pixel * s.channels + channel];
      const float* const dy = in(memory, 1) + position * s.filters;
      for (std::int64_t filter = 0; filter < s.filters; ++filter) {
        gradient[static_cast<std::size_t>((tap * s.channels + channel) * s.filters + filter)] += value * dy[filter];
      }
    }
  });
  round_to(gradient, out(memory, 2));
  if (op.sum_columns) run(ColumnSum{s.batch * s.out_rows * s.out_columns, s.filters}, {memory[1], memory[5]});
}

void run(const Conv2dInputGradient& op, const Memory& memory) {
  const Conv2dShape& s = op.shape;
  const std::int64_t count = s.batch * s.rows * s.columns * s.channels;
  std::vector<double> dx = zeros(count);
  for_each_tap(s, [&](std::int64_t pixel, std::int64_t position, std::int64_t tap) {
    for (std::int64_t channel = 0; channel < s.channels; ++channel) {
      const float* const dy = in(memory, 0) + position * s.filters;
      const float* const weights = in(memory, 1) + (tap * s.channels + channel) * s.filters;
      double& sum = dx[static_cast<std::size_t>(pixel * s.channels + channel)];
      for (std::int64_t filter = 0; filter < s.filters; ++filter) {
        sum += static_cast<double>(dy[filter]) * weights[filter];
      }
    }
  });
  round_to(dx, out(memory, 2));
  run(ActivateGradient{op.derivative, count}, {memory[2], memory[4]});
}

void run(const MaxPool& op, const Memory& memory) {
  float* const y = out(memory, 1);
  for_each_covered(op.shape, [&](std::int64_t from, std::int64_t to, std::int64_t element) {
    const float x = in(memory, 0)[from];
    if (element == 0 || x > y[to] || std::isnan(x)) y[to] = x;
    // A NaN stays: nothing is larger than it.
  });
}

void run(const MaxPoolGradient& op, const Memory& memory) {
  const std::int64_t count = input_size(op.shape);
  float* const dx = out(memory, 2);
  for (std::int64_t i = 0; i < count; ++i) dx[i] = 0;
  bool taken = false;
  for_each_covered(op.shape, [&](std::int64_t from, std::int64_t to, std::int64_t element) {
    const float x = in(memory, 1)[from];
    taken = taken && element > 0;
    if (taken || !(x == in(memory, 3)[to] || std::isnan(x))) return;
    dx[from] = in(memory, 0)[to];
    taken = true;
  });
  run(ActivateGradient{op.derivative, count}, {memory[2], memory[4]});
}

void run(const AveragePool& op, const Memory& memory) {
  const double size = static_cast<double>(op.shape.window_rows * op.shape.window_columns);
  double sum = 0;
  for_each_covered(op.shape, [&](std::int64_t from, std::int64_t to, std::int64_t element) {
    sum = (element == 0 ? 0 : sum) + in(memory, 0)[from];
    out(memory, 1)[to] = static_cast<float>(sum / size);
  });
}

void run(const AveragePoolGradient& op, const Memory& memory) {
  const double size = static_cast<double>(op.shape.window_rows * op.shape.window_columns);
  const std::int64_t count = input_size(op.shape);
  float* const dx = out(memory, 2);
  for (std::int64_t i = 0; i < count; ++i) dx[i] = 0;
  for_each_covered(op.shape, [&](std::int64_t from, std::int64_t to, std::int64_t) {
    dx[from] = static_cast<float>(in(memory, 0)[to] / size);
  });
  run(ActivateGradient{op.derivative, count}, {memory[2], memory[4]});
}

void enter_images(Kernels& kernels) {
  enter<Conv2d, Conv2dKernelGradient, Conv2dInputGradient, MaxPool, MaxPoolGradient, AveragePool, AveragePoolGradient>(
      kernels, [](const auto& op, const Memory& memory) { run(op, memory); });
}

}  // namespace regatta::engine::reference

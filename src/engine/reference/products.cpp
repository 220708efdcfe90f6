// Matrix product and 1-D convolution with their gradients.
// A fused operation is its parts, one after the other.
#include "engine/reference/kernels.hpp"

namespace regatta::engine::reference {

namespace {

const float* in(const Memory& memory, std::size_t operand) { return static_cast<const float*>(memory[operand]); }
float* out(const Memory& memory, std::size_t operand) { return static_cast<float*>(memory[operand]); }

/// Visits every (image, position, tap) whose input lies inside, with the rows that it joins.
template <class Visit>
void for_each_tap(const Conv1dShape& s, const Visit& visit) {
  for (std::int64_t image = 0; image < s.batch; ++image) {
    for (std::int64_t position = 0; position < s.positions; ++position) {
      for (std::int64_t tap = 0; tap < s.taps; ++tap) {
        const std::int64_t source = position * s.stride - s.pad + tap;
        if (source < 0 || source >= s.length) continue;
        visit(image * s.length + source, image * s.positions + position, tap);
      }
    }
  }
}

std::vector<double> zeros(std::int64_t count) { return std::vector<double>(static_cast<std::size_t>(count)); }

void round_to(const std::vector<double>& sums, float* rounded) {
  for (std::size_t i = 0; i < sums.size(); ++i) rounded[i] = static_cast<float>(sums[i]);
}

/// Makes b, and goes on as if it had been there.
void run_with_outer_b(MatMul op, Memory memory) {
  std::vector<float> b(static_cast<std::size_t>(op.k * op.n));
  run(MatMul{.m = op.k, .n = op.n, .k = 1, .derivative = op.derivative},
      {memory[1], memory[3], b.data(), nullptr, memory[4]});
  op.outer_b = false;
  op.derivative = Activation::none;
  memory[1] = b.data();
  run(op, memory);
}

}  // namespace

void run(const MatMul& op, const Memory& memory) {
  if (op.outer_b) return run_with_outer_b(op, memory);
  const float* const a = in(memory, 0);
  const float* const b = in(memory, 1);
  for (std::int64_t i = 0; i < op.m; ++i) {
    for (std::int64_t j = 0; j < op.n; ++j) {
      double sum = op.add_to_c ? out(memory, 2)[i * op.n + j] : 0;
      for (std::int64_t l = 0; l < op.k; ++l) {
        const float left = op.transpose_a ? a[l * op.m + i] : a[i * op.k + l];
        const float right = op.transpose_b ? b[j * op.k + l] : b[l * op.n + j];
        sum += static_cast<double>(left) * right;
      }
      out(memory, 2)[i * op.n + j] = static_cast<float>(sum);
    }
  }
  if (op.add_bias) run(AddBias{op.m, op.n}, {memory[2], memory[3]});
  run(Activate{op.activation, op.m * op.n}, {memory[2]});
  run(ActivateGradient{op.derivative, op.m * op.n}, {memory[2], memory[4]});
  if (op.sum_columns) run(ColumnSum{op.k, op.n, op.add_to_c}, {memory[1], memory[5]});
}

void run(const Conv1d& op, const Memory& memory) {
  const Conv1dShape& s = op.shape;
  std::vector<double> y = zeros(s.batch * s.positions * s.filters);
  for_each_tap(s, [&](std::int64_t x_row, std::int64_t y_row, std::int64_t tap) {
    for (std::int64_t channel = 0; channel < s.channels; ++channel) {
      const double value = in(memory, 0)[x_row * s.channels + channel];
      const float* const weights = in(memory, 1) + (tap * s.channels + channel) * s.filters;
      for (std::int64_t filter = 0; filter < s.filters; ++filter) {
        y[static_cast<std::size_t>(y_row * s.filters + filter)] += value * weights[filter];
      }
    }
  });
  round_to(y, out(memory, 2));
  if (op.add_bias) run(AddBias{s.batch * s.positions, s.filters}, {memory[2], memory[3]});
  run(Activate{op.activation, s.batch * s.positions * s.filters}, {memory[2]});
}

void run(const Conv1dKernelGradient& op, const Memory& memory) {
  const Conv1dShape& s = op.shape;
  std::vector<double> gradient = zeros(s.taps * s.channels * s.filters);
  for_each_tap(s, [&](std::int64_t x_row, std::int64_t y_row, std::int64_t tap) {
    for (std::int64_t channel = 0; channel < s.channels; ++channel) {
      const double value = in(memory, 0)[x_row * s.channels + channel];
      const float* const dy = in(memory, 1) + y_row * s.filters;
      for (std::int64_t filter = 0; filter < s.filters; ++filter) {
        gradient[static_cast<std::size_t>((tap * s.channels + channel) * s.filters + filter)] += value * dy[filter];
      }
    }
  });
  round_to(gradient, out(memory, 2));
  if (op.sum_columns) run(ColumnSum{s.batch * s.positions, s.filters}, {memory[1], memory[5]});
}

void run(const Conv1dInputGradient& op, const Memory& memory) {
  const Conv1dShape& s = op.shape;
  std::vector<double> dx = zeros(s.batch * s.length * s.channels);
  for_each_tap(s, [&](std::int64_t x_row, std::int64_t y_row, std::int64_t tap) {
    for (std::int64_t channel = 0; channel < s.channels; ++channel) {
      const float* const dy = in(memory, 0) + y_row * s.filters;
      const float* const weights = in(memory, 1) + (tap * s.channels + channel) * s.filters;
      double& sum = dx[static_cast<std::size_t>(x_row * s.channels + channel)];
      for (std::int64_t filter = 0; filter < s.filters; ++filter) {
        sum += static_cast<double>(dy[filter]) * weights[filter];
      }
    }
  });
  round_to(dx, out(memory, 2));
  run(ActivateGradient{op.derivative, s.batch * s.length * s.channels}, {memory[2], memory[4]});
}

void enter_products(Kernels& kernels) {
  enter<MatMul, Conv1d, Conv1dKernelGradient, Conv1dInputGradient>(
      kernels, [](const auto& op, const Memory& memory) { run(op, memory); });
}

}  // namespace regatta::engine::reference

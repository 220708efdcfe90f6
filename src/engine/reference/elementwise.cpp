// Bias, activations, softmax, pooling, dropout and the scalar example.
#include <algorithm>
#include <cmath>

#include "engine/reference/kernels.hpp"
#include "engine/reference/scalar.hpp"
#include "regatta/base/random.hpp"

namespace regatta::engine::reference {

namespace {

const float* in(const Memory& memory, std::size_t operand) { return static_cast<const float*>(memory[operand]); }
float* out(const Memory& memory, std::size_t operand) { return static_cast<float*>(memory[operand]); }

}  // namespace

void run(const AddBias& op, const Memory& memory) {
  for (std::int64_t i = 0; i < op.rows * op.columns; ++i) out(memory, 0)[i] += in(memory, 1)[i % op.columns];
}

void run(const ColumnSum& op, const Memory& memory) {
  for (std::int64_t column = 0; column < op.columns; ++column) {
    double sum = op.add_to_sums ? out(memory, 1)[column] : 0;
    for (std::int64_t row = 0; row < op.rows; ++row) sum += in(memory, 0)[row * op.columns + column];
    out(memory, 1)[column] = static_cast<float>(sum);
  }
}

void run(const Activate& op, const Memory& memory) {
  float* const x = out(memory, 0);
  for (std::int64_t i = 0; i < op.count; ++i) x[i] = static_cast<float>(activate(op.activation, x[i]));
}

void run(const ActivateGradient& op, const Memory& memory) {
  if (op.activation == Activation::none) return;
  float* const dy = out(memory, 0);
  for (std::int64_t i = 0; i < op.count; ++i) {
    dy[i] = static_cast<float>(dy[i] * derivative(op.activation, in(memory, 1)[i]));
  }
}

void run(const Softmax& op, const Memory& memory) {
  for (std::int64_t row = 0; row < op.rows; ++row) {
    float* const x = out(memory, 0) + row * op.columns;
    const double top = *std::max_element(x, x + op.columns);
    double sum = 0;
    for (std::int64_t i = 0; i < op.columns; ++i) sum += std::exp(x[i] - top);
    for (std::int64_t i = 0; i < op.columns; ++i) x[i] = static_cast<float>(std::exp(x[i] - top) / sum);
  }
}

void run(const GlobalAveragePool& op, const Memory& memory) {
  for (std::int64_t image = 0; image < op.batch; ++image) {
    for (std::int64_t channel = 0; channel < op.channels; ++channel) {
      double sum = 0;
      for (std::int64_t i = 0; i < op.length; ++i)
        sum += in(memory, 0)[(image * op.length + i) * op.channels + channel];
      out(memory, 1)[image * op.channels + channel] = static_cast<float>(sum / static_cast<double>(op.length));
    }
  }
}

void run(const SlidingMean& op, const Memory& memory) {
  for (std::int64_t image = 0; image < op.batch; ++image) {
    for (std::int64_t j = 0; j < op.outputs; ++j) {
      for (std::int64_t channel = 0; channel < op.channels; ++channel) {
        double sum = 0;
        for (std::int64_t i = 0; i < op.count; ++i) {
          const std::int64_t at = i * op.stride + j - op.pad;
          if (at >= 0 && at < op.length) sum += in(memory, 0)[(image * op.length + at) * op.channels + channel];
        }
        out(memory, 1)[(image * op.outputs + j) * op.channels + channel] =
            static_cast<float>(sum / static_cast<double>(op.count));
      }
    }
  }
}

void run(const GlobalAveragePoolGradient& op, const Memory& memory) {
  for (std::int64_t image = 0; image < op.batch; ++image) {
    for (std::int64_t i = 0; i < op.length; ++i) {
      for (std::int64_t channel = 0; channel < op.channels; ++channel) {
        const double dy = in(memory, 0)[image * op.channels + channel];
        out(memory, 1)[(image * op.length + i) * op.channels + channel] =
            static_cast<float>(dy / static_cast<double>(op.length));
      }
    }
  }
}

void run(const Dropout& op, const Memory& memory) {
  const auto* const state = static_cast<const StepState*>(memory[3]);
  const std::uint64_t key = random_bits(op.key, static_cast<std::uint64_t>(state->step));
  const auto rate = static_cast<float>(op.rate);
  for (std::int64_t i = 0; i < op.batch * op.units; ++i) {
    const auto counter = static_cast<std::uint64_t>((op.first_sample + state->first_sample) * op.units + i);
    const float mask = random_unit(key, counter) < rate ? 0.0F : static_cast<float>(1 / (1 - op.rate));
    out(memory, 2)[i] = mask;
    out(memory, 1)[i] = in(memory, 0)[i] * mask;
  }
}

void run(const DropoutGradient& op, const Memory& memory) {
  for (std::int64_t i = 0; i < op.count; ++i) out(memory, 2)[i] = in(memory, 0)[i] * in(memory, 1)[i];
}

void run(const Square&, const Memory& memory) { *out(memory, 1) = *in(memory, 0) * *in(memory, 0); }

void run(const SquareGradient&, const Memory& memory) { *out(memory, 2) = 2 * *in(memory, 0) * *in(memory, 1); }

void run(const Fill& op, const Memory& memory) { std::fill_n(out(memory, 0), op.count, op.value); }

void enter_elementwise(Kernels& kernels) {
  enter<AddBias, ColumnSum, Activate, ActivateGradient, Softmax, GlobalAveragePool, SlidingMean,
        GlobalAveragePoolGradient, Dropout, DropoutGradient, Square, SquareGradient, Fill>(
      kernels, [](const auto& op, const Memory& memory) { run(op, memory); });
}

}  // namespace regatta::engine::reference

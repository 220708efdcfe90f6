// Own kernels beside the products of libraries: bias and activation behind them, operands in other layouts, gates
// between them. Everything is dense, row-major and the device's. All throw DeviceError.
#pragma once

#include "engine/cuda/device/target.hpp"

namespace regatta::engine::cuda {

/// x(rows, columns) = activation(x + bias); null: no bias. Bit by bit add_bias, then activate.
void finish_product(const Target& target, float* x, const float* bias, std::int64_t rows, std::int64_t columns,
                    Activation activation);

/// A MatMul of one term (k is 1), but for its sums of columns. Bit by bit the product, add_bias, activate and
/// activate_gradient.
void multiply_outer(const Target& target, const MatMul& op, const Memory& memory);

/// dx(count) *= derivative of the activation where its output is y(count). Bit by bit activate_gradient.
void multiply_derivative(const Target& target, float* dx, const float* y, std::int64_t count, Activation activation);

/// sums(columns) of x(rows, columns) over the rows. Bit by bit column_sum.
void sum_columns(const Target& target, const float* x, float* sums, std::int64_t rows, std::int64_t columns);

/// to(count) = from(count) rounded to bf16, to nearest even.
void round_to_bf16(const Target& target, const float* from, std::uint16_t* to, std::int64_t count);

/// A convolution of samples as a product: rows of the `columns` matrix are positions, (samples * out_rows *
/// out_columns, taps_rows * taps_columns * channels); what lies outside counts as zero.
struct Unfolding {
  std::int64_t samples, rows, columns, channels;  ///< x (samples, rows, columns, channels)
  std::int64_t out_rows, out_columns;             ///< positions
  std::int64_t taps_rows, taps_columns;           ///< kernel (taps_rows, taps_columns, channels, filters)
  std::int64_t stride_rows, stride_columns;
  std::int64_t pad_rows, pad_columns;
};

/// matrix = the unfolded x.
void unfold(const Target& target, const Unfolding& shape, const float* x, float* matrix);

/// dx = sum of the matrix's elements that unfold takes from each place, tap by tap, so that the order is fixed.
void fold(const Target& target, const Unfolding& shape, const float* matrix, float* dx);

/// to(filters, taps, channels) = from(taps, channels, filters), and back: cuDNN's order of a kernel.
void filters_first(const Target& target, const float* from, float* to, std::int64_t taps, std::int64_t channels,
                   std::int64_t filters);
void filters_last(const Target& target, const float* from, float* to, std::int64_t taps, std::int64_t channels,
                  std::int64_t filters);

/// Arrays have all positions but `rounded`: the states that one position leaves, (batch, units) in bf16; null: none.
struct LstmMemory {
  float *gates, *states, *cells;
  std::uint16_t* rounded;
};

/// One position of an Lstm, of all samples: gates(batch, 4 units) at `position` hold x kernel + bias + h' recurrent and
/// become activated; writes cells and states there. `before`: the position that came before; -1: none.
void lstm_gates(const Target& target, const Lstm& op, const LstmMemory& memory, std::int64_t position,
                std::int64_t before);

/// Arrays have all positions but `carry`, (2, batch, units): gradient of h (through the recurrent product of the
/// position that comes after) and of c, both from the position after; and `rounded`: what a position leaves in gates,
/// (batch, 4 units) in bf16; null: none.
struct LstmGradientMemory {
  const float* dstates;
  float* gates;
  const float* cells;
  float* carry;
  std::uint16_t* rounded;
};

/// One position of an LstmGradient, of all samples; carry's gradient of c is renewed. `is_first`: no position comes
/// after it, and both count as zero.
void lstm_gates_gradient(const Target& target, const LstmGradient& op, const LstmGradientMemory& memory,
                         std::int64_t position, std::int64_t before, bool is_first);

/// to(batch, length, units): the states from the position before, zeros where there is none.
void states_before(const Target& target, const LstmShape& shape, const float* states, float* to);

/// LstmLast.
void lstm_last(const Target& target, const LstmLast& op, const float* states, float* y);

}  // namespace regatta::engine::cuda

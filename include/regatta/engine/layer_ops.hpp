// The operations of images, recurrent layers, normalization and embedding. The rest, and the conventions
// that hold for all of them, stand in ops.hpp.
#pragma once

#include <cstdint>

#include "regatta/model/model.hpp"

namespace regatta::engine {

using model::Activation;

/// Geometry of a 2-D convolution, channels last. Position (p, q) reads the inputs (p*stride - pad_rows + [0, taps),
/// q*stride - pad_columns + [0, taps)); those outside the image count as zero and are skipped.
struct Conv2dShape {
  std::int64_t batch, rows, columns, channels;       // x (batch, rows, columns, channels)
  std::int64_t out_rows, out_columns, filters;       // y (batch, out_rows, out_columns, filters)
  std::int64_t taps, stride, pad_rows, pad_columns;  // kernel (taps, taps, channels, filters)
};

/// 0: x, 1: kernel, 2: y. Fused, when set: 3: bias(filters), then the activation.
struct Conv2d {
  Conv2dShape shape;
  bool add_bias = false;
  Activation activation = Activation::none;
};

/// 0: x, 1: dy, 2: kernel gradient. Fused, when set: 5: sums of dy over batch and positions (filters).
struct Conv2dKernelGradient {
  Conv2dShape shape;
  bool sum_columns = false;
};

/// 0: dy, 1: kernel, 2: dx. Fused, when set: dx times the derivative of the activation with output 4: saved.
struct Conv2dInputGradient {
  Conv2dShape shape;
  Activation derivative = Activation::none;
};

/// Windows that touch without overlapping; what is left over at the end of an axis is not read. A sequence is an image
/// of one row.
struct PoolShape {
  std::int64_t batch, rows, columns, channels;  // x (batch, rows, columns, channels)
  std::int64_t window_rows, window_columns;
  std::int64_t out_rows, out_columns;  // y (batch, out_rows, out_columns, channels)
};

/// 0: x, 1: y, the largest of each window; NaN where the window holds one.
struct MaxPool {
  PoolShape shape;
};

/// dx = dy at the first element that is as large as the largest (or the first NaN), else 0. 0: dy, 1: x, 2: dx, 3: y.
/// Fused, when set: dx times the derivative of the activation with output 4: saved.
struct MaxPoolGradient {
  PoolShape shape;
  Activation derivative = Activation::none;
};

/// 0: x, 1: y, the mean of each window.
struct AveragePool {
  PoolShape shape;
};

/// 0: dy, 2: dx. Fused, when set: dx times the derivative of the activation with output 4: saved.
struct AveragePoolGradient {
  PoolShape shape;
  Activation derivative = Activation::none;
};

/// One direction of a recurrent layer. Gates stand in the order i, f, g, o.
struct LstmShape {
  std::int64_t batch, length, units;
  std::int64_t row;     ///< values of a position in `states`: units, or those of both directions
  std::int64_t offset;  ///< of this direction's values in a row
  bool reverse;         ///< from the last position to the first
};

/// c = f c' + i g and h = o activation(c) at each position, where c' and h' come from the position before and the gates
/// are those of x kernel + bias + h' recurrent: sigmoid, and `activation` for g.
/// 0: gates(batch, length, 4 units), in place: x kernel + bias becomes the activated gates, 1: recurrent(units, 4
/// units), 2: states(batch, length, row), of which columns [offset, offset + units) are written, 3: cells(batch,
/// length, units).
struct Lstm {
  LstmShape shape;
  Activation activation;
};

/// Gradient of all gates before their activation. 0: gradient of the states (batch, length, row), or with `last` that
/// of the last position (batch, row), 1: gates, in place: activated ones become their gradients, 2: recurrent, 3:
/// cells.
struct LstmGradient {
  LstmShape shape;
  Activation activation;
  bool last;
};

/// 0: states, 1: gradient of the gates, 2: gradient of the recurrent kernel (units, 4 units). Fused, when set: 5: sums
/// of 1 over batch and positions (4 units).
struct LstmRecurrentGradient {
  LstmShape shape;
  bool sum_columns = false;
};

/// Columns [offset, offset + units) of the position that comes last. 0: states, 1: y(batch, row).
struct LstmLast {
  LstmShape shape;
};

/// 0: x(count), in place, plus 1: y(count).
struct Add {
  std::int64_t count;
};

/// What normalization adds to a variance.
inline constexpr float kNormalizationEpsilon = 1e-3F;

/// y = (x - mean) scale gamma + beta for each column, with scale = 1 / sqrt(variance + epsilon). With `fixed_moments`
/// the mean is 0 and the variance 1. 0: x(rows, columns), 1: y, 2: gamma(columns), 3: beta(columns), 4: moments(2,
/// columns): mean and scale, written.
struct BatchNorm {
  std::int64_t rows, columns;
  bool fixed_moments;
};

/// 0: dy, 1: x, 2: dx (only with `input_gradient`), 3: gamma, 4: moments, 5: gradient of gamma, 6: of beta.
struct BatchNormGradient {
  std::int64_t rows, columns;
  bool input_gradient;
};

/// As BatchNorm, with a mean and a scale for each row. 4: moments(2, rows).
struct LayerNorm {
  std::int64_t rows, columns;
};

/// Operands as BatchNormGradient's.
struct LayerNormGradient {
  std::int64_t rows, columns;
  bool input_gradient;
};

/// 0: int32 indices(rows), 1: kernel(vocabulary, units), 2: y(rows, units).
struct Embedding {
  std::int64_t rows, vocabulary, units;
};

/// 0: int32 indices(rows), 1: dy(rows, units), 2: gradient of the kernel.
struct EmbeddingGradient {
  std::int64_t rows, vocabulary, units;
};

}  // namespace regatta::engine

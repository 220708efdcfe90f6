// The operations of images, recurrent layers, normalization and embedding. The rest, and the conventions
// that hold for all of them, stand in ops.hpp.
#pragma once

#include <cstdint>
#include <variant>

#include "regatta/engine/operands.hpp"
#include "regatta/engine/step_state.hpp"
#include "regatta/model/model.hpp"

namespace regatta::engine {

using model::Activation;

/// Geometry of a 2-D convolution, channels last. Position (p, q) reads the inputs (p*stride - pad_rows + [0, taps),
/// q*stride - pad_columns + [0, taps)); those outside the image count as zero and are skipped.
struct Conv2dShape {
  std::int64_t batch, rows, columns, channels;       // x (batch, rows, columns, channels)
  std::int64_t out_rows, out_columns, filters;       // y (batch, out_rows, out_columns, filters)
  std::int64_t taps, stride, pad_rows, pad_columns;  // kernel (taps, taps, channels, filters)

  [[nodiscard]] std::int64_t input_size() const { return batch * rows * columns * channels; }
  [[nodiscard]] std::int64_t output_size() const { return batch * out_rows * out_columns * filters; }
  [[nodiscard]] std::int64_t kernel_size() const { return taps * taps * channels * filters; }
};

/// 0: x, 1: kernel, 2: y. Fused, when set: 3: bias(filters), then the activation.
struct Conv2d {
  Conv2dShape shape;
  bool add_bias = false;
  Activation activation = Activation::none;

  static constexpr const char* kName = "conv2d";
  [[nodiscard]] OperandBytes operand_bytes() const {
    OperandBytes bytes = sizes(shape.input_size(), shape.kernel_size(), shape.output_size());
    if (add_bias) bytes[3] = floats(shape.filters);
    return bytes;
  }
};

/// 0: x, 1: dy, 2: kernel gradient. Fused, when set: 5: sums of dy over batch and positions (filters).
struct Conv2dKernelGradient {
  Conv2dShape shape;
  bool sum_columns = false;

  static constexpr const char* kName = "conv2d_kernel_gradient";
  [[nodiscard]] OperandBytes operand_bytes() const {
    OperandBytes bytes = sizes(shape.input_size(), shape.output_size(), shape.kernel_size());
    if (sum_columns) bytes[5] = floats(shape.filters);
    return bytes;
  }
};

/// 0: dy, 1: kernel, 2: dx. Fused, when set: dx times the derivative of the activation with output 4: saved.
struct Conv2dInputGradient {
  Conv2dShape shape;
  Activation derivative = Activation::none;

  static constexpr const char* kName = "conv2d_input_gradient";
  [[nodiscard]] OperandBytes operand_bytes() const {
    OperandBytes bytes = sizes(shape.output_size(), shape.kernel_size(), shape.input_size());
    if (derivative != Activation::none) bytes[4] = floats(shape.input_size());
    return bytes;
  }
};

/// Windows that touch without overlapping; what is left over at the end of an axis is not read. A sequence is an image
/// of one row.
struct PoolShape {
  std::int64_t batch, rows, columns, channels;  // x (batch, rows, columns, channels)
  std::int64_t window_rows, window_columns;
  std::int64_t out_rows, out_columns;  // y (batch, out_rows, out_columns, channels)

  [[nodiscard]] std::int64_t input_size() const { return batch * rows * columns * channels; }
  [[nodiscard]] std::int64_t output_size() const { return batch * out_rows * out_columns * channels; }
};

/// 0: x, 1: y, the largest of each window; NaN where the window holds one.
struct MaxPool {
  PoolShape shape;

  static constexpr const char* kName = "max_pool";
  [[nodiscard]] OperandBytes operand_bytes() const { return sizes(shape.input_size(), shape.output_size()); }
};

/// dx = dy at the first element that is as large as the largest (or the first NaN), else 0. 0: dy, 1: x, 2: dx, 3: y.
/// Fused, when set: dx times the derivative of the activation with output 4: saved.
struct MaxPoolGradient {
  PoolShape shape;
  Activation derivative = Activation::none;

  static constexpr const char* kName = "max_pool_gradient";
  [[nodiscard]] OperandBytes operand_bytes() const {
    OperandBytes bytes = sizes(shape.output_size(), shape.input_size(), shape.input_size());
    bytes[3] = floats(shape.output_size());
    if (derivative != Activation::none) bytes[4] = floats(shape.input_size());
    return bytes;
  }
};

/// 0: x, 1: y, the mean of each window.
struct AveragePool {
  PoolShape shape;

  static constexpr const char* kName = "average_pool";
  [[nodiscard]] OperandBytes operand_bytes() const { return sizes(shape.input_size(), shape.output_size()); }
};

/// 0: dy, 2: dx. Fused, when set: dx times the derivative of the activation with output 4: saved.
struct AveragePoolGradient {
  PoolShape shape;
  Activation derivative = Activation::none;

  static constexpr const char* kName = "average_pool_gradient";
  [[nodiscard]] OperandBytes operand_bytes() const {
    OperandBytes bytes = sizes(shape.output_size(), 0, shape.input_size());
    if (derivative != Activation::none) bytes[4] = floats(shape.input_size());
    return bytes;
  }
};

/// One direction of a recurrent layer. Gates stand in the order i, f, g, o.
struct LstmShape {
  std::int64_t batch, length, units;
  std::int64_t row;     ///< values of a position in `states`: units, or those of both directions
  std::int64_t offset;  ///< start of this direction's values in a row
  bool reverse;         ///< from the last position to the first

  [[nodiscard]] std::int64_t cells_size() const { return batch * length * units; }
  [[nodiscard]] std::int64_t gates_size() const { return 4 * cells_size(); }
  [[nodiscard]] std::int64_t states_size() const { return batch * length * row; }
  [[nodiscard]] std::int64_t recurrent_size() const { return 4 * units * units; }
};

/// c = f c' + i g and h = o activation(c) at each position, where c' and h' come from the position before and the gates
/// are those of x kernel + bias + h' recurrent: sigmoid, and `activation` for g.
/// 0: gates(batch, length, 4 units), in place: x kernel + bias becomes the activated gates, 1: recurrent(units, 4
/// units), 2: states(batch, length, row), of which columns [offset, offset + units) are written, 3: cells(batch,
/// length, units).
struct Lstm {
  LstmShape shape;
  Activation activation;

  static constexpr const char* kName = "lstm";
  [[nodiscard]] OperandBytes operand_bytes() const {
    OperandBytes bytes = sizes(shape.gates_size(), shape.recurrent_size(), shape.states_size());
    bytes[3] = floats(shape.cells_size());
    return bytes;
  }
};

/// Gradient of all gates before their activation. 0: gradient of the states (batch, length, row), or with `last` that
/// of the last position (batch, row), 1: gates, in place: activated ones become their gradients, 2: recurrent, 3:
/// cells.
struct LstmGradient {
  LstmShape shape;
  Activation activation;
  bool last;

  static constexpr const char* kName = "lstm_gradient";
  [[nodiscard]] OperandBytes operand_bytes() const {
    const std::int64_t states = last ? shape.batch * shape.row : shape.states_size();
    OperandBytes bytes = sizes(states, shape.gates_size(), shape.recurrent_size());
    bytes[3] = floats(shape.cells_size());
    return bytes;
  }
};

/// 0: states, 1: gradient of the gates, 2: gradient of the recurrent kernel (units, 4 units). Fused, when set: 5: sums
/// of 1 over batch and positions (4 units).
struct LstmRecurrentGradient {
  LstmShape shape;
  bool sum_columns = false;

  static constexpr const char* kName = "lstm_recurrent_gradient";
  [[nodiscard]] OperandBytes operand_bytes() const {
    OperandBytes bytes = sizes(shape.states_size(), shape.gates_size(), shape.recurrent_size());
    if (sum_columns) bytes[5] = floats(4 * shape.units);
    return bytes;
  }
};

/// Columns [offset, offset + units) of the position that comes last. 0: states, 1: y(batch, row).
struct LstmLast {
  LstmShape shape;

  static constexpr const char* kName = "lstm_last";
  [[nodiscard]] OperandBytes operand_bytes() const { return sizes(shape.states_size(), shape.batch * shape.row); }
};

/// 0: x(count), in place, plus 1: y(count).
struct Add {
  std::int64_t count;

  static constexpr const char* kName = "add";
  [[nodiscard]] OperandBytes operand_bytes() const { return sizes(count, count); }
};

/// The constant that normalization adds to a variance, unless a batch normalization has its own.
inline constexpr float kNormalizationEpsilon = 1e-3F;

/// Operands where `groups` share a mean and a scale.
constexpr OperandBytes normalization(std::int64_t count, std::int64_t columns, std::int64_t groups) {
  return {floats(count), floats(count), floats(columns), floats(columns), floats(2 * groups)};
}
constexpr OperandBytes normalization_gradient(std::int64_t count, std::int64_t columns, std::int64_t groups,
                                              bool input_gradient) {
  return {floats(count),   floats(count),  input_gradient ? floats(count) : 0, floats(columns), floats(2 * groups),
          floats(columns), floats(columns)};
}

/// y = (x - mean) scale gamma + beta for each column, with scale = 1 / sqrt(variance + epsilon). The variance is the
/// mean of the squared distances, over all rows. With `fixed_moments` the mean is 0 and the variance 1. 0: x(rows,
/// columns), 1: y, 2: gamma(columns), 3: beta(columns), 4: moments(2, columns): mean and scale, written. With
/// `moving_moments` 5: moving moments(2, columns), mean and variance: moved towards the batch's by the moving_share()
/// of the step in 6: StepState, or with `fixed_moments` read in place of 0 and 1 (6 is not read then). With
/// `given_moments` 4 is read: x is a part of what they are taken over.
struct BatchNorm {
  std::int64_t rows, columns;
  bool fixed_moments;
  bool moving_moments = false;
  bool given_moments = false;  ///< neither of the others then
  float epsilon = kNormalizationEpsilon;
  float smallest_share = 0.01F;  ///< moving_share() is at least that

  static constexpr const char* kName = "batch_norm";
  [[nodiscard]] bool moves() const { return moving_moments && !fixed_moments; }
  [[nodiscard]] OperandBytes operand_bytes() const {
    OperandBytes bytes = normalization(rows * columns, columns, columns);
    if (moving_moments) bytes[5] = floats(2 * columns);
    if (moves()) bytes[6] = static_cast<std::int64_t>(sizeof(StepState));
    return bytes;
  }
};

/// 0: dy, 1: x, 2: dx (only with `input_gradient`), 3: gamma, 4: moments, 5: gradient of gamma, 6: of beta.
struct BatchNormGradient {
  std::int64_t rows, columns;
  bool input_gradient;

  static constexpr const char* kName = "batch_norm_gradient";
  [[nodiscard]] OperandBytes operand_bytes() const {
    return normalization_gradient(rows * columns, columns, columns, input_gradient);
  }
};

/// The share of a part of a batch in the moments of the whole batch. Sums over the rows of x, or with `squares` sums of
/// the squared distances from the mean. 0: x(rows, columns), 1: sums(columns). With `squares` 2: moments(2, columns) as
/// in BatchNorm, from which only the mean is read.
struct BatchSums {
  std::int64_t rows, columns;
  bool squares;

  static constexpr const char* kName = "batch_sums";
  [[nodiscard]] OperandBytes operand_bytes() const { return sizes(rows * columns, columns, squares ? 2 * columns : 0); }
};

/// dx of a part of a batch. Operands as BatchNormGradient's, but 5 and 6 are read: the gradients of gamma and beta of
/// all of the batch, each over its number of rows.
struct BatchNormInputGradient {
  std::int64_t rows, columns;

  static constexpr const char* kName = "batch_norm_input_gradient";
  [[nodiscard]] OperandBytes operand_bytes() const {
    return normalization_gradient(rows * columns, columns, columns, true);
  }
};

/// As BatchNorm, with a mean and a scale for each row. 4: moments(2, rows).
struct LayerNorm {
  std::int64_t rows, columns;

  static constexpr const char* kName = "layer_norm";
  [[nodiscard]] OperandBytes operand_bytes() const { return normalization(rows * columns, columns, rows); }
};

/// Operands as BatchNormGradient's.
struct LayerNormGradient {
  std::int64_t rows, columns;
  bool input_gradient;

  static constexpr const char* kName = "layer_norm_gradient";
  [[nodiscard]] OperandBytes operand_bytes() const {
    return normalization_gradient(rows * columns, columns, rows, input_gradient);
  }
};

/// 0: int32 indices(rows), 1: kernel(vocabulary, units), 2: y(rows, units).
struct Embedding {
  std::int64_t rows, vocabulary, units;

  static constexpr const char* kName = "embedding";
  [[nodiscard]] OperandBytes operand_bytes() const { return sizes(rows, vocabulary * units, rows * units); }
};

/// 0: int32 indices(rows), 1: dy(rows, units), 2: gradient of the kernel.
struct EmbeddingGradient {
  std::int64_t rows, vocabulary, units;

  static constexpr const char* kName = "embedding_gradient";
  [[nodiscard]] OperandBytes operand_bytes() const { return sizes(rows, rows * units, vocabulary * units); }
};

using LayerOps = std::variant<Conv2d, Conv2dKernelGradient, Conv2dInputGradient, MaxPool, MaxPoolGradient, AveragePool,
                              AveragePoolGradient, Lstm, LstmGradient, LstmRecurrentGradient, LstmLast, Add, BatchNorm,
                              BatchNormGradient, LayerNorm, LayerNormGradient, Embedding, EmbeddingGradient, BatchSums,
                              BatchNormInputGradient>;

}  // namespace regatta::engine

// The operations that a model is lowered to. Plain data: what to compute and on which shapes; which
// buffers it touches stands beside it (Op::operands). All tensors are dense, row-major fp32 unless
// said; "rows" includes the batch. The operand positions are listed with every operation.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "regatta/engine/layer_ops.hpp"
#include "regatta/engine/operands.hpp"
#include "regatta/engine/step_state.hpp"
#include "regatta/model/model.hpp"

namespace regatta::engine {

/// Counts the step and computes Adam's bias corrections; betas of 1 leave those as they are. 0: StepState.
struct AdvanceStep {
  double beta1, beta2;

  static constexpr const char* kName = "advance_step";
  [[nodiscard]] OperandBytes operand_bytes() const { return {static_cast<std::int64_t>(sizeof(StepState))}; }
};

/// How a product is computed, where there is more than one way: chosen by timing when a session is built.
/// No choice changes a bit of the result. 0: left to the backend.
struct KernelChoice {
  std::int32_t rows_at_once = 0;  ///< rows of c that share what they read of b
  std::int32_t b_layout = 0;      ///< 1: read where it lies, 2: copied into panels first
  bool operator==(const KernelChoice&) const = default;
};

/// c(m, n) = a(m, k) b(k, n); a transposed operand is stored (k, m) or (n, k).
/// 0: a, 1: b, 2: c. Fused, when set: 3: bias(n), added to each row; then the activation; or c is
/// multiplied by the derivative of the activation whose output is 4: saved(m, n); 5: column sums of b(n).
/// With outer_b nobody stores b: it is 1: a column (k) times 3: a row (n), times the derivative, of relu or none, at
/// 4: saved(k, n).
struct MatMul {
  std::int64_t m, n, k;
  bool transpose_a = false;
  bool transpose_b = false;
  bool add_bias = false;
  Activation activation = Activation::none;
  Activation derivative = Activation::none;
  bool sum_columns = false;
  KernelChoice choice = {};
  bool add_to_c = false;  ///< c, and the sums of columns, hold what the rows of the sum before these gave
  bool outer_b = false;

  static constexpr const char* kName = "matmul";
  [[nodiscard]] OperandBytes operand_bytes() const {
    OperandBytes bytes = sizes(m * k, k * n, m * n);
    if (add_bias) bytes[3] = floats(n);
    if (derivative != Activation::none) bytes[4] = floats(m * n);
    if (sum_columns) bytes[5] = floats(n);
    if (!outer_b) return bytes;
    bytes[1] = floats(k);
    bytes[3] = floats(n);
    if (derivative != Activation::none) bytes[4] = floats(k * n);
    return bytes;
  }
};

/// Geometry of a 1-D convolution, channels last. Position p reads the inputs p*stride - pad + [0, taps);
/// those outside [0, length) count as zero and are skipped.
struct Conv1dShape {
  std::int64_t batch, length, channels;  // x (batch, length, channels)
  std::int64_t positions, filters;       // y (batch, positions, filters)
  std::int64_t taps, stride, pad;        // kernel (taps, channels, filters)
  bool fft = false;                      ///< by Fourier transforms; only where model::fft_tiling finds a tiling

  [[nodiscard]] std::int64_t input_size() const { return batch * length * channels; }
  [[nodiscard]] std::int64_t output_size() const { return batch * positions * filters; }
  [[nodiscard]] std::int64_t kernel_size() const { return taps * channels * filters; }
};

/// 0: x, 1: kernel, 2: y. Fused, when set: 3: bias(filters), then the activation.
struct Conv1d {
  Conv1dShape shape;
  bool add_bias = false;
  Activation activation = Activation::none;
  KernelChoice choice = {};

  static constexpr const char* kName = "conv1d";
  [[nodiscard]] OperandBytes operand_bytes() const {
    OperandBytes bytes = sizes(shape.input_size(), shape.kernel_size(), shape.output_size());
    if (add_bias) bytes[3] = floats(shape.filters);
    return bytes;
  }
};

/// 0: x, 1: dy, 2: kernel gradient. Fused, when set: 5: sums of dy over batch and positions (filters).
struct Conv1dKernelGradient {
  Conv1dShape shape;
  bool sum_columns = false;
  KernelChoice choice = {};

  static constexpr const char* kName = "conv1d_kernel_gradient";
  [[nodiscard]] OperandBytes operand_bytes() const {
    OperandBytes bytes = sizes(shape.input_size(), shape.output_size(), shape.kernel_size());
    if (sum_columns) bytes[5] = floats(shape.filters);
    return bytes;
  }
};

/// 0: dy, 1: kernel, 2: dx. Fused, when set: dx times the derivative of the activation with output 4: saved.
struct Conv1dInputGradient {
  Conv1dShape shape;
  Activation derivative = Activation::none;
  KernelChoice choice = {};

  static constexpr const char* kName = "conv1d_input_gradient";
  [[nodiscard]] OperandBytes operand_bytes() const {
    OperandBytes bytes = sizes(shape.output_size(), shape.kernel_size(), shape.input_size());
    if (derivative != Activation::none) bytes[4] = floats(shape.input_size());
    return bytes;
  }
};

/// 0: x(rows, columns), in place; 1: bias(columns).
struct AddBias {
  std::int64_t rows, columns;

  static constexpr const char* kName = "add_bias";
  [[nodiscard]] OperandBytes operand_bytes() const { return sizes(rows * columns, columns); }
};

/// 0: x(rows, columns), 1: sums over the rows (columns).
struct ColumnSum {
  std::int64_t rows, columns;
  bool add_to_sums = false;  ///< they hold those of the rows before

  static constexpr const char* kName = "column_sum";
  [[nodiscard]] OperandBytes operand_bytes() const { return sizes(rows * columns, columns); }
};

/// 0: x(count), in place. Not softmax.
struct Activate {
  Activation activation;
  std::int64_t count;

  static constexpr const char* kName = "activate";
  [[nodiscard]] OperandBytes operand_bytes() const { return sizes(count); }
};

/// 0: dy(count), in place, times the derivative; 1: output y of the activation.
struct ActivateGradient {
  Activation activation;
  std::int64_t count;

  static constexpr const char* kName = "activate_gradient";
  [[nodiscard]] OperandBytes operand_bytes() const { return sizes(count, count); }
};

/// 0: x(rows, columns), in place.
struct Softmax {
  std::int64_t rows, columns;

  static constexpr const char* kName = "softmax";
  [[nodiscard]] OperandBytes operand_bytes() const { return sizes(rows * columns); }
};

/// 0: x(batch, length, channels), 1: y(batch, channels), means over the length.
struct GlobalAveragePool {
  std::int64_t batch, length, channels;

  static constexpr const char* kName = "global_average_pool";
  [[nodiscard]] OperandBytes operand_bytes() const { return sizes(batch * length * channels, batch * channels); }
};

/// 0: dy(batch, channels), 1: dx(batch, length, channels).
struct GlobalAveragePoolGradient {
  std::int64_t batch, length, channels;

  static constexpr const char* kName = "global_average_pool_gradient";
  [[nodiscard]] OperandBytes operand_bytes() const { return sizes(batch * channels, batch * length * channels); }
};

/// y[j] = 1/count * sum over i < count of x[i * stride + j - pad]; those outside x count as zero.
/// 0: x(batch, length, channels), 1: y(batch, outputs, channels).
struct SlidingMean {
  std::int64_t batch, length, channels;
  std::int64_t outputs, count, stride, pad;

  static constexpr const char* kName = "sliding_mean";
  [[nodiscard]] OperandBytes operand_bytes() const {
    return sizes(batch * length * channels, batch * outputs * channels);
  }
};

/// y = x * mask, where mask is 0 with probability `rate`, else 1 / (1 - rate), a pure function of
/// (key, step, first_sample + StepState::first_sample + sample, unit). 0: x(batch, units), 1: y, 2: mask, 3: StepState.
struct Dropout {
  std::int64_t batch, units;
  double rate;
  std::uint64_t key;  ///< made from the seed and the layer
  std::int64_t first_sample;

  static constexpr const char* kName = "dropout";
  [[nodiscard]] OperandBytes operand_bytes() const {
    const std::int64_t count = batch * units;
    return {floats(count), floats(count), floats(count), static_cast<std::int64_t>(sizeof(StepState))};
  }
};

/// 0: dy(count), 1: mask, 2: dx.
struct DropoutGradient {
  std::int64_t count;

  static constexpr const char* kName = "dropout_gradient";
  [[nodiscard]] OperandBytes operand_bytes() const { return sizes(count, count, count); }
};

/// The loss, or those parts of it that are set. The prediction holds logits if the loss brings its own
/// last activation (sigmoid for binary, softmax for sparse categorical cross-entropy).
/// 0: prediction(rows, columns), 1: target (rows, columns), or int32 classes(rows), 2: probabilities
/// (rows, columns; not for mse), 3: sample losses(rows), 4: mean loss(1), 5: gradient to 0.
struct Loss {
  model::Loss kind;
  std::int64_t rows, columns;
  bool samples = false;            ///< reads 0 and 1, writes 2 and 3
  bool mean = false;               ///< reads 3, writes 4
  bool gradient = false;           ///< reads 0 (mse) or 2, and 1; writes 5
  std::int64_t averaged_rows = 0;  ///< rows of the mean whose gradient it is; 0: rows

  static constexpr const char* kName = "loss";
  [[nodiscard]] OperandBytes operand_bytes() const {
    const std::int64_t all = floats(rows * columns);
    const bool classes = kind == model::Loss::sparse_categorical_crossentropy;
    const bool mse = kind == model::Loss::mse;
    OperandBytes bytes{};
    if (samples || (gradient && mse)) bytes[0] = all;
    if (samples || gradient) bytes[1] = classes ? floats(rows) : all;
    if (!mse && (samples || gradient)) bytes[2] = all;
    if (samples || mean) bytes[3] = floats(rows);
    if (mean) bytes[4] = floats(1);
    if (gradient) bytes[5] = all;
    return bytes;
  }
};

/// Adds a step's gradients, which lie flat with zeros between them, to those of the steps before; after `mean_of`
/// steps they become the mean and the sums zero. 0: gradients(count), written with `mean_of`, 1: sums(count).
struct AccumulateGradients {
  std::int64_t count;
  std::int64_t mean_of;  ///< 0: more steps follow

  static constexpr const char* kName = "accumulate_gradients";
  [[nodiscard]] OperandBytes operand_bytes() const { return sizes(count, count); }
};

/// StepState::gradient_scale = min(1, clip_norm / (norm + 1e-6)), where the norm is that of all gradients together
/// (Pascanu et al. 2013; the 1e-6 is PyTorch's): the updates multiply by it. NaN where the norm is. The squares are
/// summed in double and in an order that depends on the count alone. 0: gradients(count), 1: StepState.
struct ClipGradients {
  std::int64_t count;
  double clip_norm;

  static constexpr const char* kName = "clip_gradients";
  [[nodiscard]] OperandBytes operand_bytes() const {
    return {floats(count), static_cast<std::int64_t>(sizeof(StepState))};
  }
};

/// w -= lr * g, or with momentum v = momentum * v + g; w -= lr * v. 0: w(count), 1: g, 2: v, 3: StepState.
/// With weight decay lr * weight_decay * w is taken off beside it (Loshchilov and Hutter 2019, algorithm 1); with
/// `clips` g is first multiplied by StepState::gradient_scale, in place.
struct SgdUpdate {
  std::int64_t count;
  float momentum;
  float weight_decay = 0;
  bool clips = false;

  static constexpr const char* kName = "sgd_update";
  [[nodiscard]] OperandBytes operand_bytes() const {
    return {floats(count), floats(count), momentum != 0 ? floats(count) : 0,
            static_cast<std::int64_t>(sizeof(StepState))};
  }
};

/// Kingma and Ba 2015, algorithm 1: w -= lr * mhat / (sqrt(vhat) + epsilon). Weight decay and clipping as SgdUpdate's
/// (Loshchilov and Hutter 2019, algorithm 2). 0: w(count), 1: g, 2: m, 3: v, 4: StepState.
struct AdamUpdate {
  std::int64_t count;
  double beta1, beta2;  ///< 1 - beta in fp32 would lose digits
  float epsilon;
  float weight_decay = 0;
  bool clips = false;

  static constexpr const char* kName = "adam_update";
  [[nodiscard]] OperandBytes operand_bytes() const {
    return {floats(count), floats(count), floats(count), floats(count), static_cast<std::int64_t>(sizeof(StepState))};
  }
};

/// 0: x(1), 1: y(1) = x^2.
struct Square {
  static constexpr const char* kName = "square";
  [[nodiscard]] OperandBytes operand_bytes() const { return sizes(1, 1); }
};

/// 0: x(1), 1: dy(1), 2: dx(1) = 2 x dy.
struct SquareGradient {
  static constexpr const char* kName = "square_gradient";
  [[nodiscard]] OperandBytes operand_bytes() const { return sizes(1, 1, 1); }
};

/// 0: x(count) = value.
struct Fill {
  std::int64_t count;
  float value;

  static constexpr const char* kName = "fill";
  [[nodiscard]] OperandBytes operand_bytes() const { return sizes(count); }
};

template <class... Core, class... OfLayers>
std::variant<Core..., OfLayers...> joined(std::variant<OfLayers...>*);

/// Any operation: those here, and those of layer_ops.hpp.
using OpSpec =
    decltype(joined<AdvanceStep, MatMul, Conv1d, Conv1dKernelGradient, Conv1dInputGradient, AddBias, ColumnSum,
                    Activate, ActivateGradient, Softmax, GlobalAveragePool, GlobalAveragePoolGradient, Dropout,
                    DropoutGradient, Loss, AccumulateGradients, ClipGradients, SgdUpdate, AdamUpdate, Square,
                    SquareGradient, Fill, SlidingMean>(static_cast<LayerOps*>(nullptr)));

/// The place of `Spec` among the alternatives of OpSpec.
template <class Spec>
inline constexpr std::size_t kOpIndex = []<class... Specs>(std::variant<Specs...>*) {
  std::size_t index = 0;
  const bool found = ((std::is_same_v<Spec, Specs> || (++index, false)) || ...);
  return found ? index : throw "no operation";
}(static_cast<OpSpec*>(nullptr));
inline constexpr std::size_t kOpKinds = std::variant_size_v<OpSpec>;

using Operands = std::array<BufferIndex, kOperands>;

/// An operation and the buffers it works on; unused positions hold kNoBuffer.
struct Op {
  OpSpec spec;
  Operands operands;
};

OperandBytes operand_bytes(const OpSpec& spec);

/// Whether the operation belongs to the update of the parameters: it stands behind all gradients.
bool is_update(const OpSpec& spec);

/// Whether it is one that moves a parameter.
bool is_of_parameter(const OpSpec& spec);

/// Whether the operation reads what the parts of a batch have summed (BatchSums, or gradients): a part of a step ends
/// before it.
bool awaits_sums(const OpSpec& spec);

/// The operation's name for messages: "matmul", "conv1d_kernel_gradient".
const char* name_of(const OpSpec& spec);

}  // namespace regatta::engine

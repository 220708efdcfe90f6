#include "regatta/engine/ops.hpp"

namespace regatta::engine {

namespace {

using Bytes = std::array<std::int64_t, kOperands>;

constexpr std::int64_t floats(std::int64_t count) { return count * static_cast<std::int64_t>(sizeof(float)); }
constexpr std::int64_t kStepState = sizeof(StepState);

/// Floats of each operand when there are no optional ones.
constexpr Bytes sizes(std::int64_t a, std::int64_t b = 0, std::int64_t c = 0) {
  return {floats(a), floats(b), floats(c)};
}

std::int64_t input_size(const Conv1dShape& s) { return s.batch * s.length * s.channels; }
std::int64_t output_size(const Conv1dShape& s) { return s.batch * s.positions * s.filters; }
std::int64_t kernel_size(const Conv1dShape& s) { return s.taps * s.channels * s.filters; }
std::int64_t input_size(const Conv2dShape& s) { return s.batch * s.rows * s.columns * s.channels; }
std::int64_t output_size(const Conv2dShape& s) { return s.batch * s.out_rows * s.out_columns * s.filters; }
std::int64_t kernel_size(const Conv2dShape& s) { return s.taps * s.taps * s.channels * s.filters; }
std::int64_t input_size(const PoolShape& s) { return s.batch * s.rows * s.columns * s.channels; }
std::int64_t output_size(const PoolShape& s) { return s.batch * s.out_rows * s.out_columns * s.channels; }
std::int64_t cells_size(const LstmShape& s) { return s.batch * s.length * s.units; }
std::int64_t gates_size(const LstmShape& s) { return 4 * cells_size(s); }
std::int64_t states_size(const LstmShape& s) { return s.batch * s.length * s.row; }
std::int64_t recurrent_size(const LstmShape& s) { return 4 * s.units * s.units; }

/// `groups` share a mean and a scale.
Bytes normalization(std::int64_t count, std::int64_t columns, std::int64_t groups) {
  return {floats(count), floats(count), floats(columns), floats(columns), floats(2 * groups)};
}
Bytes normalization_gradient(std::int64_t count, std::int64_t columns, std::int64_t groups, bool input_gradient) {
  return {floats(count),   floats(count),  input_gradient ? floats(count) : 0, floats(columns), floats(2 * groups),
          floats(columns), floats(columns)};
}

struct Sizes {
  Bytes operator()(const AdvanceStep&) const { return {kStepState}; }
  Bytes operator()(const MatMul& op) const {
    Bytes bytes = sizes(op.m * op.k, op.k * op.n, op.m * op.n);
    if (op.add_bias) bytes[3] = floats(op.n);
    if (op.derivative != Activation::none) bytes[4] = floats(op.m * op.n);
    if (op.sum_columns) bytes[5] = floats(op.n);
    if (!op.outer_b) return bytes;
    bytes[1] = floats(op.k);
    bytes[3] = floats(op.n);
    if (op.derivative != Activation::none) bytes[4] = floats(op.k * op.n);
    return bytes;
  }
  Bytes operator()(const Conv1d& op) const {
    Bytes bytes = sizes(input_size(op.shape), kernel_size(op.shape), output_size(op.shape));
    if (op.add_bias) bytes[3] = floats(op.shape.filters);
    return bytes;
  }
  Bytes operator()(const Conv1dKernelGradient& op) const {
    Bytes bytes = sizes(input_size(op.shape), output_size(op.shape), kernel_size(op.shape));
    if (op.sum_columns) bytes[5] = floats(op.shape.filters);
    return bytes;
  }
  Bytes operator()(const Conv1dInputGradient& op) const {
    Bytes bytes = sizes(output_size(op.shape), kernel_size(op.shape), input_size(op.shape));
    if (op.derivative != Activation::none) bytes[4] = floats(input_size(op.shape));
    return bytes;
  }
  Bytes operator()(const AddBias& op) const { return sizes(op.rows * op.columns, op.columns); }
  Bytes operator()(const ColumnSum& op) const { return sizes(op.rows * op.columns, op.columns); }
  Bytes operator()(const Activate& op) const { return sizes(op.count); }
  Bytes operator()(const ActivateGradient& op) const { return sizes(op.count, op.count); }
  Bytes operator()(const Softmax& op) const { return sizes(op.rows * op.columns); }
  Bytes operator()(const GlobalAveragePool& op) const {
    return sizes(op.batch * op.length * op.channels, op.batch * op.channels);
  }
  Bytes operator()(const SlidingMean& op) const {
    return sizes(op.batch * op.length * op.channels, op.batch * op.outputs * op.channels);
  }
  Bytes operator()(const GlobalAveragePoolGradient& op) const {
    return sizes(op.batch * op.channels, op.batch * op.length * op.channels);
  }
  Bytes operator()(const Dropout& op) const {
    const std::int64_t count = op.batch * op.units;
    return {floats(count), floats(count), floats(count), kStepState};
  }
  Bytes operator()(const DropoutGradient& op) const { return sizes(op.count, op.count, op.count); }
  Bytes operator()(const Loss& op) const {
    const std::int64_t all = floats(op.rows * op.columns);
    const bool classes = op.kind == model::Loss::sparse_categorical_crossentropy;
    const bool mse = op.kind == model::Loss::mse;
    Bytes bytes{};
    if (op.samples || (op.gradient && mse)) bytes[0] = all;
    if (op.samples || op.gradient) bytes[1] = classes ? floats(op.rows) : all;
    if (!mse && (op.samples || op.gradient)) bytes[2] = all;
    if (op.samples || op.mean) bytes[3] = floats(op.rows);
    if (op.mean) bytes[4] = floats(1);
    if (op.gradient) bytes[5] = all;
    return bytes;
  }
  Bytes operator()(const SgdUpdate& op) const { return sizes(op.count, op.count, op.momentum != 0 ? op.count : 0); }
  Bytes operator()(const AdamUpdate& op) const {
    return {floats(op.count), floats(op.count), floats(op.count), floats(op.count), kStepState};
  }
  Bytes operator()(const Square&) const { return sizes(1, 1); }
  Bytes operator()(const SquareGradient&) const { return sizes(1, 1, 1); }
  Bytes operator()(const Fill& op) const { return sizes(op.count); }
  Bytes operator()(const Conv2d& op) const {
    Bytes bytes = sizes(input_size(op.shape), kernel_size(op.shape), output_size(op.shape));
    if (op.add_bias) bytes[3] = floats(op.shape.filters);
    return bytes;
  }
  Bytes operator()(const Conv2dKernelGradient& op) const {
    Bytes bytes = sizes(input_size(op.shape), output_size(op.shape), kernel_size(op.shape));
    if (op.sum_columns) bytes[5] = floats(op.shape.filters);
    return bytes;
  }
  Bytes operator()(const Conv2dInputGradient& op) const {
    Bytes bytes = sizes(output_size(op.shape), kernel_size(op.shape), input_size(op.shape));
    if (op.derivative != Activation::none) bytes[4] = floats(input_size(op.shape));
    return bytes;
  }
  Bytes operator()(const MaxPool& op) const { return sizes(input_size(op.shape), output_size(op.shape)); }
  Bytes operator()(const MaxPoolGradient& op) const {
    Bytes bytes = sizes(output_size(op.shape), input_size(op.shape), input_size(op.shape));
    bytes[3] = floats(output_size(op.shape));
    if (op.derivative != Activation::none) bytes[4] = floats(input_size(op.shape));
    return bytes;
  }
  Bytes operator()(const AveragePool& op) const { return sizes(input_size(op.shape), output_size(op.shape)); }
  Bytes operator()(const AveragePoolGradient& op) const {
    Bytes bytes = sizes(output_size(op.shape), 0, input_size(op.shape));
    if (op.derivative != Activation::none) bytes[4] = floats(input_size(op.shape));
    return bytes;
  }
  Bytes operator()(const Lstm& op) const {
    Bytes bytes = sizes(gates_size(op.shape), recurrent_size(op.shape), states_size(op.shape));
    bytes[3] = floats(cells_size(op.shape));
    return bytes;
  }
  Bytes operator()(const LstmGradient& op) const {
    const std::int64_t states = op.last ? op.shape.batch * op.shape.row : states_size(op.shape);
    Bytes bytes = sizes(states, gates_size(op.shape), recurrent_size(op.shape));
    bytes[3] = floats(cells_size(op.shape));
    return bytes;
  }
  Bytes operator()(const LstmRecurrentGradient& op) const {
    Bytes bytes = sizes(states_size(op.shape), gates_size(op.shape), recurrent_size(op.shape));
    if (op.sum_columns) bytes[5] = floats(4 * op.shape.units);
    return bytes;
  }
  Bytes operator()(const LstmLast& op) const { return sizes(states_size(op.shape), op.shape.batch * op.shape.row); }
  Bytes operator()(const Add& op) const { return sizes(op.count, op.count); }
  Bytes operator()(const BatchNorm& op) const { return normalization(op.rows * op.columns, op.columns, op.columns); }
  Bytes operator()(const LayerNorm& op) const { return normalization(op.rows * op.columns, op.columns, op.rows); }
  Bytes operator()(const BatchNormGradient& op) const {
    return normalization_gradient(op.rows * op.columns, op.columns, op.columns, op.input_gradient);
  }
  Bytes operator()(const LayerNormGradient& op) const {
    return normalization_gradient(op.rows * op.columns, op.columns, op.rows, op.input_gradient);
  }
  Bytes operator()(const Embedding& op) const { return sizes(op.rows, op.vocabulary * op.units, op.rows * op.units); }
  Bytes operator()(const EmbeddingGradient& op) const {
    return sizes(op.rows, op.rows * op.units, op.vocabulary * op.units);
  }
};

struct Names {
  const char* operator()(const AdvanceStep&) const { return "advance_step"; }
  const char* operator()(const MatMul&) const { return "matmul"; }
  const char* operator()(const Conv1d&) const { return "conv1d"; }
  const char* operator()(const Conv1dKernelGradient&) const { return "conv1d_kernel_gradient"; }
  const char* operator()(const Conv1dInputGradient&) const { return "conv1d_input_gradient"; }
  const char* operator()(const AddBias&) const { return "add_bias"; }
  const char* operator()(const ColumnSum&) const { return "column_sum"; }
  const char* operator()(const Activate&) const { return "activate"; }
  const char* operator()(const ActivateGradient&) const { return "activate_gradient"; }
  const char* operator()(const Softmax&) const { return "softmax"; }
  const char* operator()(const SlidingMean&) const { return "sliding_mean"; }
  const char* operator()(const GlobalAveragePool&) const { return "global_average_pool"; }
  const char* operator()(const GlobalAveragePoolGradient&) const { return "global_average_pool_gradient"; }
  const char* operator()(const Dropout&) const { return "dropout"; }
  const char* operator()(const DropoutGradient&) const { return "dropout_gradient"; }
  const char* operator()(const Loss&) const { return "loss"; }
  const char* operator()(const SgdUpdate&) const { return "sgd_update"; }
  const char* operator()(const AdamUpdate&) const { return "adam_update"; }
  const char* operator()(const Square&) const { return "square"; }
  const char* operator()(const SquareGradient&) const { return "square_gradient"; }
  const char* operator()(const Fill&) const { return "fill"; }
  const char* operator()(const Conv2d&) const { return "conv2d"; }
  const char* operator()(const Conv2dKernelGradient&) const { return "conv2d_kernel_gradient"; }
  const char* operator()(const Conv2dInputGradient&) const { return "conv2d_input_gradient"; }
  const char* operator()(const MaxPool&) const { return "max_pool"; }
  const char* operator()(const MaxPoolGradient&) const { return "max_pool_gradient"; }
  const char* operator()(const AveragePool&) const { return "average_pool"; }
  const char* operator()(const AveragePoolGradient&) const { return "average_pool_gradient"; }
  const char* operator()(const Lstm&) const { return "lstm"; }
  const char* operator()(const LstmGradient&) const { return "lstm_gradient"; }
  const char* operator()(const LstmRecurrentGradient&) const { return "lstm_recurrent_gradient"; }
  const char* operator()(const LstmLast&) const { return "lstm_last"; }
  const char* operator()(const Add&) const { return "add"; }
  const char* operator()(const BatchNorm&) const { return "batch_norm"; }
  const char* operator()(const BatchNormGradient&) const { return "batch_norm_gradient"; }
  const char* operator()(const LayerNorm&) const { return "layer_norm"; }
  const char* operator()(const LayerNormGradient&) const { return "layer_norm_gradient"; }
  const char* operator()(const Embedding&) const { return "embedding"; }
  const char* operator()(const EmbeddingGradient&) const { return "embedding_gradient"; }
};

}  // namespace

std::array<std::int64_t, kOperands> operand_bytes(const OpSpec& spec) { return std::visit(Sizes{}, spec); }

const char* name_of(const OpSpec& spec) { return std::visit(Names{}, spec); }

}  // namespace regatta::engine

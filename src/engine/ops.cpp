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

struct Sizes {
  Bytes operator()(const AdvanceStep&) const { return {kStepState}; }
  Bytes operator()(const MatMul& op) const {
    Bytes bytes = sizes(op.m * op.k, op.k * op.n, op.m * op.n);
    if (op.add_bias) bytes[3] = floats(op.n);
    if (op.derivative != Activation::none) bytes[4] = floats(op.m * op.n);
    if (op.sum_columns) bytes[5] = floats(op.n);
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
};

}  // namespace

std::array<std::int64_t, kOperands> operand_bytes(const OpSpec& spec) { return std::visit(Sizes{}, spec); }

const char* name_of(const OpSpec& spec) { return std::visit(Names{}, spec); }

}  // namespace regatta::engine

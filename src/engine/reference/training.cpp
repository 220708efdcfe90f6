// Losses and optimizers.
#include <algorithm>
#include <cmath>

#include "engine/reference/kernels.hpp"

namespace regatta::engine::reference {

namespace {

const float* in(const Memory& memory, std::size_t operand) { return static_cast<const float*>(memory[operand]); }
float* out(const Memory& memory, std::size_t operand) { return static_cast<float*>(memory[operand]); }
std::int64_t class_of(const Memory& memory, std::int64_t row) {
  return static_cast<const std::int32_t*>(memory[1])[row];
}

double squared_error(const Loss& op, const Memory& memory, std::int64_t row) {
  double sum = 0;
  for (std::int64_t i = row * op.columns; i < (row + 1) * op.columns; ++i) {
    const double difference = static_cast<double>(in(memory, 0)[i]) - in(memory, 1)[i];
    sum += difference * difference;
  }
  return sum / static_cast<double>(op.columns);
}

/// From logits z: max(z, 0) - z y + log(1 + exp(-|z|)).
double binary_entropy(const Loss& op, const Memory& memory, std::int64_t row) {
  double sum = 0;
  for (std::int64_t i = row * op.columns; i < (row + 1) * op.columns; ++i) {
    const double z = in(memory, 0)[i];
    sum += std::max(z, 0.0) - z * in(memory, 1)[i] + std::log1p(std::exp(-std::abs(z)));
    out(memory, 2)[i] = static_cast<float>(1 / (1 + std::exp(-z)));
  }
  return sum / static_cast<double>(op.columns);
}

/// From logits z: log(sum exp z) - z[class].
double categorical_entropy(const Loss& op, const Memory& memory, std::int64_t row) {
  const float* const z = in(memory, 0) + row * op.columns;
  const double top = *std::max_element(z, z + op.columns);
  double sum = 0;
  for (std::int64_t i = 0; i < op.columns; ++i) sum += std::exp(z[i] - top);
  for (std::int64_t i = 0; i < op.columns; ++i) {
    out(memory, 2)[row * op.columns + i] = static_cast<float>(std::exp(z[i] - top) / sum);
  }
  return std::log(sum) + top - z[class_of(memory, row)];
}

double sample_loss(const Loss& op, const Memory& memory, std::int64_t row) {
  switch (op.kind) {
    case model::Loss::mse:
      return squared_error(op, memory, row);
    case model::Loss::binary_crossentropy:
      return binary_entropy(op, memory, row);
    case model::Loss::sparse_categorical_crossentropy:
      break;
  }
  return categorical_entropy(op, memory, row);
}

double gradient(const Loss& op, const Memory& memory, std::int64_t row, std::int64_t column) {
  const std::int64_t i = row * op.columns + column;
  const double rows = static_cast<double>(op.averaged_rows > 0 ? op.averaged_rows : op.rows);
  const double averaged = rows * static_cast<double>(op.columns);
  switch (op.kind) {
    case model::Loss::mse:
      return 2 * (static_cast<double>(in(memory, 0)[i]) - in(memory, 1)[i]) / averaged;
    case model::Loss::binary_crossentropy:
      return (static_cast<double>(in(memory, 2)[i]) - in(memory, 1)[i]) / averaged;
    case model::Loss::sparse_categorical_crossentropy:
      break;
  }
  return (in(memory, 2)[i] - (class_of(memory, row) == column ? 1.0 : 0.0)) / rows;
}

}  // namespace

void run(const AdvanceStep& op, const Memory& memory) {
  auto* const state = static_cast<StepState*>(memory[0]);
  ++state->step;
  state->beta1_power *= op.beta1;
  state->beta2_power *= op.beta2;
  state->correction1 = static_cast<float>(1 / (1 - state->beta1_power));
  state->correction2 = static_cast<float>(1 / (1 - state->beta2_power));
}

void run(const Loss& op, const Memory& memory) {
  double sum = 0;
  for (std::int64_t row = 0; row < op.rows; ++row) {
    if (op.samples) out(memory, 3)[row] = static_cast<float>(sample_loss(op, memory, row));
    if (op.mean) sum += in(memory, 3)[row];
    for (std::int64_t column = 0; op.gradient && column < op.columns; ++column) {
      out(memory, 5)[row * op.columns + column] = static_cast<float>(gradient(op, memory, row, column));
    }
  }
  if (op.mean) *out(memory, 4) = static_cast<float>(sum / static_cast<double>(op.rows));
}

void run(const AccumulateGradients& op, const Memory& memory) {
  for (std::int64_t i = 0; i < op.count; ++i) {
    const double sum = static_cast<double>(in(memory, 0)[i]) + in(memory, 1)[i];
    if (op.mean_of > 0) out(memory, 0)[i] = static_cast<float>(sum / static_cast<double>(op.mean_of));
    out(memory, 1)[i] = op.mean_of > 0 ? 0.0F : static_cast<float>(sum);
  }
}

void run(const ClipGradients& op, const Memory& memory) {
  double squares = 0;
  for (std::int64_t i = 0; i < op.count; ++i) squares += static_cast<double>(in(memory, 0)[i]) * in(memory, 0)[i];
  const double scale = op.clip_norm / (std::sqrt(squares) + 1e-6);
  static_cast<StepState*>(memory[1])->gradient_scale = scale >= 1 ? 1.0F : static_cast<float>(scale);  // NaN stays
}

/// The gradient as the update reads it.
double gradient(const auto& op, const Memory& memory, const StepState& state, std::int64_t i) {
  if (op.clips) out(memory, 1)[i] *= state.gradient_scale;
  return in(memory, 1)[i];
}

/// The part of a parameter that weight decay takes off.
double decay(const auto& op, const Memory& memory, const StepState& state, std::int64_t i) {
  if (op.weight_decay == 0) return 0;
  return static_cast<double>(state.learning_rate) * op.weight_decay * in(memory, 0)[i];
}

void run(const SgdUpdate& op, const Memory& memory) {
  const auto& state = *static_cast<const StepState*>(memory[3]);
  for (std::int64_t i = 0; i < op.count; ++i) {
    double step = gradient(op, memory, state, i);
    if (op.momentum != 0) {
      step += static_cast<double>(op.momentum) * in(memory, 2)[i];
      out(memory, 2)[i] = static_cast<float>(step);
    }
    out(memory, 0)[i] = static_cast<float>(in(memory, 0)[i] - state.learning_rate * step - decay(op, memory, state, i));
  }
}

void run(const AdamUpdate& op, const Memory& memory) {
  const auto& state = *static_cast<const StepState*>(memory[4]);
  for (std::int64_t i = 0; i < op.count; ++i) {
    const double g = gradient(op, memory, state, i);
    const double m = op.beta1 * in(memory, 2)[i] + (1.0 - op.beta1) * g;
    const double v = op.beta2 * in(memory, 3)[i] + (1.0 - op.beta2) * g * g;
    out(memory, 2)[i] = static_cast<float>(m);
    out(memory, 3)[i] = static_cast<float>(v);
    const double mhat = m * state.correction1;
    const double vhat = v * state.correction2;
    out(memory, 0)[i] = static_cast<float>(
        in(memory, 0)[i] - state.learning_rate * mhat / (std::sqrt(vhat) + op.epsilon) - decay(op, memory, state, i));
  }
}

void enter_training(Kernels& kernels) {
  enter<AdvanceStep, Loss, AccumulateGradients, ClipGradients, SgdUpdate, AdamUpdate>(
      kernels, [](const auto& op, const Memory& memory) { run(op, memory); });
}

}  // namespace regatta::engine::reference

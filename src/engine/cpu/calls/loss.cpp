#include "engine/cpu/calls/loss.hpp"

namespace regatta::engine::cpu {

namespace {

void sample_losses(const Call& call, const Loss& op) {
  const KernelTable& kernels = kernels_of(call);
  switch (op.kind) {
    case model::Loss::mse:
      return kernels.squared_errors(in(call, 0), in(call, 1), op.rows, op.columns, out(call, 3));
    case model::Loss::binary_crossentropy:
      return kernels.binary_entropies(in(call, 0), in(call, 1), op.rows, op.columns, out(call, 2), out(call, 3));
    case model::Loss::sparse_categorical_crossentropy:
      return kernels.categorical_entropies(in(call, 0), static_cast<const std::int32_t*>(call.operands[1]), op.rows,
                                           op.columns, out(call, 2), out(call, 3));
  }
}

/// In double and in order: a batch is short, and the mean is what people compare.
float mean(const float* values, std::int64_t count) {
  double sums[4] = {};
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::int64_t lane = 0; lane < 4; ++lane) sums[lane] += values[i + lane];
  }
  for (; i < count; ++i) sums[0] += values[i];
  return static_cast<float>((sums[0] + sums[1] + (sums[2] + sums[3])) / static_cast<double>(count));
}

void loss_gradient(const Call& call, const Loss& op) {
  const KernelTable& kernels = kernels_of(call);
  const std::int64_t count = op.rows * op.columns;
  const std::int64_t averaged = op.averaged_rows > 0 ? op.averaged_rows : op.rows;
  const float share = 1.0F / static_cast<float>(averaged * op.columns);
  switch (op.kind) {
    case model::Loss::mse:
      return kernels.scaled_difference(in(call, 0), in(call, 1), 2.0F * share, out(call, 5), count);
    case model::Loss::binary_crossentropy:
      return kernels.scaled_difference(in(call, 2), in(call, 1), share, out(call, 5), count);
    case model::Loss::sparse_categorical_crossentropy:
      return kernels.categorical_gradient(in(call, 2), static_cast<const std::int32_t*>(call.operands[1]), op.rows,
                                          op.columns, 1.0F / static_cast<float>(averaged), out(call, 5));
  }
}

}  // namespace

void run_loss(const Call& call, const Loss& op) {
  if (op.samples) sample_losses(call, op);
  if (op.mean) *out(call, 4) = mean(in(call, 3), op.rows);
  if (op.gradient) loss_gradient(call, op);
}

}  // namespace regatta::engine::cpu

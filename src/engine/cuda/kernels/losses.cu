#include "engine/cuda/kernels/issue.hpp"
#include "engine/cuda/kernels/launches.hpp"
#include "engine/cuda/kernels/losses.cuh"

namespace regatta::engine::cuda {

namespace {

using LossKernel = void (*)(LossView, unsigned*);

LossKernel kernel_of(model::Loss kind) {
  switch (kind) {
    case model::Loss::mse:
      return loss<model::Loss::mse>;
    case model::Loss::binary_crossentropy:
      return loss<model::Loss::binary_crossentropy>;
    case model::Loss::sparse_categorical_crossentropy:
      break;
  }
  return loss<model::Loss::sparse_categorical_crossentropy>;
}

/// Threads of a row: fewer than its columns where one block then has all rows, which need not wait for another.
int lanes_of_row(const Loss& op) {
  constexpr int kLeast = 4;
  int lanes = lanes_of(op.columns);
  while (lanes > kLeast && op.rows * lanes > kThreads && op.rows * kLeast <= kThreads) lanes /= 2;
  return lanes;
}

void issue(const Target& target, const Loss& op, const Memory& memory) {
  if (op.rows * op.columns == 0) return;
  const bool by_class = op.kind == model::Loss::sparse_categorical_crossentropy;
  const std::int64_t averaged = (op.averaged_rows > 0 ? op.averaged_rows : op.rows) * (by_class ? 1 : op.columns);
  const LossView view{.prediction = floats_of(memory, 0),
                      .target = floats_of(memory, 1),
                      .classes = static_cast<const std::int32_t*>(memory[1]),
                      .probabilities = floats_of(memory, 2),
                      .samples = floats_of(memory, 3),
                      .mean = floats_of(memory, 4),
                      .gradient = floats_of(memory, 5),
                      .takes_samples = op.samples,
                      .takes_mean = op.mean,
                      .takes_gradient = op.gradient,
                      .rows = op.rows,
                      .columns = op.columns,
                      .lanes = lanes_of_row(op),
                      .share = 1.0F / static_cast<float>(averaged)};
  const bool by_rows = op.samples || op.gradient;
  const std::int64_t blocks = by_rows ? divide_up(op.rows * view.lanes, kThreads) : 1;
  launch(target, "loss", {blocks_of(blocks), dim3(kThreads)}, kernel_of(op.kind), view, target.counters);
}

}  // namespace

void enter_losses(IssueTable& table) {
  enter<Loss>(table, [](const Target& target, const auto& op, const Memory& memory) { issue(target, op, memory); });
}

}  // namespace regatta::engine::cuda

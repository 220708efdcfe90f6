#include "engine/cuda/kernels/elementwise.cuh"
#include "engine/cuda/kernels/issue.hpp"
#include "engine/cuda/kernels/launches.hpp"
#include "engine/cuda/kernels/parts.hpp"

namespace regatta::engine::cuda {

namespace {

void issue(const Target& target, const Activate& op, const Memory& memory) {
  finish_product(target, floats_of(memory, 0), nullptr, 1, op.count, op.activation);
}

void issue(const Target& target, const AddBias& op, const Memory& memory) {
  finish_product(target, floats_of(memory, 0), floats_of(memory, 1), op.rows, op.columns, Activation::none);
}

void issue(const Target& target, const ActivateGradient& op, const Memory& memory) {
  multiply_derivative(target, floats_of(memory, 0), floats_of(memory, 1), op.count, op.activation);
}

void issue(const Target& target, const Add& op, const Memory& memory) {
  const AddElements add{floats_of(memory, 0), floats_of(memory, 1)};
  launch_elements(target, "add", add, op.count, take_packs({add.x, add.y}));
}

void issue(const Target& target, const Fill& op, const Memory& memory) {
  launch_elements(target, "fill", FillElements{floats_of(memory, 0), op.value}, op.count, take_packs({memory[0]}));
}

void issue(const Target& target, const Softmax& op, const Memory& memory) {
  if (op.rows * op.columns == 0) return;
  const int lanes = lanes_of(op.columns);
  const Grid grid{blocks_of(divide_up(op.rows * lanes, kThreads)), dim3(kThreads)};
  launch(target, "softmax", grid, softmax_rows, floats_of(memory, 0), op.rows, op.columns, lanes);
}

void issue(const Target& target, const Square& /*op*/, const Memory& memory) {
  launch(target, "square", {dim3(1), dim3(1)}, square_one, floats_of(memory, 0), floats_of(memory, 1));
}

void issue(const Target& target, const SquareGradient& /*op*/, const Memory& memory) {
  launch(target, "square_gradient", {dim3(1), dim3(1)}, square_gradient_one, floats_of(memory, 0), floats_of(memory, 1),
         floats_of(memory, 2));
}

}  // namespace

void finish_product(const Target& target, float* x, const float* bias, std::int64_t rows, std::int64_t columns,
                    Activation activation) {
  if (bias == nullptr) {
    if (activation == Activation::none) return;
    return launch_elements(target, "activate", ActivateElements{x, activation}, rows * columns, take_packs({x}));
  }
  const Tiles tiles = tiles_of(1, rows, columns, take_packs({x, bias}));
  launch_rows(target, "add_bias", AddBiasAndActivate{x, bias, columns, activation}, tiles);
}

void multiply_derivative(const Target& target, float* dx, const float* y, std::int64_t count, Activation activation) {
  if (activation == Activation::none) return;
  const MultiplyDerivative op{dx, y, activation};
  launch_elements(target, "activate_gradient", op, count, take_packs({dx, y}));
}

void round_to_bf16(const Target& target, const float* from, std::uint16_t* to, std::int64_t count) {
  launch_elements(target, "round_to_bf16", RoundToBf16{from, to}, count, take_packs({from, to}));
}

void enter_elementwise(IssueTable& table) {
  enter<AddBias, Activate, ActivateGradient, Add, Softmax, Fill, Square, SquareGradient>(
      table, [](const Target& target, const auto& op, const Memory& memory) { issue(target, op, memory); });
}

}  // namespace regatta::engine::cuda

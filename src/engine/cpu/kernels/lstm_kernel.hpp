// One position of a recurrent layer after its products, for whichever vector header was included first.
#pragma once

#include "engine/cpu/kernels/layer_kernels.hpp"
#include "engine/cpu/vectors/elementwise_kernel.hpp"

namespace regatta::engine::cpu {
namespace {

template <Activation activation, class Access>
inline void lstm_cell(const LstmCellsView& view, std::int64_t row, std::int64_t at, const Access& access) {
  float* const gates = view.gates + row * view.gates_row + at;
  const auto gate = [&](std::int64_t index) {
    const Vector from_input = access.get(gates + index * view.gate);
    if (view.products == nullptr) return from_input;
    return add(from_input, access.get(view.products + row * view.products_row + index * view.products_gate + at));
  };
  const Vector i = sigmoid(gate(0));
  const Vector f = sigmoid(gate(1));
  const Vector g = activated<activation>(gate(2));
  const Vector o = sigmoid(gate(3));
  Vector cell = mul(i, g);
  if (view.before != nullptr) cell = add(mul(f, access.get(view.before + row * view.cells_row + at)), cell);
  const Vector state = mul(o, activated<activation>(cell));
  access.put(gates, i);
  access.put(gates + view.gate, f);
  access.put(gates + 2 * view.gate, g);
  access.put(gates + 3 * view.gate, o);
  access.put(view.cells + row * view.cells_row + at, cell);
  access.put(view.states + row * view.states_row + at, state);
  access.put(view.copy + row * view.copy_row + at, state);
}

template <Activation activation, class Access>
inline void lstm_cell_gradient(const LstmCellsGradientView& view, std::int64_t row, std::int64_t at,
                               const Access& access) {
  float* const gates = view.gates + row * view.gates_row + at;
  float* const copy = view.copy + row * view.copy_row + at;
  float* const dcells = view.dcells + row * view.dcells_row + at;
  const Vector i = access.get(gates);
  const Vector f = access.get(gates + view.gate);
  const Vector g = access.get(gates + 2 * view.gate);
  const Vector o = access.get(gates + 3 * view.gate);
  Vector dstate = zero();
  if (view.dstates != nullptr) dstate = access.get(view.dstates + row * view.dstates_row + at);
  if (view.carried != nullptr) dstate = add(dstate, access.get(view.carried + row * view.carried_row + at));
  const Vector output = activated<activation>(access.get(view.cells + row * view.cells_row + at));
  Vector dcell = through_derivative<activation>(mul(dstate, o), output);
  if (!view.last) dcell = add(dcell, access.get(dcells));
  Vector df = zero();
  if (view.before != nullptr) df = mul(dcell, access.get(view.before + row * view.cells_row + at));
  const auto put = [&](std::int64_t gate, Vector gradient) {
    access.put(gates + gate * view.gate, gradient);
    access.put(copy + gate * view.gate, gradient);
  };
  put(0, through_derivative<Activation::sigmoid>(mul(dcell, g), i));
  put(1, through_derivative<Activation::sigmoid>(df, f));
  put(2, through_derivative<activation>(mul(dcell, i), g));
  put(3, through_derivative<Activation::sigmoid>(mul(dstate, output), o));
  access.put(dcells, mul(dcell, f));
}

template <Activation activation>
inline void lstm_cells_with(const LstmCellsView& view) {
  for (std::int64_t row = 0; row < view.rows; ++row) {
    for_columns(view.columns, [&](std::int64_t i, const auto& access) { lstm_cell<activation>(view, row, i, access); });
  }
}

template <Activation activation>
inline void lstm_cells_gradient_with(const LstmCellsGradientView& view) {
  for (std::int64_t row = 0; row < view.rows; ++row) {
    for_columns(view.columns,
                [&](std::int64_t i, const auto& access) { lstm_cell_gradient<activation>(view, row, i, access); });
  }
}

void lstm_cells(const LstmCellsView& view) {
  switch (view.activation) {
    case Activation::relu:
      return lstm_cells_with<Activation::relu>(view);
    case Activation::sigmoid:
      return lstm_cells_with<Activation::sigmoid>(view);
    case Activation::tanh:
      return lstm_cells_with<Activation::tanh>(view);
    case Activation::none:
    case Activation::softmax:
      return lstm_cells_with<Activation::none>(view);
  }
}

void lstm_cells_gradient(const LstmCellsGradientView& view) {
  switch (view.activation) {
    case Activation::relu:
      return lstm_cells_gradient_with<Activation::relu>(view);
    case Activation::sigmoid:
      return lstm_cells_gradient_with<Activation::sigmoid>(view);
    case Activation::tanh:
      return lstm_cells_gradient_with<Activation::tanh>(view);
    case Activation::none:
    case Activation::softmax:
      return lstm_cells_gradient_with<Activation::none>(view);
  }
}

}  // namespace
}  // namespace regatta::engine::cpu

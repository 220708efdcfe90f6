// The steps between the products of a recurrent layer. A row is a sample, a column a unit.
#pragma once

#include "engine/cuda/kernels/parts.hpp"
#include "engine/cuda/kernels/scalars.cuh"
#include "engine/cuda/kernels/tiles.cuh"
#include "regatta/engine/layer_ops.hpp"

namespace regatta::engine::cuda {

/// Where a position of a sample and a unit stands; `position` counts places in memory.
struct UnitPlace {
  std::int64_t gates, cells, states;
};

inline __device__ UnitPlace unit_place(const LstmShape& s, std::int64_t sample, std::int64_t position,
                                       std::int64_t unit) {
  const std::int64_t at = sample * s.length + position;
  return {at * 4 * s.units + unit, at * s.units + unit, at * s.row + s.offset + unit};
}

/// Gates become activated; cell and state of the position follow from them.
struct ActivateGates {
  LstmShape shape;
  Activation activation;
  LstmMemory memory;
  std::int64_t position, before;

  template <int kCount>
  __device__ int prepare(std::int64_t /*group*/, std::int64_t /*column*/) const {
    return 0;
  }

  template <int kCount>
  __device__ void run(int /*prepared*/, std::int64_t /*group*/, std::int64_t sample, std::int64_t unit) const {
    const UnitPlace place = unit_place(shape, sample, position, unit);
    float* const at = memory.gates + place.gates;
    const float i = activated(Activation::sigmoid, at[0]);
    const float f = activated(Activation::sigmoid, at[shape.units]);
    const float g = activated(activation, at[2 * shape.units]);
    const float o = activated(Activation::sigmoid, at[3 * shape.units]);
    const float cell_before = before >= 0 ? memory.cells[unit_place(shape, sample, before, unit).cells] : 0.0F;
    const float cell = f * cell_before + i * g;
    at[0] = i;
    at[shape.units] = f;
    at[2 * shape.units] = g;
    at[3 * shape.units] = o;
    memory.cells[place.cells] = cell;
    const float state = o * activated(activation, cell);
    memory.states[place.states] = state;
    if (memory.rounded != nullptr) memory.rounded[sample * shape.units + unit] = rounded_to_bf16(state);
  }
};

/// Activated gates become the gradients of what they were before.
struct GatesGradient {
  LstmShape shape;
  Activation activation;
  LstmGradientMemory memory;  ///< dstates: at the first sample's values of this position; null: none
  std::int64_t dstates_step;  ///< floats from a sample's to the next one's
  std::int64_t position, before;
  bool is_first;

  template <int kCount>
  __device__ int prepare(std::int64_t /*group*/, std::int64_t /*column*/) const {
    return 0;
  }

  template <int kCount>
  __device__ void run(int /*prepared*/, std::int64_t /*group*/, std::int64_t sample, std::int64_t unit) const {
    const UnitPlace place = unit_place(shape, sample, position, unit);
    float* const at = memory.gates + place.gates;
    const float i = at[0], f = at[shape.units], g = at[2 * shape.units], o = at[3 * shape.units];
    float* const dstates_carried = memory.carry + sample * shape.units + unit;
    float* const dcells_carried = dstates_carried + shape.batch * shape.units;
    const float above = memory.dstates != nullptr ? memory.dstates[sample * dstates_step + unit] : 0.0F;
    const float dstate = (is_first ? 0.0F : *dstates_carried) + above;
    const float output = activated(activation, memory.cells[place.cells]);
    const float dcell = (is_first ? 0.0F : *dcells_carried) + times_derivative(activation, dstate * o, output);
    const float cell_before = before >= 0 ? memory.cells[unit_place(shape, sample, before, unit).cells] : 0.0F;
    at[0] = times_derivative(Activation::sigmoid, dcell * g, i);
    at[shape.units] = times_derivative(Activation::sigmoid, dcell * cell_before, f);
    at[2 * shape.units] = times_derivative(activation, dcell * i, g);
    at[3 * shape.units] = times_derivative(Activation::sigmoid, dstate * output, o);
    *dcells_carried = dcell * f;
    if (memory.rounded == nullptr) return;
    std::uint16_t* const rounded = memory.rounded + sample * 4 * shape.units + unit;
    REGATTA_UNROLL
    for (int gate = 0; gate < 4; ++gate) rounded[gate * shape.units] = rounded_to_bf16(at[gate * shape.units]);
  }
};

/// Groups are samples, rows positions: the states of the position before, zeros where there is none.
struct StatesBefore {
  LstmShape shape;
  const float* states;
  float* to;

  template <int kCount>
  __device__ int prepare(std::int64_t /*group*/, std::int64_t /*column*/) const {
    return 0;
  }

  template <int kCount>
  __device__ void run(int /*prepared*/, std::int64_t sample, std::int64_t position, std::int64_t unit) const {
    const std::int64_t before = shape.reverse ? position + 1 : position - 1;
    const bool is_there = before >= 0 && before < shape.length;
    const float* const from = states + unit_place(shape, sample, before, unit).states;
    store(to + (sample * shape.length + position) * shape.units + unit,
          is_there ? load<kCount>(from) : filled<kCount>(0.0F));
  }
};

/// The states of one position.
struct StatesAt {
  LstmShape shape;
  const float* states;
  float* y;
  std::int64_t position;

  template <int kCount>
  __device__ int prepare(std::int64_t /*group*/, std::int64_t /*column*/) const {
    return 0;
  }

  template <int kCount>
  __device__ void run(int /*prepared*/, std::int64_t /*group*/, std::int64_t sample, std::int64_t unit) const {
    const float* const from = states + unit_place(shape, sample, position, unit).states;
    store(y + sample * shape.row + shape.offset + unit, load<kCount>(from));
  }
};

}  // namespace regatta::engine::cuda

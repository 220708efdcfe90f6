#include "engine/cuda/kernels/launches.hpp"
#include "engine/cuda/kernels/lstm.cuh"
#include "engine/cuda/kernels/parts.hpp"

namespace regatta::engine::cuda {

namespace {

/// Samples by units, one at a time: a position is small, and more threads hide more of its latency.
Tiles units_of(const LstmShape& shape) { return tiles_of(1, shape.batch, shape.units, false); }

/// Whether rows of both directions keep packs of units together.
bool has_packs(const LstmShape& shape) { return shape.row % 4 == 0 && shape.offset % 4 == 0; }

}  // namespace

void lstm_gates(const Target& target, const Lstm& op, const LstmMemory& memory, std::int64_t position,
                std::int64_t before) {
  const ActivateGates activate{op.shape, op.activation, memory, position, before};
  launch_rows(target, "lstm_gates", activate, units_of(op.shape));
}

void lstm_gates_gradient(const Target& target, const LstmGradient& op, const LstmGradientMemory& memory,
                         std::int64_t position, std::int64_t before, bool is_first) {
  const LstmShape& s = op.shape;
  GatesGradient gradient{.shape = s,
                         .activation = op.activation,
                         .memory = memory,
                         .dstates_step = op.last ? s.row : s.length * s.row,
                         .position = position,
                         .before = before,
                         .is_first = is_first};
  const float*& above = gradient.memory.dstates;
  if (op.last) {
    above = is_first ? above + s.offset : nullptr;
  } else {
    above += position * s.row + s.offset;
  }
  launch_rows(target, "lstm_gates_gradient", gradient, units_of(s));
}

void states_before(const Target& target, const LstmShape& shape, const float* states, float* to) {
  const Tiles tiles = tiles_of(shape.batch, shape.length, shape.units, has_packs(shape) && take_packs({states, to}));
  launch_rows(target, "states_before", StatesBefore{shape, states, to}, tiles);
}

void lstm_last(const Target& target, const LstmLast& op, const float* states, float* y) {
  const LstmShape& s = op.shape;
  const StatesAt last{s, states, y, s.reverse ? 0 : s.length - 1};
  launch_rows(target, "lstm_last", last, tiles_of(1, s.batch, s.units, has_packs(s) && take_packs({states, y})));
}

}  // namespace regatta::engine::cuda

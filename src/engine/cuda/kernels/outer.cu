#include "engine/cuda/kernels/launches.hpp"
#include "engine/cuda/kernels/outer.cuh"
#include "engine/cuda/kernels/parts.hpp"

namespace regatta::engine::cuda {

void multiply_outer(const Target& target, const MatMul& op, const Memory& memory) {
  const float* const bias = op.add_bias ? floats_of(memory, 3) : nullptr;
  const float* const saved = op.derivative != Activation::none ? floats_of(memory, 4) : nullptr;
  const MultiplyOuter outer{floats_of(memory, 0), floats_of(memory, 1), bias, saved, floats_of(memory, 2), op.n,
                            op.activation,        op.derivative};
  const Tiles tiles = tiles_of(1, op.m, op.n, take_packs({outer.b, outer.c, bias, saved}));
  launch_rows(target, "multiply_outer", outer, tiles);
}

}  // namespace regatta::engine::cuda

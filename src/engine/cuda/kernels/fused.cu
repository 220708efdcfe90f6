#include "engine/cuda/kernels/dropout.hpp"
#include "engine/cuda/kernels/fused.cuh"
#include "engine/cuda/kernels/fused.hpp"
#include "engine/cuda/kernels/launches.hpp"
#include "engine/cuda/kernels/parts.hpp"

namespace regatta::engine::cuda {

bool issue_pair(const Target& target, const GlobalAveragePool& first, const Memory& first_memory, const Dropout& second,
                const Memory& second_memory) {
  const std::int64_t count = first.batch * first.channels;
  const DropElements elements = elements_of(second, second_memory);
  if (elements.x != first_memory[1] || second.batch * second.units != count) return false;
  const float* const x = floats_of(first_memory, 0);
  const std::int64_t bytes = count * 4;
  for (const float* const written : {elements.y, elements.mask}) {
    if (overlap(x, bytes * first.length, written, bytes) || overlap(elements.x, bytes, written, bytes)) return false;
  }
  const MeanOfPositions mean{x, floats_of(first_memory, 1),      first.length, first.channels, 1, 1,
                             0, static_cast<float>(first.length)};
  const Tiles tiles = tiles_of(first.batch, first.length, first.channels, true);
  if (tiles.pack == 4 && !take_packs({mean.x, mean.y, elements.y, elements.mask})) return false;
  launch_sums(target, "mean_dropped", MeanDropped{mean, elements}, tiles);
  return true;
}

bool issue_pair(const Target& target, const DropoutGradient& first, const Memory& first_memory,
                const GlobalAveragePoolGradient& second, const Memory& second_memory) {
  const SpreadDropped spread{floats_of(first_memory, 0),
                             floats_of(first_memory, 1),
                             floats_of(first_memory, 2),
                             floats_of(second_memory, 1),
                             second.length,
                             second.channels};
  const std::int64_t count = second.batch * second.channels;
  if (second_memory[0] != first_memory[2] || first.count != count) return false;
  const std::int64_t bytes = count * 4;
  for (const float* const read : {spread.dy, spread.mask}) {
    // Each is read by threads of all rows: none may write there before.
    if (overlap(read, bytes, spread.dx, bytes * second.length) || overlap(read, bytes, spread.dropped, bytes))
      return false;
  }
  launch_rows(target, "spread_dropped", spread, tiles_of(second.batch, second.length, second.channels, true));
  return true;
}

void multiply_outer(const Target& target, const MatMul& op, const Memory& memory) {
  const float* const bias = op.add_bias ? floats_of(memory, 3) : nullptr;
  const float* const saved = op.derivative != Activation::none ? floats_of(memory, 4) : nullptr;
  const MultiplyOuter outer{floats_of(memory, 0), floats_of(memory, 1), bias, saved, floats_of(memory, 2), op.n,
                            op.activation,        op.derivative};
  const Tiles tiles = tiles_of(1, op.m, op.n, take_packs({outer.b, outer.c, bias, saved}));
  launch_rows(target, "multiply_outer", outer, tiles);
}

}  // namespace regatta::engine::cuda

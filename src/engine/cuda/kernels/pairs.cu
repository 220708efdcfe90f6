#include "engine/cuda/kernels/launches.hpp"
#include "engine/cuda/kernels/pairs.cuh"
#include "engine/cuda/kernels/pairs.hpp"

namespace regatta::engine::cuda {

namespace {

bool overlap(const float* a, std::int64_t a_count, const float* b, std::int64_t b_count) {
  return a < b + b_count && b < a + a_count;
}

}  // namespace

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
  for (const float* const read : {spread.dy, spread.mask}) {
    // Each is read by threads of all rows: none may write there before.
    if (overlap(read, count, spread.dx, count * second.length) || overlap(read, count, spread.dropped, count))
      return false;
  }
  launch_rows(target, "spread_dropped", spread, tiles_of(second.batch, second.length, second.channels, true));
  return true;
}

}  // namespace regatta::engine::cuda

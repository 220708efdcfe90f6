// Kernel gradient: dk(tap, channel, filter) = sum over images and the positions at which the tap lies
// inside. Units: taps; neighbours with the same positions are one product.
#include "engine/cpu/bind.hpp"
#include "engine/cpu/conv1d_calls.hpp"

namespace regatta::engine::cpu {

namespace {

void launch_pack_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  const Conv1dShape& s = spec_of<Conv1dKernelGradient>(call).shape;
  kernels_of(call).pack({in(call, 1), s.batch * s.positions, s.filters, s.filters, 1, begin, end, out(call, kScratch)});
}

/// Taps of one product: their part of the gradient stays in the second-level cache while all images are added.
std::int64_t taps_together(const KernelTable& kernels, const Conv1dKernelGradient& op) {
  constexpr std::int64_t kTilesAtOnce = 20;
  const std::int64_t rows = op.choice.rows_at_once > 0 ? op.choice.rows_at_once : kTilesAtOnce * kernels.tile_rows;
  return std::max<std::int64_t>(1, rows / op.shape.channels);
}

void launch_kernel_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Conv1dKernelGradient>(call);
  const Conv1dShape& s = op.shape;
  const KernelTable& kernels = kernels_of(call);
  if (begin == 0 && op.sum_columns) {
    kernels.column_sum(in(call, 1), s.batch * s.positions, s.filters, 0, s.filters, out(call, 5));
  }
  const std::int64_t together = taps_together(kernels, op);
  for (std::int64_t tap = begin; tap < end;) {
    const Range positions = positions_reading(s, tap);
    std::int64_t stop = tap + 1;
    while (stop < end && stop - tap < together && positions_reading(s, stop) == positions) ++stop;
    float* const c = out(call, 2) + tap * s.channels * s.filters;
    if (positions.size() == 0) {  // a tap that never meets the input
      std::fill_n(c, (stop - tap) * s.channels * s.filters, 0.0F);
    } else {
      kernels.gemm({.m = (stop - tap) * s.channels,
                    .n = s.filters,
                    .k = positions.size(),
                    .outer = s.batch,
                    .a = in(call, 0) + (positions.begin * s.stride - s.pad + tap) * s.channels,
                    .a_row = 1,
                    .a_k = s.stride * s.channels,
                    .a_outer = s.length * s.channels,
                    .b = in(call, kScratch) + positions.begin * kernels.panel,
                    .b_k = kernels.panel,
                    .b_panel = s.batch * s.positions * kernels.panel,
                    .b_outer = s.positions * kernels.panel,
                    .c = c,
                    .c_row = s.filters});
    }
    tap = stop;
  }
}

}  // namespace

std::int64_t conv1d_scratch_bytes(const KernelTable& kernels, const Conv1dKernelGradient& op) {
  return packed_bytes(kernels, op.shape.batch * op.shape.positions, op.shape.filters);
}

BoundCalls bind_conv1d(const Target& target, const Conv1dKernelGradient& op, const Memory& memory) {
  const Conv1dShape& s = op.shape;
  BoundCalls bound = pack_then(target, op, memory, launch_pack_gradient, launch_kernel_gradient);
  const std::int64_t panels = divide_up(s.filters, target.kernels->panel);
  split(target, bound.calls[0], panels, static_cast<double>(4 * s.batch * s.positions * target.kernels->panel));
  split(target, bound.calls[1], s.taps, products(s) / static_cast<double>(s.taps));
  bound.calls[1].produces = s.channels * s.filters;
  return bound;
}

}  // namespace regatta::engine::cpu

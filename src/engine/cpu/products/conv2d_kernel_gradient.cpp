// Kernel gradient: dk(tap row, tap column, channel, filter) = sum over images and the positions at which
// the tap lies inside. Units: taps; neighbours in a row with the same positions are one product.
#include "engine/cpu/products/conv2d_calls.hpp"

namespace regatta::engine::cpu {

namespace {

/// The whole of dy would be copied, so only where its rows lie too far apart to be read in place.
bool packs(const KernelTable& kernels, const Conv2dKernelGradient& op) {
  return !rows_readable(kernels, op.shape.filters) || op.shape.filters > 2 * kernels.panel;
}

void launch_pack_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  const Conv2dShape& s = spec_of<Conv2dKernelGradient>(call).shape;
  kernels_of(call).pack({in(call, 1), positions_of(s), s.filters, s.filters, 1, begin, end, out(call, kScratch)});
}

/// Taps [columns) of one row of the kernel, and the positions at which they lie inside.
struct TapRun {
  std::int64_t row;
  Range columns, out_rows, out_columns;
};

void multiply(const Call& call, const Conv2dShape& s, const RightSide& dy, const TapRun& run, float* gradient) {
  const std::int64_t source_row = run.out_rows.begin * s.stride - s.pad_rows + run.row;
  const std::int64_t source_column = run.out_columns.begin * s.stride - s.pad_columns + run.columns.begin;
  for (std::int64_t image = 0; image < s.batch; ++image) {
    const std::int64_t position = (image * s.out_rows + run.out_rows.begin) * s.out_columns + run.out_columns.begin;
    kernels_of(call).gemm({.m = run.columns.size() * s.channels,
                           .n = s.filters,
                           .k = run.out_columns.size(),
                           .outer = run.out_rows.size(),
                           .a = in(call, 0) + ((image * s.rows + source_row) * s.columns + source_column) * s.channels,
                           .a_row = 1,
                           .a_k = s.stride * s.channels,
                           .a_outer = s.stride * s.columns * s.channels,
                           .b = dy.memory + position * dy.row,
                           .b_k = dy.row,
                           .b_panel = dy.panel,
                           .b_outer = s.out_columns * dy.row,
                           .c = gradient,
                           .c_row = s.filters,
                           .add_to_c = image > 0});
  }
}

void launch_kernel_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Conv2dKernelGradient>(call);
  const Conv2dShape& s = op.shape;
  const Conv1dShape axis = column_axis(s);
  if (begin == 0 && op.sum_columns) {
    kernels_of(call).column_sum(in(call, 1), positions_of(s), s.filters, 0, s.filters, out(call, 5));
  }
  const RightSide dy =
      packs(kernels_of(call), op) ? packed_side(call, positions_of(s)) : direct_side(call, 1, s.filters);
  for (std::int64_t tap = begin; tap < end;) {
    TapRun run{tap / s.taps, {tap % s.taps, tap % s.taps + 1}, {0, 0}, {0, 0}};
    run.out_rows = positions_reading(row_axis(s), run.row);
    run.out_columns = positions_reading(axis, run.columns.begin);
    const std::int64_t last = std::min(s.taps, run.columns.begin + end - tap);
    while (run.columns.end < last && positions_reading(axis, run.columns.end) == run.out_columns) ++run.columns.end;
    float* const gradient = out(call, 2) + tap * s.channels * s.filters;
    if (run.out_rows.size() == 0 || run.out_columns.size() == 0) {  // taps that never meet the input
      std::fill_n(gradient, run.columns.size() * s.channels * s.filters, 0.0F);
    } else {
      multiply(call, s, dy, run, gradient);
    }
    tap += run.columns.size();
  }
}

}  // namespace

std::int64_t conv2d_scratch_bytes(const KernelTable& kernels, const Conv2dKernelGradient& op) {
  return packs(kernels, op) ? packed_bytes(kernels, positions_of(op.shape), op.shape.filters) : 0;
}

BoundCalls bind_conv2d(const Target& target, const Conv2dKernelGradient& op, const Memory& memory) {
  const Conv2dShape& s = op.shape;
  const bool packed = packs(*target.kernels, op);
  BoundCalls bound =
      maybe_pack_then(target, op, memory, packed ? launch_pack_gradient : nullptr, launch_kernel_gradient);
  if (packed) split_packing(target, bound.calls[0], positions_of(s), s.filters);
  const std::int64_t units = s.taps * s.taps;
  split(target, bound.calls[static_cast<std::size_t>(bound.count - 1)], units,
        products(s) / static_cast<double>(units));
  return bound;
}

}  // namespace regatta::engine::cpu

// Forward: y(row, column, filter) = sum over (tap row, tap column, channel). Units: rows of output. In a
// row the positions with all taps inside are one product; those at its ends are products of one row.
#include "engine/cpu/bind.hpp"
#include "engine/cpu/conv2d_calls.hpp"

namespace regatta::engine::cpu {

namespace {

constexpr std::int64_t kPositionsWorthPacking = 512;  ///< positions read each weight once per register tile

bool packs(const KernelTable& kernels, const Conv2d& op) {
  if (!rows_readable(kernels, op.shape.filters)) return true;
  return op.shape.filters > kernels.panel && positions_of(op.shape) > kPositionsWorthPacking;
}

std::int64_t kernel_rows(const Conv2dShape& s) { return s.taps * s.taps * s.channels; }

void launch_pack_kernel(const Call& call, std::int64_t begin, std::int64_t end) {
  const Conv2dShape& s = spec_of<Conv2d>(call).shape;
  kernels_of(call).pack({in(call, 1), kernel_rows(s), s.filters, s.filters, 1, begin, end, out(call, kScratch)});
}

/// Columns [columns) of an output row; all of them have the same taps inside.
struct RowRun {
  std::int64_t image, row;
  Range columns, tap_rows, tap_columns;
};

GemmView view_of(const Call& call, const Conv2d& op, const RightSide& weights, const RowRun& run) {
  const Conv2dShape& s = op.shape;
  const std::int64_t source_row = run.row * s.stride - s.pad_rows + run.tap_rows.begin;
  const std::int64_t source_column = run.columns.begin * s.stride - s.pad_columns + run.tap_columns.begin;
  return {.m = run.columns.size(),
          .n = s.filters,
          .k = run.tap_columns.size() * s.channels,
          .outer = run.tap_rows.size(),
          .a = in(call, 0) + ((run.image * s.rows + source_row) * s.columns + source_column) * s.channels,
          .a_row = s.stride * s.channels,
          .a_k = 1,
          .a_outer = s.columns * s.channels,
          .b = weights.memory + (run.tap_rows.begin * s.taps + run.tap_columns.begin) * s.channels * weights.row,
          .b_k = weights.row,
          .b_panel = weights.panel,
          .b_outer = s.taps * s.channels * weights.row,
          .c = out(call, 2) + ((run.image * s.out_rows + run.row) * s.out_columns + run.columns.begin) * s.filters,
          .c_row = s.filters,
          .bias = in(call, 3),
          .activation = op.activation};
}

/// At most `most` rows at a time, in even parts.
void multiply_in_parts(const KernelTable& kernels, GemmView view, std::int64_t most) {
  std::int64_t left = view.m;
  for (std::int64_t parts = divide_up(left, most); parts > 0; --parts) {
    view.m = divide_up(left, parts);
    kernels.gemm(view);
    view.a += view.m * view.a_row;
    view.c += view.m * view.c_row;
    left -= view.m;
  }
}

void forward_row(const Call& call, const Conv2d& op, std::int64_t image, std::int64_t row) {
  const Conv2dShape& s = op.shape;
  const KernelTable& kernels = kernels_of(call);
  const Conv1dShape axis = column_axis(s);
  const bool packed = packs(kernels, op);
  const RightSide weights = packed ? packed_side(call, kernel_rows(s)) : direct_side(call, 1, s.filters);
  // Weights in place are read with both panels at once: their rows are then whole cache lines.
  const std::int64_t most = packed || s.filters <= kernels.panel ? s.out_columns : kernels.wide_rows;
  const Range inner = inner_positions(axis);
  RowRun run{image, row, {0, 0}, taps_inside(row_axis(s), row), {0, 0}};
  while (run.columns.end < s.out_columns) {
    const std::int64_t column = run.columns.end;
    const bool at_inner = column == inner.begin && inner.size() > 0;
    run.columns = at_inner ? inner : Range{column, column + 1};
    run.tap_columns = taps_inside(axis, column);
    multiply_in_parts(kernels, view_of(call, op, weights, run), most);
  }
}

void launch_forward(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Conv2d>(call);
  for (std::int64_t unit = begin; unit < end; ++unit) {
    forward_row(call, op, unit / op.shape.out_rows, unit % op.shape.out_rows);
  }
}

}  // namespace

std::int64_t conv2d_scratch_bytes(const KernelTable& kernels, const Conv2d& op) {
  return packs(kernels, op) ? packed_bytes(kernels, kernel_rows(op.shape), op.shape.filters) : 0;
}

BoundCalls bind_conv2d(const Target& target, const Conv2d& op, const Memory& memory) {
  const Conv2dShape& s = op.shape;
  const bool packed = packs(*target.kernels, op);
  BoundCalls bound = maybe_pack_then(target, op, memory, packed ? launch_pack_kernel : nullptr, launch_forward);
  if (packed) split_packing(target, bound.calls[0], kernel_rows(s), s.filters);
  const std::int64_t units = s.batch * s.out_rows;
  split(target, bound.calls[static_cast<std::size_t>(bound.count - 1)], units,
        products(s) / static_cast<double>(units));
  return bound;
}

}  // namespace regatta::engine::cpu

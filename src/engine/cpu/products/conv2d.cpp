// Forward: y(row, column, filter) = sum over (tap row, tap column, channel). Units: rows of output. Positions with the
// same taps inside are taken together: the inner ones of a row, or those of a column at the edge.
#include <utility>

#include "engine/cpu/calls/families.hpp"
#include "engine/cpu/products/conv2d_calls.hpp"

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

/// Output positions of one image that have the same taps inside.
struct Area {
  std::int64_t image;
  Range rows, columns, tap_rows, tap_columns;
};

/// The first row of an area as a product: a row of its left-hand side is a position.
GemmView view_of(const Call& call, const Conv2d& op, const RightSide& weights, const Area& area) {
  const Conv2dShape& s = op.shape;
  const std::int64_t source_row = area.rows.begin * s.stride - s.pad_rows + area.tap_rows.begin;
  const std::int64_t source_column = area.columns.begin * s.stride - s.pad_columns + area.tap_columns.begin;
  const std::int64_t position = (area.image * s.out_rows + area.rows.begin) * s.out_columns + area.columns.begin;
  return {.m = area.columns.size(),
          .n = s.filters,
          .k = area.tap_columns.size() * s.channels,
          .outer = area.tap_rows.size(),
          .a = in(call, 0) + ((area.image * s.rows + source_row) * s.columns + source_column) * s.channels,
          .a_row = s.stride * s.channels,
          .a_k = 1,
          .a_outer = s.columns * s.channels,
          .b = weights.memory + (area.tap_rows.begin * s.taps + area.tap_columns.begin) * s.channels * weights.row,
          .b_k = weights.row,
          .b_panel = weights.panel,
          .b_outer = s.taps * s.channels * weights.row,
          .c = out(call, 2) + position * s.filters,
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

void forward_area(const Call& call, const Conv2d& op, const Area& area) {
  const Conv2dShape& s = op.shape;
  const KernelTable& kernels = kernels_of(call);
  const bool packed = packs(kernels, op);
  GemmView view = view_of(call, op, packed ? packed_side(call, kernel_rows(s)) : direct_side(call, 1, s.filters), area);
  const std::int64_t a_row = s.stride * s.columns * s.channels;  // between rows of positions
  const std::int64_t c_row = s.out_columns * s.filters;
  std::int64_t rows = area.rows.size();
  if (view.m == 1) {  // a column at the edge: its positions are the rows of one product
    view.m = std::exchange(rows, 1);
    view.a_row = a_row;
    view.c_row = c_row;
  }
  // Weights in place are read with both panels at once: their rows are then whole cache lines.
  const std::int64_t most = packed || s.filters <= kernels.panel ? view.m : kernels.wide_rows;
  for (std::int64_t row = 0; row < rows; ++row) {
    multiply_in_parts(kernels, view, most);
    view.a += a_row;
    view.c += c_row;
  }
}

/// Positions from `at` to before `end` with the same taps inside: all inner ones, or one.
Range run_from(std::int64_t at, std::int64_t end, const Range& inner) {
  return {at, at >= inner.begin && at < inner.end ? std::min(end, inner.end) : at + 1};
}

void forward_rows(const Call& call, const Conv2d& op, std::int64_t image, const Range& rows) {
  const Conv2dShape& s = op.shape;
  const Conv1dShape row = row_axis(s), column = column_axis(s);
  Area area{image, {0, rows.begin}, {0, 0}, {0, 0}, {0, 0}};
  while (area.rows.end < rows.end) {
    area.rows = run_from(area.rows.end, rows.end, inner_positions(row));
    area.tap_rows = taps_inside(row, area.rows.begin);
    area.columns.end = 0;
    while (area.columns.end < s.out_columns) {
      area.columns = run_from(area.columns.end, s.out_columns, inner_positions(column));
      area.tap_columns = taps_inside(column, area.columns.begin);
      forward_area(call, op, area);
    }
  }
}

void launch_forward(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Conv2d>(call);
  const std::int64_t rows = op.shape.out_rows;
  while (begin < end) {
    const std::int64_t image = begin / rows;
    const std::int64_t stop = std::min(end, (image + 1) * rows);
    forward_rows(call, op, image, {begin - image * rows, stop - image * rows});
    begin = stop;
  }
}

}  // namespace

bool conv2d_packs_first(const KernelTable& kernels, const Conv2d& op) { return packs(kernels, op); }

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

void enter_conv2d(CallTable& table) {
  enter<Conv2d, Conv2dKernelGradient, Conv2dInputGradient>(
      table, [](const Target& target, const auto& op, const Memory& memory) { return bind_conv2d(target, op, memory); },
      [](const Target& target, const auto& op) { return conv2d_scratch_bytes(*target.kernels, op); },
      [](const Target& target, const auto& op) { return conv2d_packs_first(*target.kernels, op); });
}

}  // namespace regatta::engine::cpu

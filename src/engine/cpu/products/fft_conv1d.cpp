// The three passes of a 1-D convolution as products of spectra. Tiles of an image are transformed, then for each bin
// the real and imaginary parts of one operand, as rows, are multiplied with those of the other, as columns; the four
// products are put together while the result is transformed back. Units: what is transformed, bins, what is made.
#include "engine/cpu/products/conv1d_calls.hpp"
#include "engine/cpu/products/products.hpp"
#include "regatta/base/error.hpp"
#include "regatta/model/fft_tiling.hpp"

namespace regatta::engine::cpu {

namespace {

constexpr std::int64_t kRowsAtOnce = 208;  // rows of a product that stay in the second-level cache

model::FftTiling tiling_of(const Conv1dShape& s) {
  const auto tiling = model::fft_tiling({s.channels, s.positions, s.filters, s.taps, s.stride});
  expect(tiling.has_value(), "a convolution by Fourier transforms has a tiling");
  return *tiling;
}

/// a is stored (items; its parts, bins, columns), b (panels of columns; items, bins, columns of a panel) where the
/// columns are those of its parts, c (rows; bins, the parts of b and their columns). Transformed signals lie together,
/// and columns fill whole vectors.
struct Spectra {
  model::FftTiling tiling;
  std::int64_t lanes, panel, bins;
  std::int64_t a_items, a_columns, b_items, b_columns;
  bool sum_over_items;  ///< sums over the items of a and b; else over a's columns and b's items

  [[nodiscard]] std::int64_t a_part() const { return bins * a_columns; }
  [[nodiscard]] std::int64_t b_item() const { return bins * panel; }
  [[nodiscard]] std::int64_t b_panel() const { return b_items * b_item(); }
  [[nodiscard]] std::int64_t c_row() const { return bins * 2 * b_columns; }
  [[nodiscard]] std::int64_t c_rows() const { return 2 * (sum_over_items ? a_columns : a_items); }
  [[nodiscard]] std::int64_t b() const { return a_items * 2 * a_part(); }
  [[nodiscard]] std::int64_t c() const { return b() + divide_up(2 * b_columns, panel) * b_panel(); }
  [[nodiscard]] std::int64_t bytes() const {
    return (c() + c_rows() * c_row()) * static_cast<std::int64_t>(sizeof(float));
  }
};

Spectra spectra_of(const KernelTable& kernels, const Conv1d& op) {
  const model::FftTiling t = tiling_of(op.shape);
  return {.tiling = t,
          .lanes = kernels.lanes,
          .panel = kernels.panel,
          .bins = t.points / 2 + 1,
          .a_items = op.shape.batch * t.tiles,
          .a_columns = round_up(t.columns, kernels.lanes),
          .b_items = t.columns,
          .b_columns = round_up(op.shape.filters, kernels.lanes),
          .sum_over_items = false};
}

Spectra spectra_of(const KernelTable& kernels, const Conv1dKernelGradient& op) {
  Spectra s = spectra_of(kernels, Conv1d{op.shape});
  s.b_items = s.a_items;
  s.sum_over_items = true;
  return s;
}

Spectra spectra_of(const KernelTable& kernels, const Conv1dInputGradient& op) {
  Spectra s = spectra_of(kernels, Conv1d{op.shape});
  std::swap(s.a_columns, s.b_columns);
  s.b_items = op.shape.filters;
  return s;
}

// Where tiles lie: item m is tile m % tiles of image m / tiles.

TileRows rows_of_x(const Conv1dShape& s, const model::FftTiling& t, std::int64_t tile) {
  return {
      s.length * s.channels, (tile * t.positions * s.stride - s.pad) * s.channels, t.columns, 1, t.points, t.columns};
}

TileRows rows_of_y(const Conv1dShape& s, const model::FftTiling& t, std::int64_t tile) {
  return {s.positions * s.filters, tile * t.positions * s.filters, s.filters, 1, t.positions, s.filters};
}

/// All taps of one column of the input, for all filters.
TileRows rows_of_kernel(const Conv1dShape& s, const model::FftTiling& t, std::int64_t column) {
  return {s.taps * s.channels * s.filters, column * s.filters, t.columns * s.filters, 1, t.taps, s.filters};
}

/// All taps of one filter, for all columns of the input.
TileRows columns_of_kernel(const Conv1dShape& s, const model::FftTiling& t, std::int64_t filter) {
  return {s.taps * s.channels * s.filters, filter, t.columns * s.filters, s.filters, t.taps, t.columns};
}

/// Calls `run` with each vector of columns, and the first of them.
template <class Run>
void each_vector(const TileRows& tile, std::int64_t lanes, const Run& run) {
  for (std::int64_t column = 0; column < tile.columns; column += lanes) {
    TileRows part = tile;
    part.first += column * tile.column_stride;
    part.columns = std::min(lanes, tile.columns - column);
    run(part, column);
  }
}

void transform_a(const Call& call, const Spectra& s, std::int64_t item, const TileRows& tile, const float* memory) {
  float* const to = out(call, kScratch) + item * 2 * s.a_part();
  each_vector(tile, s.lanes, [&](const TileRows& part, std::int64_t column) {
    kernels_of(call).fft.transform({s.tiling.points, part, memory, to + column, s.a_columns, s.a_part()});
  });
}

void transform_b(const Call& call, const Spectra& s, std::int64_t item, const TileRows& tile, const float* memory) {
  float* const to = out(call, kScratch) + s.b() + item * s.b_item();
  const auto place = [&](std::int64_t column) { return column / s.panel * s.b_panel() + column % s.panel; };
  each_vector(tile, s.lanes, [&](const TileRows& part, std::int64_t column) {
    const std::int64_t at = place(column);
    kernels_of(call).fft.transform({s.tiling.points, part, memory, to + at, s.panel, place(s.b_columns + column) - at});
  });
}

/// Transforms the products from row `row` on back; these belong to real parts of a.
void invert(const Call& call, const Spectra& s, std::int64_t row, const TileRows& tile, float* memory, bool add,
            bool conjugate_b) {
  const float* const from = out(call, kScratch) + s.c() + row * s.c_row();
  const std::int64_t rows_to_imaginary = s.sum_over_items ? s.a_columns : 1;
  each_vector(tile, s.lanes, [&](const TileRows& part, std::int64_t column) {
    kernels_of(call).fft.invert({s.tiling.points, part, memory, add, from + column, 2 * s.b_columns,
                                 rows_to_imaginary * s.c_row(), s.b_columns, conjugate_b});
  });
}

/// Rows of c are those of a: (item, part), or where items are summed two groups of columns, one for each part.
GemmView products_of_bin(const Call& call, const Spectra& s, std::int64_t bin) {
  const KernelTable& kernels = kernels_of(call);
  float* const scratch = out(call, kScratch);
  GemmView view{.m = s.c_rows(),
                .n = 2 * s.b_columns,
                .k = s.b_items,
                .a = scratch + bin * s.a_columns,
                .a_row = s.a_part(),
                .a_k = 1,
                .b = scratch + s.b() + bin * s.panel,
                .b_k = s.b_item(),
                .b_panel = s.b_panel(),
                .c = scratch + s.c() + bin * 2 * s.b_columns,
                .c_row = s.c_row(),
                .depth = kernels.deep_block};
  if (!s.sum_over_items) return view;
  view.m = s.a_columns;
  view.a_row = 1;
  view.a_k = 2 * s.a_part();
  view.groups = 2;
  view.a_group = s.a_part();
  view.c_group = s.a_columns * s.c_row();
  view.depth = kernels.block;
  return view;
}

void multiply_bin(const Call& call, const Spectra& s, std::int64_t bin) {
  const GemmView whole = products_of_bin(call, s, bin);
  GemmView view = whole;
  for (std::int64_t row = 0; row < whole.m; row += kRowsAtOnce) {
    view.m = std::min(kRowsAtOnce, whole.m - row);
    view.a = whole.a + row * view.a_row;
    view.c = whole.c + row * view.c_row;
    kernels_of(call).gemm(view);
  }
}

template <class Op>
void launch_products(const Call& call, std::int64_t begin, std::int64_t end) {
  const Spectra s = spectra_of(kernels_of(call), spec_of<Op>(call));
  for (std::int64_t bin = begin; bin < end; ++bin) multiply_bin(call, s, bin);
}

// The operands' tiles: items of a are tiles of images, those of b too or parts of the kernel.

TileRows a_rows(const auto& op, const Spectra& s, std::int64_t item) {
  return rows_of_x(op.shape, s.tiling, item % s.tiling.tiles);
}
TileRows a_rows(const Conv1dInputGradient& op, const Spectra& s, std::int64_t item) {
  return rows_of_y(op.shape, s.tiling, item % s.tiling.tiles);
}

TileRows b_rows(const Conv1d& op, const Spectra& s, std::int64_t column) {
  return rows_of_kernel(op.shape, s.tiling, column);
}
TileRows b_rows(const Conv1dKernelGradient& op, const Spectra& s, std::int64_t item) {
  return rows_of_y(op.shape, s.tiling, item % s.tiling.tiles);
}
TileRows b_rows(const Conv1dInputGradient& op, const Spectra& s, std::int64_t filter) {
  return columns_of_kernel(op.shape, s.tiling, filter);
}

template <class Op>
void launch_transforms(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Op>(call);
  const Spectra s = spectra_of(kernels_of(call), op);
  const std::int64_t tiles = s.tiling.tiles;
  run_both(
      begin, end, s.a_items,
      [&](std::int64_t item) {
        const TileRows rows = a_rows(op, s, item);
        transform_a(call, s, item, rows, in(call, 0) + item / tiles * rows.size);
      },
      [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t item = first; item < last; ++item) {
          const TileRows rows = b_rows(op, s, item);
          const std::int64_t image = s.sum_over_items ? item / tiles : 0;  // else the only kernel
          transform_b(call, s, item, rows, in(call, 1) + image * rows.size);
        }
      });
}

void make_result(const Call& call, const Conv1d& op, const Spectra& s, std::int64_t image) {
  const model::FftTiling& t = s.tiling;
  const std::int64_t count = op.shape.positions * op.shape.filters;
  float* const y = out(call, 2) + image * count;
  for (std::int64_t tile = 0; tile < t.tiles; ++tile) {
    invert(call, s, 2 * (image * t.tiles + tile), rows_of_y(op.shape, t, tile), y, false, true);
  }
  if (op.add_bias) kernels_of(call).add_bias(y, in(call, 3), op.shape.positions, op.shape.filters);
  kernels_of(call).activate(op.activation, y, count);
}

void make_result(const Call& call, const Conv1dKernelGradient& op, const Spectra& s, std::int64_t column) {
  if (column == 0 && op.sum_columns) {
    kernels_of(call).column_sum(in(call, 1), op.shape.batch * op.shape.positions, op.shape.filters, 0, op.shape.filters,
                                out(call, 5));
  }
  invert(call, s, column, rows_of_kernel(op.shape, s.tiling, column), out(call, 2), false, true);
}

/// Tiles of the gradient overlap by all taps but one: they are added, one after the other.
void make_result(const Call& call, const Conv1dInputGradient& op, const Spectra& s, std::int64_t image) {
  const model::FftTiling& t = s.tiling;
  const std::int64_t count = op.shape.length * op.shape.channels;
  float* const dx = out(call, 2) + image * count;
  std::fill_n(dx, count, 0.0F);
  for (std::int64_t tile = 0; tile < t.tiles; ++tile) {
    invert(call, s, 2 * (image * t.tiles + tile), rows_of_x(op.shape, t, tile), dx, true, false);
  }
  if (op.derivative == Activation::none) return;
  kernels_of(call).activate_gradient(op.derivative, dx, in(call, 4) + image * count, count);
}

template <class Op>
void launch_results(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Op>(call);
  const Spectra s = spectra_of(kernels_of(call), op);
  for (std::int64_t unit = begin; unit < end; ++unit) make_result(call, op, s, unit);
}

template <class Op>
BoundCalls bind_passes(const Target& target, const Op& op, const Memory& memory, std::int64_t results) {
  constexpr double kTransform = 64;  // operations of a number that is transformed, about
  const Spectra s = spectra_of(*target.kernels, op);
  BoundCalls bound;
  bound.count = 3;
  bound.calls[0] = make_call(target, op, memory, launch_transforms<Op>);
  bound.calls[1] = make_call(target, op, memory, launch_products<Op>);
  bound.calls[2] = make_call(target, op, memory, launch_results<Op>);
  const auto size = [&](std::int64_t numbers) { return kTransform * static_cast<double>(s.bins * numbers); };
  split(target, bound.calls[0], s.a_items + s.b_items, size(std::min(s.a_columns, s.b_columns)));
  split(target, bound.calls[1], s.bins, 2.0 * static_cast<double>(s.c_rows() * 2 * s.b_columns * s.b_items));
  split(target, bound.calls[2], results, size(s.c_rows() / 2 * s.b_columns / results));
  return bound;
}

}  // namespace

std::int64_t fft_scratch_bytes(const KernelTable& kernels, const Conv1d& op) { return spectra_of(kernels, op).bytes(); }
std::int64_t fft_scratch_bytes(const KernelTable& kernels, const Conv1dKernelGradient& op) {
  return spectra_of(kernels, op).bytes();
}
std::int64_t fft_scratch_bytes(const KernelTable& kernels, const Conv1dInputGradient& op) {
  return spectra_of(kernels, op).bytes();
}

BoundCalls bind_fft(const Target& target, const Conv1d& op, const Memory& memory) {
  return bind_passes(target, op, memory, op.shape.batch);
}

BoundCalls bind_fft(const Target& target, const Conv1dKernelGradient& op, const Memory& memory) {
  return bind_passes(target, op, memory, op.shape.stride * op.shape.channels);
}

BoundCalls bind_fft(const Target& target, const Conv1dInputGradient& op, const Memory& memory) {
  return bind_passes(target, op, memory, op.shape.batch);
}

}  // namespace regatta::engine::cpu

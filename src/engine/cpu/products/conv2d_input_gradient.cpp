// Input gradient, as that of the 1-D convolution (conv1d_input_gradient.cpp) on both axes: the sources of
// one pair of phases use the taps of that pair, which reversed are neighbouring positions of dy. The kernel
// is packed for each pair as (tap rows reversed, tap columns reversed, filter) x channel.
#include <utility>

#include "engine/cpu/products/conv2d_calls.hpp"

namespace regatta::engine::cpu {

namespace {

/// The taps of one pair of phases, and where their panels begin in scratch (floats).
struct Phases {
  std::int64_t row, column;
  std::int64_t tap_rows, tap_columns;
  std::int64_t panels;

  [[nodiscard]] std::int64_t depth(const Conv2dShape& s) const { return tap_rows * tap_columns * s.filters; }
};

/// Calls visit(phases) for all pairs; returns the floats that all panels take.
template <class Visit>
std::int64_t for_each_phases(const KernelTable& kernels, const Conv2dShape& s, const Visit& visit) {
  std::int64_t floats = 0;
  const std::int64_t rows = std::min(s.stride, s.rows + s.pad_rows);  // later phases have no source
  const std::int64_t columns = std::min(s.stride, s.columns + s.pad_columns);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const Phases phases{row, column, taps_of_phase(row_axis(s), row), taps_of_phase(column_axis(s), column), floats};
      visit(phases);
      floats += packed_floats(kernels, phases.depth(s), s.channels);
    }
  }
  return floats;
}

/// Panel `panel` of one pair: this tap's (filter, channel) block after that of the tap behind it.
void pack_panel(const Call& call, const Conv2dShape& s, const Phases& phases, std::int64_t panel) {
  const KernelTable& kernels = kernels_of(call);
  float* to = out(call, kScratch) + phases.panels + panel * phases.depth(s) * kernels.panel;
  for (std::int64_t i = phases.tap_rows - 1; i >= 0; --i) {
    for (std::int64_t j = phases.tap_columns - 1; j >= 0; --j) {
      const std::int64_t tap = (phases.row + i * s.stride) * s.taps + phases.column + j * s.stride;
      kernels.pack({.b = in(call, 1) + tap * s.channels * s.filters,
                    .k = s.filters,
                    .n = s.channels,
                    .row_stride = 1,
                    .column_stride = s.filters,
                    .first_panel = panel,
                    .end_panel = panel + 1,
                    .panels = to - panel * s.filters * kernels.panel});  // pack skips the panels before
      to += s.filters * kernels.panel;
    }
  }
}

void launch_pack_phases(const Call& call, std::int64_t begin, std::int64_t end) {
  const Conv2dShape& s = spec_of<Conv2dInputGradient>(call).shape;
  for_each_phases(kernels_of(call), s, [&](const Phases& phases) {
    for (std::int64_t panel = begin; panel < end; ++panel) pack_panel(call, s, phases, panel);
  });
}

/// Sources of one image and pair of phases whose taps, counted from the last one of the phase, are the same: rows from
/// the q_row-th on and columns from the q_column-th on.
struct Area {
  std::int64_t image, q_row, q_column;
  std::int64_t row_count, column_count;
  Range rows, columns;  ///< taps of the area
};

void clear(const Conv2dShape& s, float* first, const Area& area) {
  for (std::int64_t row = 0; row < area.row_count; ++row) {
    for (std::int64_t column = 0; column < area.column_count; ++column) {
      std::fill_n(first + (row * s.columns + column) * s.stride * s.channels, s.channels, 0.0F);
    }
  }
}

void multiply(const Call& call, const Conv2dInputGradient& op, const Phases& phases, const Area& area) {
  const Conv2dShape& s = op.shape;
  const std::int64_t panel = kernels_of(call).panel;
  const std::int64_t source_row = area.q_row * s.stride + phases.row - s.pad_rows;
  const std::int64_t source_column = area.q_column * s.stride + phases.column - s.pad_columns;
  const std::int64_t offset = ((area.image * s.rows + source_row) * s.columns + source_column) * s.channels;
  if (area.rows.size() == 0 || area.columns.size() == 0) return clear(s, out(call, 2) + offset, area);
  // The row that the first such tap reads.
  const std::int64_t row = area.q_row - (phases.tap_rows - 1) + area.rows.begin;
  const std::int64_t column = area.q_column - (phases.tap_columns - 1) + area.columns.begin;
  const std::int64_t first_tap = area.rows.begin * phases.tap_columns + area.columns.begin;
  GemmView view{.m = area.column_count,
                .n = s.channels,
                .k = area.columns.size() * s.filters,
                .outer = area.rows.size(),
                .a = in(call, 0) + ((area.image * s.out_rows + row) * s.out_columns + column) * s.filters,
                .a_row = s.filters,
                .a_k = 1,
                .a_outer = s.out_columns * s.filters,
                .b = in(call, kScratch) + phases.panels + first_tap * s.filters * panel,
                .b_k = panel,
                .b_panel = phases.depth(s) * panel,
                .b_outer = phases.tap_columns * s.filters * panel,
                .c = out(call, 2) + offset,
                .c_row = s.stride * s.channels,
                .saved = op.derivative != Activation::none ? in(call, 4) + offset : nullptr,
                .derivative = op.derivative};
  const std::int64_t a_row = s.out_columns * s.filters;  // between rows of sources
  const std::int64_t c_row = s.stride * s.columns * s.channels;
  std::int64_t rows = area.row_count;
  if (view.m == 1) {  // a column at the edge: its sources are the rows of one product
    view.m = std::exchange(rows, 1);
    view.a_row = a_row;
    view.c_row = c_row;
  }
  view.saved_row = view.c_row;
  for (std::int64_t i = 0; i < rows; ++i) {
    kernels_of(call).gemm(view);
    view.a += a_row;
    view.c += c_row;
    if (view.saved != nullptr) view.saved += c_row;
  }
}

/// How many sources of a phase from the q-th on have the same taps inside.
std::int64_t alike_from(const Conv1dShape& axis, std::int64_t phase, std::int64_t q, std::int64_t end) {
  const Range taps = reversed_taps_inside(axis, phase, q);
  std::int64_t count = 1;
  while (q + count < end && reversed_taps_inside(axis, phase, q + count) == taps) ++count;
  return count;
}

void input_gradient_of_phases(const Call& call, const Conv2dInputGradient& op, const Phases& phases,
                              std::int64_t image) {
  const Conv1dShape row = row_axis(op.shape), column = column_axis(op.shape);
  const Range rows = sources_of_phase(row, phases.row);
  const Range columns = sources_of_phase(column, phases.column);
  Area area{image, rows.begin, 0, 0, 0, {0, 0}, {0, 0}};
  for (; area.q_row < rows.end; area.q_row += area.row_count) {
    area.rows = reversed_taps_inside(row, phases.row, area.q_row);
    area.row_count = alike_from(row, phases.row, area.q_row, rows.end);
    for (area.q_column = columns.begin; area.q_column < columns.end; area.q_column += area.column_count) {
      area.columns = reversed_taps_inside(column, phases.column, area.q_column);
      area.column_count = alike_from(column, phases.column, area.q_column, columns.end);
      multiply(call, op, phases, area);
    }
  }
}

void launch_input_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Conv2dInputGradient>(call);
  for (std::int64_t image = begin; image < end; ++image) {
    for_each_phases(kernels_of(call), op.shape,
                    [&](const Phases& phases) { input_gradient_of_phases(call, op, phases, image); });
  }
}

}  // namespace

std::int64_t conv2d_scratch_bytes(const KernelTable& kernels, const Conv2dInputGradient& op) {
  const std::int64_t floats = for_each_phases(kernels, op.shape, [](const Phases&) {});
  return floats * static_cast<std::int64_t>(sizeof(float));
}

BoundCalls bind_conv2d(const Target& target, const Conv2dInputGradient& op, const Memory& memory) {
  const Conv2dShape& s = op.shape;
  BoundCalls bound = pack_then(target, op, memory, launch_pack_phases, launch_input_gradient);
  split_packing(target, bound.calls[0], 4 * s.taps * s.taps * s.filters, s.channels);  // its columns lie apart
  split(target, bound.calls[1], s.batch, products(s) / static_cast<double>(s.batch));
  return bound;
}

}  // namespace regatta::engine::cpu

// Input gradient, as that of the 1-D convolution (conv1d_input_gradient.cpp) on both axes: the sources of
// one pair of phases use the taps of that pair, which reversed are neighbouring positions of dy. The kernel
// is packed for each pair as (tap rows reversed, tap columns reversed, filter) x channel.
#include "engine/cpu/bind.hpp"
#include "engine/cpu/conv2d_calls.hpp"

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
      floats += packed_bytes(kernels, phases.depth(s), s.channels) / static_cast<std::int64_t>(sizeof(float));
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

/// The sources of one image, row and pair of phases, `count` of them from the q_column-th on, whose taps (counted from
/// the last one of the phase) lie inside.
struct SourceRun {
  std::int64_t image, q_row, q_column, count;
  Range rows, columns;
};

void multiply(const Call& call, const Conv2dInputGradient& op, const Phases& phases, const SourceRun& run) {
  const Conv2dShape& s = op.shape;
  const std::int64_t panel = kernels_of(call).panel;
  const std::int64_t source_row = run.q_row * s.stride + phases.row - s.pad_rows;
  const std::int64_t source_column = run.q_column * s.stride + phases.column - s.pad_columns;
  const std::int64_t offset = ((run.image * s.rows + source_row) * s.columns + source_column) * s.channels;
  if (run.rows.size() == 0 || run.columns.size() == 0) {  // no position reads these
    for (std::int64_t i = 0; i < run.count; ++i) {
      std::fill_n(out(call, 2) + offset + i * s.stride * s.channels, s.channels, 0.0F);
    }
    return;
  }
  const std::int64_t row = run.q_row - (phases.tap_rows - 1) + run.rows.begin;  // that the first such tap reads
  const std::int64_t column = run.q_column - (phases.tap_columns - 1) + run.columns.begin;
  const std::int64_t first_tap = run.rows.begin * phases.tap_columns + run.columns.begin;
  kernels_of(call).gemm({.m = run.count,
                         .n = s.channels,
                         .k = run.columns.size() * s.filters,
                         .outer = run.rows.size(),
                         .a = in(call, 0) + ((run.image * s.out_rows + row) * s.out_columns + column) * s.filters,
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
                         .saved_row = s.stride * s.channels,
                         .derivative = op.derivative});
}

void input_gradient_of_phases(const Call& call, const Conv2dInputGradient& op, const Phases& phases,
                              std::int64_t image) {
  const Conv1dShape axis = column_axis(op.shape);
  const Range rows = sources_of_phase(row_axis(op.shape), phases.row);
  const Range columns = sources_of_phase(axis, phases.column);
  for (std::int64_t q_row = rows.begin; q_row < rows.end; ++q_row) {
    SourceRun run{image, q_row, columns.begin, 0, reversed_taps_inside(row_axis(op.shape), phases.row, q_row), {0, 0}};
    for (; run.q_column < columns.end; run.q_column += run.count) {
      run.columns = reversed_taps_inside(axis, phases.column, run.q_column);
      run.count = 1;
      while (run.q_column + run.count < columns.end &&
             reversed_taps_inside(axis, phases.column, run.q_column + run.count) == run.columns) {
        ++run.count;
      }
      multiply(call, op, phases, run);
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

// Backward through time: each position turns the gates into their gradients and carries those back through the
// transposed recurrent kernel. The kernels' gradients are products over all positions at once, afterwards.
#include "engine/cpu/calls/conv1d_ranges.hpp"
#include "engine/cpu/calls/lstm_calls.hpp"

namespace regatta::engine::cpu {

namespace {

/// Scratch in floats: the transposed recurrent kernel in panels, then for each sample the gates' gradients of the
/// position before, and the gradients of its states and cells.
struct Layout {
  std::int64_t gates, gates_row;
  std::int64_t states, cells, row;
  std::int64_t end;
};

Layout layout_of(const KernelTable& kernels, const LstmShape& s) {
  Layout layout{};
  layout.gates = packed_floats(kernels, 4 * s.units, s.units);
  layout.gates_row = spaced(4 * s.units);
  layout.states = layout.gates + s.batch * layout.gates_row;
  layout.row = spaced(s.units);
  layout.cells = layout.states + s.batch * layout.row;
  layout.end = layout.cells + s.batch * layout.row;
  return layout;
}

void launch_pack(const Call& call, std::int64_t begin, std::int64_t end) {
  const LstmShape& s = spec_of<LstmGradient>(call).shape;
  kernels_of(call).pack({.b = in(call, 2),
                         .k = 4 * s.units,
                         .n = s.units,
                         .row_stride = 1,
                         .column_stride = 4 * s.units,
                         .first_panel = begin,
                         .end_panel = end,
                         .panels = out(call, kScratch)});
}

/// The states' gradient from the layer above at this position; null if only the last position has one.
const float* gradient_above(const Call& call, const LstmGradient& op, std::int64_t sample, std::int64_t number) {
  const LstmShape& s = op.shape;
  if (!op.last) return in(call, 0) + (sample * s.length + position_of(s, number)) * s.row + s.offset;
  return number == s.length - 1 ? in(call, 0) + sample * s.row + s.offset : nullptr;
}

/// Samples [begin, end) at the position computed `number`-th in forward.
void gates_gradient(const Call& call, const LstmGradient& op, std::int64_t begin, std::int64_t end,
                    std::int64_t number) {
  const LstmShape& s = op.shape;
  const Layout layout = layout_of(kernels_of(call), s);
  const bool last = number == s.length - 1;
  const std::int64_t place = begin * s.length + position_of(s, number);
  const float* const cells = in(call, 3) + place * s.units;
  float* const scratch = out(call, kScratch);
  kernels_of(call).layers.lstm_cells_gradient({.rows = end - begin,
                                               .columns = s.units,
                                               .dstates = gradient_above(call, op, begin, number),
                                               .dstates_row = op.last ? s.row : s.length * s.row,
                                               .carried = last ? nullptr : scratch + layout.states + begin * layout.row,
                                               .carried_row = layout.row,
                                               .gates = out(call, 1) + place * 4 * s.units,
                                               .gates_row = s.length * 4 * s.units,
                                               .gate = s.units,
                                               .copy = scratch + layout.gates + begin * layout.gates_row,
                                               .copy_row = layout.gates_row,
                                               .cells = cells,
                                               .before = number > 0 ? cells + (s.reverse ? 1 : -1) * s.units : nullptr,
                                               .cells_row = s.length * s.units,
                                               .dcells = scratch + layout.cells + begin * layout.row,
                                               .dcells_row = layout.row,
                                               .last = last,
                                               .activation = op.activation});
}

/// Gradient of the states before: that of the gates through the recurrent kernel.
void carry(const Call& call, const LstmShape& s, std::int64_t begin, std::int64_t end) {
  const KernelTable& kernels = kernels_of(call);
  const Layout layout = layout_of(kernels, s);
  float* const scratch = out(call, kScratch);
  kernels.gemm({.m = end - begin,
                .n = s.units,
                .k = 4 * s.units,
                .a = scratch + layout.gates + begin * layout.gates_row,
                .a_row = layout.gates_row,
                .a_k = 1,
                .b = scratch,
                .b_k = kernels.panel,
                .b_panel = 4 * s.units * kernels.panel,
                .c = scratch + layout.states + begin * layout.row,
                .c_row = layout.row});
}

void launch_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<LstmGradient>(call);
  for (std::int64_t number = op.shape.length - 1; number >= 0; --number) {
    gates_gradient(call, op, begin, end, number);
    if (number > 0) carry(call, op.shape, begin, end);
  }
}

// The recurrent kernel's gradient: sums over samples and positions of (states before) x (gates' gradients). The states
// are packed first. Units are groups of columns; each packs the gates' gradients sample by sample, so that they are
// read from memory once, and sums in memory of its own: rows of all columns share their cache sets.

constexpr std::int64_t kPanelsOfGroup = 16;

/// Scratch in floats: the packed gates' gradients of a sample, the sums of each unit, the packed states.
struct GradientLayout {
  std::int64_t unit_columns, sums, states, end;
};

GradientLayout gradient_layout(const KernelTable& kernels, const LstmShape& s) {
  GradientLayout layout{};
  layout.unit_columns = kPanelsOfGroup * kernels.panel;
  layout.sums = packed_floats(kernels, s.length - 1, 4 * s.units);
  layout.states = layout.sums + divide_up(4 * s.units, layout.unit_columns) * layout.unit_columns * s.units;
  layout.end = layout.states + packed_floats(kernels, s.batch * s.length, s.units);
  return layout;
}

void launch_pack_states(const Call& call, std::int64_t begin, std::int64_t end) {
  const LstmShape& s = spec_of<LstmRecurrentGradient>(call).shape;
  const KernelTable& kernels = kernels_of(call);
  kernels.pack({in(call, 0) + s.offset, s.batch * s.length, s.units, s.row, 1, begin, end,
                out(call, kScratch) + gradient_layout(kernels, s).states});
}

/// Adds one sample's terms to `sums`, of columns [panels) in panels.
void add_sample(const Call& call, const LstmShape& s, Range panels, std::int64_t sample, float* sums) {
  const KernelTable& kernels = kernels_of(call);
  const GradientLayout layout = gradient_layout(kernels, s);
  const std::int64_t terms = s.length - 1;  // the first position has no states before
  const std::int64_t column = panels.begin * kernels.panel;
  float* const packed = out(call, kScratch);
  const float* const gates = in(call, 1) + (sample * s.length + (s.reverse ? 0 : 1)) * 4 * s.units;
  const float* const states = packed + layout.states + (sample * s.length + (s.reverse ? 1 : 0)) * kernels.panel;
  kernels.pack({gates, terms, 4 * s.units, 4 * s.units, 1, panels.begin, panels.end, packed});
  multiply_panels(kernels,
                  {.m = s.units,
                   .n = std::min(4 * s.units, panels.end * kernels.panel) - column,
                   .k = terms,
                   .a = states,
                   .a_row = 1,
                   .a_k = kernels.panel,
                   .b = packed + panels.begin * terms * kernels.panel,
                   .b_k = kernels.panel,
                   .b_panel = terms * kernels.panel,
                   .c = sums,
                   .c_row = layout.unit_columns,
                   .add_to_c = sample > 0},
                  s.batch * s.length * kernels.panel);
}

void launch_recurrent_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<LstmRecurrentGradient>(call);
  const LstmShape& s = op.shape;
  const KernelTable& kernels = kernels_of(call);
  const std::int64_t all = divide_up(4 * s.units, kernels.panel);
  for (std::int64_t unit = begin; unit < end; ++unit) {
    const Range panels{unit * kPanelsOfGroup, std::min(all, (unit + 1) * kPanelsOfGroup)};
    const std::int64_t column = panels.begin * kernels.panel;
    const std::int64_t end_column = std::min(4 * s.units, panels.end * kernels.panel);
    if (op.sum_columns) {
      kernels.column_sum(in(call, 1), s.batch * s.length, 4 * s.units, column, end_column, out(call, 5));
    }
    const GradientLayout layout = gradient_layout(kernels, s);
    float* const sums = out(call, kScratch) + layout.sums + unit * layout.unit_columns * s.units;
    if (s.length == 1) std::fill_n(sums, layout.unit_columns * s.units, 0.0F);
    for (std::int64_t sample = 0; sample < s.batch && s.length > 1; ++sample) {
      add_sample(call, s, panels, sample, sums);
    }
    for (std::int64_t row = 0; row < s.units; ++row) {
      std::copy_n(sums + row * layout.unit_columns, end_column - column, out(call, 2) + row * 4 * s.units + column);
    }
  }
}

}  // namespace

std::int64_t lstm_scratch_bytes(const KernelTable& kernels, const LstmGradient& op) {
  return layout_of(kernels, op.shape).end * static_cast<std::int64_t>(sizeof(float));
}

std::int64_t lstm_scratch_bytes(const KernelTable& kernels, const LstmRecurrentGradient& op) {
  return gradient_layout(kernels, op.shape).end * static_cast<std::int64_t>(sizeof(float));
}

BoundCalls bind_lstm(const Target& target, const LstmGradient& op, const Memory& memory) {
  const LstmShape& s = op.shape;
  BoundCalls bound;
  bound.count = 2;
  bound.calls[0] = make_call(target, op, memory, launch_pack);
  bound.calls[1] = make_call(target, op, memory, launch_gradient);
  split(target, bound.calls[0], divide_up(s.units, target.kernels->panel),
        static_cast<double>(16 * 4 * s.units * target.kernels->panel));  // its columns lie apart
  split_samples(target, bound.calls[1], s);
  return bound;
}

BoundCalls bind_lstm(const Target& target, const LstmRecurrentGradient& op, const Memory& memory) {
  const LstmShape& s = op.shape;
  BoundCalls bound;
  bound.count = 2;
  bound.calls[0] = make_call(target, op, memory, launch_pack_states);
  bound.calls[1] = make_call(target, op, memory, launch_recurrent_gradient);
  const std::int64_t panel = target.kernels->panel;
  split(target, bound.calls[0], divide_up(s.units, panel), static_cast<double>(4 * s.batch * s.length * panel));
  const std::int64_t units = divide_up(divide_up(4 * s.units, panel), kPanelsOfGroup);
  const double products = 8.0 * static_cast<double>(s.batch * s.length) * static_cast<double>(s.units * s.units);
  split(target, bound.calls[1], units, products / static_cast<double>(units));
  return bound;
}

}  // namespace regatta::engine::cpu

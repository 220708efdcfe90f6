// Forward through time. The products of all inputs with the kernel are there already (a matrix product of its
// own); each position adds that of the states before it, from a packed recurrent kernel, and applies the gates
// to the units whose four products are just done.
#include "engine/cpu/bind.hpp"
#include "engine/cpu/lstm_calls.hpp"

namespace regatta::engine::cpu {

namespace {

/// Scratch in floats: the kernel of each gate in panels, then the states of the position before and of this one.
struct Layout {
  std::int64_t gate;    ///< of one gate's panels
  std::int64_t states;  ///< where the first of both begins
  std::int64_t row;     ///< of the states
  std::int64_t one;     ///< size of each of both
};

Layout layout_of(const KernelTable& kernels, const LstmShape& s) {
  const std::int64_t gate = packed_floats(kernels, s.units, s.units);
  return {gate, 4 * gate, spaced(s.units), s.batch * spaced(s.units)};
}

/// Units: the panels of all gates.
void launch_pack(const Call& call, std::int64_t begin, std::int64_t end) {
  const LstmShape& s = spec_of<Lstm>(call).shape;
  const KernelTable& kernels = kernels_of(call);
  const std::int64_t panels = divide_up(s.units, kernels.panel);
  for (std::int64_t unit = begin; unit < end; ++unit) {
    const std::int64_t gate = unit / panels;
    kernels.pack({.b = in(call, 1) + gate * s.units,
                  .k = s.units,
                  .n = s.units,
                  .row_stride = 4 * s.units,
                  .column_stride = 1,
                  .first_panel = unit % panels,
                  .end_panel = unit % panels + 1,
                  .panels = out(call, kScratch) + gate * layout_of(kernels, s).gate});
  }
}

/// Samples [begin, end) at one position.
struct Step {
  std::int64_t begin, end;
  std::int64_t number;    ///< positions computed before
  std::int64_t position;  ///< in x
};

/// gates += states before * recurrent kernel, for some units of all gates.
void add_states(const Call& call, const LstmShape& s, const Step& step, std::int64_t unit, std::int64_t units) {
  const KernelTable& kernels = kernels_of(call);
  const Layout layout = layout_of(kernels, s);
  const float* const states = in(call, kScratch) + layout.states + (step.number % 2) * layout.one;
  for (std::int64_t gate = 0; gate < 4; ++gate) {
    kernels.gemm({.m = step.end - step.begin,
                  .n = units,
                  .k = s.units,
                  .a = states + step.begin * layout.row,
                  .a_row = layout.row,
                  .a_k = 1,
                  .b = in(call, kScratch) + gate * layout.gate + unit * s.units,
                  .b_k = kernels.panel,
                  .b_panel = s.units * kernels.panel,
                  .c = out(call, 0) + ((step.begin * s.length + step.position) * 4 + gate) * s.units + unit,
                  .c_row = s.length * 4 * s.units,
                  .add_to_c = true});
  }
}

void apply_gates(const Call& call, const Lstm& op, const Step& step, std::int64_t unit, std::int64_t units) {
  const LstmShape& s = op.shape;
  const Layout layout = layout_of(kernels_of(call), s);
  const std::int64_t place = step.begin * s.length + step.position;
  float* const cells = out(call, 3) + place * s.units + unit;
  const std::int64_t before = (s.reverse ? 1 : -1) * s.units;
  kernels_of(call).layers.lstm_cells({.rows = step.end - step.begin,
                                      .columns = units,
                                      .gates = out(call, 0) + place * 4 * s.units + unit,
                                      .gates_row = s.length * 4 * s.units,
                                      .gate = s.units,
                                      .before = step.number > 0 ? cells + before : nullptr,
                                      .cells = cells,
                                      .cells_row = s.length * s.units,
                                      .states = out(call, 2) + place * s.row + s.offset + unit,
                                      .states_row = s.length * s.row,
                                      .copy = out(call, kScratch) + layout.states +
                                              ((step.number + 1) % 2) * layout.one + step.begin * layout.row + unit,
                                      .copy_row = layout.row,
                                      .activation = op.activation});
}

void launch_forward(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Lstm>(call);
  const KernelTable& kernels = kernels_of(call);
  const std::int64_t panels = end - begin <= kernels.wide_rows ? 2 : 1;  // few rows: more sums side by side
  const std::int64_t width = panels * kernels.panel;
  for (std::int64_t number = 0; number < op.shape.length; ++number) {
    const Step step{begin, end, number, position_of(op.shape, number)};
    for (std::int64_t unit = 0; unit < op.shape.units; unit += width) {
      const std::int64_t units = std::min(width, op.shape.units - unit);
      if (number > 0) add_states(call, op.shape, step, unit, units);
      apply_gates(call, op, step, unit, units);
    }
  }
}

}  // namespace

std::int64_t lstm_scratch_bytes(const KernelTable& kernels, const Lstm& op) {
  const Layout layout = layout_of(kernels, op.shape);
  return (layout.states + 2 * layout.one) * static_cast<std::int64_t>(sizeof(float));
}

BoundCalls bind_lstm(const Target& target, const Lstm& op, const Memory& memory) {
  const LstmShape& s = op.shape;
  BoundCalls bound;
  bound.count = 2;
  bound.calls[0] = make_call(target, op, memory, launch_pack);
  bound.calls[1] = make_call(target, op, memory, launch_forward);
  split(target, bound.calls[0], 4 * divide_up(s.units, target.kernels->panel),
        static_cast<double>(4 * s.units * target.kernels->panel));
  split_samples(target, bound.calls[1], s);
  return bound;
}

BoundCalls bind_lstm(const Target& target, const LstmLast& op, const Memory& memory) {
  BoundCalls bound;
  bound.count = 1;
  bound.calls[0] = make_call(target, op, memory, [](const Call& call, std::int64_t, std::int64_t) {
    const LstmShape& s = spec_of<LstmLast>(call).shape;
    for (std::int64_t sample = 0; sample < s.batch; ++sample) {
      const std::int64_t place = sample * s.length + position_of(s, s.length - 1);
      std::copy_n(in(call, 0) + place * s.row + s.offset, s.units, out(call, 1) + sample * s.row + s.offset);
    }
  });
  return bound;
}

}  // namespace regatta::engine::cpu

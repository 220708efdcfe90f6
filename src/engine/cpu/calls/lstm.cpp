// Forward through time. The products of all inputs with the kernel are there already (a matrix product of its own). At
// each position one product with the packed recurrent kernel, then the gates: sample by sample, because those of one
// lie side by side, and other samples' far away.
#include "engine/cpu/calls/families.hpp"
#include "engine/cpu/calls/lstm_calls.hpp"

namespace regatta::engine::cpu {

namespace {

/// Scratch in floats: the panels, then for each sample the states of the position before and of this one, and the
/// products of all gates.
struct Layout {
  std::int64_t states, row, one;  ///< begin, floats of a sample, floats of each of both
  std::int64_t products, product_row;
  std::int64_t end;
};

Layout layout_of(const KernelTable& kernels, const LstmShape& s) {
  Layout layout{};
  layout.states = packed_floats(kernels, s.units, 4 * s.units);
  layout.row = spaced(s.units);
  layout.one = s.batch * layout.row;
  layout.products = layout.states + 2 * layout.one;
  layout.product_row = spaced(4 * s.units);
  layout.end = layout.products + s.batch * layout.product_row;
  return layout;
}

void launch_pack(const Call& call, std::int64_t begin, std::int64_t end) {
  const LstmShape& s = spec_of<Lstm>(call).shape;
  kernels_of(call).pack({.b = in(call, 1),
                         .k = s.units,
                         .n = 4 * s.units,
                         .row_stride = 4 * s.units,
                         .column_stride = 1,
                         .first_panel = begin,
                         .end_panel = end,
                         .panels = out(call, kScratch)});
}

/// Samples [begin, end) at one position.
struct Step {
  std::int64_t begin, end;
  std::int64_t number;    ///< positions computed before
  std::int64_t position;  ///< in x
};

/// States before times the recurrent kernel.
void multiply_states(const Call& call, const Layout& layout, const Step& step) {
  const KernelTable& kernels = kernels_of(call);
  const std::int64_t units = spec_of<Lstm>(call).shape.units;
  float* const scratch = out(call, kScratch);
  kernels.gemm({.m = step.end - step.begin,
                .n = 4 * units,
                .k = units,
                .a = scratch + layout.states + step.number % 2 * layout.one + step.begin * layout.row,
                .a_row = layout.row,
                .a_k = 1,
                .b = scratch,
                .b_k = kernels.panel,
                .b_panel = units * kernels.panel,
                .c = scratch + layout.products + step.begin * layout.product_row,
                .c_row = layout.product_row,
                .depth = kernels.deep_block});
}

void apply_gates(const Call& call, const Layout& layout, const Step& step) {
  const auto& op = spec_of<Lstm>(call);
  const LstmShape& s = op.shape;
  const std::int64_t place = step.begin * s.length + step.position;
  float* const cells = out(call, 3) + place * s.units;
  float* const scratch = out(call, kScratch);
  float* const next = scratch + layout.states + (step.number + 1) % 2 * layout.one;
  kernels_of(call).layers.lstm_cells(
      {.rows = step.end - step.begin,
       .columns = s.units,
       .products = step.number > 0 ? scratch + layout.products + step.begin * layout.product_row : nullptr,
       .products_row = layout.product_row,
       .products_gate = s.units,
       .gates = out(call, 0) + place * 4 * s.units,
       .gates_row = s.length * 4 * s.units,
       .gate = s.units,
       .before = step.number > 0 ? cells + (s.reverse ? 1 : -1) * s.units : nullptr,
       .cells = cells,
       .cells_row = s.length * s.units,
       .states = out(call, 2) + place * s.row + s.offset,
       .states_row = s.length * s.row,
       .copy = next + step.begin * layout.row,
       .copy_row = layout.row,
       .activation = op.activation});
}

void launch_forward(const Call& call, std::int64_t begin, std::int64_t end) {
  const LstmShape& s = spec_of<Lstm>(call).shape;
  const Layout layout = layout_of(kernels_of(call), s);
  for (std::int64_t number = 0; number < s.length; ++number) {
    const Step step{begin, end, number, position_of(s, number)};
    if (number > 0) multiply_states(call, layout, step);
    apply_gates(call, layout, step);
  }
}

}  // namespace

std::int64_t lstm_scratch_bytes(const KernelTable& kernels, const Lstm& op) {
  return layout_of(kernels, op.shape).end * static_cast<std::int64_t>(sizeof(float));
}

BoundCalls bind_lstm(const Target& target, const Lstm& op, const Memory& memory) {
  const LstmShape& s = op.shape;
  BoundCalls bound;
  bound.count = 2;
  bound.calls[0] = make_call(target, op, memory, launch_pack);
  bound.calls[1] = make_call(target, op, memory, launch_forward);
  const std::int64_t panel = target.kernels->panel;
  split(target, bound.calls[0], divide_up(4 * s.units, panel), static_cast<double>(4 * s.units * panel));
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

void enter_lstm(CallTable& table) {
  enter<Lstm, LstmGradient, LstmRecurrentGradient>(
      table, [](const Target& target, const auto& op, const Memory& memory) { return bind_lstm(target, op, memory); },
      [](const Target& target, const auto& op) { return lstm_scratch_bytes(*target.kernels, op); });
  enter<LstmLast>(
      table, [](const Target& target, const auto& op, const Memory& memory) { return bind_lstm(target, op, memory); });
}

}  // namespace regatta::engine::cpu

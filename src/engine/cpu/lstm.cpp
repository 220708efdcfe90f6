// Forward through time. The products of all inputs with the kernel are there already (a matrix product of its
// own). The recurrent kernel is packed so that a block of units has the panels of its four gates side by side: one
// product for each block and position, whose results stay in the first cache until the gates are applied to them.
#include "engine/cpu/bind.hpp"
#include "engine/cpu/lstm_calls.hpp"

namespace regatta::engine::cpu {

namespace {

/// Scratch in floats: the panels, then for each sample the states of the position before and of this one, and the
/// products of a block.
struct Layout {
  std::int64_t blocks, block;     ///< of units; floats of the panels of one
  std::int64_t states, row, one;  ///< begin, floats of a sample, floats of each of both
  std::int64_t products, product_row;
  std::int64_t end;
};

Layout layout_of(const KernelTable& kernels, const LstmShape& s) {
  Layout layout{};
  layout.blocks = divide_up(s.units, kernels.panel);
  layout.block = 4 * kernels.panel * s.units;
  layout.states = layout.blocks * layout.block;
  layout.row = spaced(s.units);
  layout.one = s.batch * layout.row;
  layout.products = layout.states + 2 * layout.one;
  layout.product_row = 4 * kernels.panel;
  layout.end = layout.products + s.batch * layout.product_row;
  return layout;
}

/// Units: the panels, each of one gate.
void launch_pack(const Call& call, std::int64_t begin, std::int64_t end) {
  const LstmShape& s = spec_of<Lstm>(call).shape;
  const std::int64_t panel = kernels_of(call).panel;
  for (std::int64_t unit = begin; unit < end; ++unit) {
    const std::int64_t first = unit / 4 * panel;
    kernels_of(call).pack({.b = in(call, 1) + unit % 4 * s.units + first,
                           .k = s.units,
                           .n = std::min(panel, s.units - first),
                           .row_stride = 4 * s.units,
                           .column_stride = 1,
                           .first_panel = 0,
                           .end_panel = 1,
                           .panels = out(call, kScratch) + unit * panel * s.units});
  }
}

/// Samples [begin, end) at one position.
struct Step {
  std::int64_t begin, end;
  std::int64_t number;    ///< positions computed before
  std::int64_t position;  ///< in x
};

/// States before times the recurrent kernel, for one block of units.
void multiply_states(const Call& call, const Layout& layout, const Step& step, std::int64_t block) {
  const KernelTable& kernels = kernels_of(call);
  const std::int64_t units = spec_of<Lstm>(call).shape.units;
  float* const scratch = out(call, kScratch);
  kernels.gemm({.m = step.end - step.begin,
                .n = 4 * kernels.panel,
                .k = units,
                .a = scratch + layout.states + step.number % 2 * layout.one + step.begin * layout.row,
                .a_row = layout.row,
                .a_k = 1,
                .b = scratch + block * layout.block,
                .b_k = kernels.panel,
                .b_panel = units * kernels.panel,
                .c = scratch + layout.products + step.begin * layout.product_row,
                .c_row = layout.product_row,
                .depth = kernels.deep_block});
}

void apply_gates(const Call& call, const Layout& layout, const Step& step, std::int64_t block) {
  const auto& op = spec_of<Lstm>(call);
  const LstmShape& s = op.shape;
  const KernelTable& kernels = kernels_of(call);
  const std::int64_t unit = block * kernels.panel;
  const std::int64_t place = step.begin * s.length + step.position;
  float* const cells = out(call, 3) + place * s.units + unit;
  float* const scratch = out(call, kScratch);
  float* const next = scratch + layout.states + (step.number + 1) % 2 * layout.one;
  kernels.layers.lstm_cells(
      {.rows = step.end - step.begin,
       .columns = std::min(kernels.panel, s.units - unit),
       .products = step.number > 0 ? scratch + layout.products + step.begin * layout.product_row : nullptr,
       .products_row = layout.product_row,
       .products_gate = kernels.panel,
       .gates = out(call, 0) + place * 4 * s.units + unit,
       .gates_row = s.length * 4 * s.units,
       .gate = s.units,
       .before = step.number > 0 ? cells + (s.reverse ? 1 : -1) * s.units : nullptr,
       .cells = cells,
       .cells_row = s.length * s.units,
       .states = out(call, 2) + place * s.row + s.offset + unit,
       .states_row = s.length * s.row,
       .copy = next + step.begin * layout.row + unit,
       .copy_row = layout.row,
       .activation = op.activation});
}

void launch_forward(const Call& call, std::int64_t begin, std::int64_t end) {
  const LstmShape& s = spec_of<Lstm>(call).shape;
  const Layout layout = layout_of(kernels_of(call), s);
  for (std::int64_t number = 0; number < s.length; ++number) {
    const Step step{begin, end, number, position_of(s, number)};
    for (std::int64_t block = 0; block < layout.blocks; ++block) {
      if (number > 0) multiply_states(call, layout, step, block);
      apply_gates(call, layout, step, block);
    }
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
  split(target, bound.calls[0], 4 * divide_up(s.units, panel), static_cast<double>(4 * s.units * panel));
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

// 1-D convolutions in bf16, forward and input gradient: products over overlapping rows of an input that is rounded
// with the zeros around it, so that every position has all its taps. Units: images.
#include "engine/cpu/products/bf16_calls.hpp"
#include "engine/cpu/products/conv1d_calls.hpp"

namespace regatta::engine::cpu {

namespace {

/// Inputs that all positions read, those in front of the image first.
std::int64_t inputs_read(const Conv1dShape& s) { return (s.positions - 1) * s.stride + s.taps; }

Bf16Scratch scratch_of(const Conv1d& op) {
  const Conv1dShape& s = op.shape;
  return bf16_scratch(s.batch * inputs_read(s) * s.channels,
                      divide_up(s.filters, kBf16Panel) * bf16_panel_size(s.taps * s.channels));
}

/// `rows` rows of `columns` numbers behind `zeros` rows and before as many as fill `all_rows`, of `to_columns` each.
void round_between_zeros(const Call& call, const float* from, std::int64_t zeros, std::int64_t rows,
                         std::int64_t all_rows, std::int64_t columns, std::int64_t to_columns, Bf16* to) {
  std::fill_n(to, zeros * to_columns, Bf16{0});
  to += zeros * to_columns;
  rows = std::min(rows, all_rows - zeros);
  if (columns == to_columns) {  // one long row
    bf16_of(call).copy({from, 0, 1, rows * columns, to, 0, rows * columns});
  } else {
    bf16_of(call).copy({from, columns, rows, columns, to, to_columns, to_columns});
  }
  std::fill_n(to + rows * to_columns, (all_rows - zeros - rows) * to_columns, Bf16{0});
}

void launch_round_forward(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Conv1d>(call);
  const Conv1dShape& s = op.shape;
  run_both(
      begin, end, s.batch,
      [&](std::int64_t image) {
        round_between_zeros(call, in(call, 0) + image * s.length * s.channels, s.pad, s.length, inputs_read(s),
                            s.channels, s.channels, rounded(call) + image * inputs_read(s) * s.channels);
      },
      [&](std::int64_t first, std::int64_t last) {
        const std::int64_t k = s.taps * s.channels;
        bf16_of(call).pack({in(call, 1), k, s.filters, s.filters, 1, first, last, rounded(call) + scratch_of(op).a,
                            bf16_panel_size(k)});
      });
}

void launch_forward(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Conv1d>(call);
  const Conv1dShape& s = op.shape;
  const std::int64_t image = inputs_read(s) * s.channels;
  bf16_of(call).gemm({.m = s.positions,
                      .n = s.filters,
                      .k = s.taps * s.channels,
                      .a = rounded(call) + begin * image,
                      .a_row = s.stride * s.channels,
                      .b = rounded(call) + scratch_of(op).a,
                      .b_panel = bf16_panel_size(s.taps * s.channels),
                      .c = out(call, 2) + begin * s.positions * s.filters,
                      .c_row = s.filters,
                      .bias = op.add_bias ? in(call, 3) : nullptr,
                      .activation = op.activation,
                      .groups = end - begin,
                      .a_group = image,
                      .c_group = s.positions * s.filters});
}

// Input gradient: the sources of one phase, (source + pad) mod stride, read the taps of that phase, the last one first.

std::int64_t whole_filters(const Conv1dShape& s) { return round_up(s.filters, kBf16Depth); }

/// Positions before the first one that a source reads.
std::int64_t positions_before(const Conv1dShape& s) { return taps_of_phase(s, 0) - 1; }

std::int64_t positions_read(const Conv1dShape& s) {
  std::int64_t last = 0;
  for (std::int64_t phase = 0; phase < s.stride; ++phase) last = std::max(last, sources_of_phase(s, phase).end);
  return positions_before(s) + std::max(last, s.positions);
}

std::int64_t phase_panel_size(const Conv1dShape& s, std::int64_t phase) {
  return taps_of_phase(s, phase) * whole_filters(s) * kBf16Panel;
}

Bf16Scratch scratch_of(const Conv1dInputGradient& op) {
  const Conv1dShape& s = op.shape;
  return bf16_scratch(s.batch * positions_read(s) * whole_filters(s),
                      divide_up(s.channels, kBf16Panel) * s.taps * whole_filters(s) * kBf16Panel);
}

void pack_phases(const Call& call, const Conv1dInputGradient& op, std::int64_t first, std::int64_t last) {
  const Conv1dShape& s = op.shape;
  Bf16* panels = rounded(call) + scratch_of(op).a;
  for (std::int64_t phase = 0; phase < s.stride; ++phase) {
    const std::int64_t taps = taps_of_phase(s, phase);
    for (std::int64_t j = 0; j < taps; ++j) {
      bf16_of(call).pack({.b = in(call, 1) + (phase + j * s.stride) * s.channels * s.filters,
                          .k = s.filters,
                          .n = s.channels,
                          .row_stride = 1,
                          .column_stride = s.filters,
                          .first_panel = first,
                          .end_panel = last,
                          .panels = panels + (taps - 1 - j) * whole_filters(s) * kBf16Panel,
                          .panel_size = phase_panel_size(s, phase)});
    }
    panels += divide_up(s.channels, kBf16Panel) * phase_panel_size(s, phase);
  }
}

void launch_round_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Conv1dInputGradient>(call);
  const Conv1dShape& s = op.shape;
  run_both(
      begin, end, s.batch,
      [&](std::int64_t image) {
        round_between_zeros(call, in(call, 0) + image * s.positions * s.filters, positions_before(s), s.positions,
                            positions_read(s), s.filters, whole_filters(s),
                            rounded(call) + image * positions_read(s) * whole_filters(s));
      },
      [&](std::int64_t first, std::int64_t last) { pack_phases(call, op, first, last); });
}

void launch_input_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Conv1dInputGradient>(call);
  const Conv1dShape& s = op.shape;
  const std::int64_t image = positions_read(s) * whole_filters(s);
  const Bf16* panels = rounded(call) + scratch_of(op).a;
  for (std::int64_t phase = 0; phase < s.stride; ++phase) {
    const Range sources = sources_of_phase(s, phase);
    const std::int64_t taps = taps_of_phase(s, phase);
    const std::int64_t first = taps == 0 ? 0 : positions_before(s) + sources.begin - (taps - 1);
    const std::int64_t at =
        (begin * s.length + sources.begin * s.stride + phase - s.pad) * s.channels;  // the first source
    bf16_of(call).gemm({.m = sources.size(),
                        .n = s.channels,
                        .k = taps * whole_filters(s),
                        .a = rounded(call) + begin * image + first * whole_filters(s),
                        .a_row = whole_filters(s),
                        .b = panels,
                        .b_panel = phase_panel_size(s, phase),
                        .c = out(call, 2) + at,
                        .c_row = s.stride * s.channels,
                        .saved = op.derivative != Activation::none ? in(call, 4) + at : nullptr,
                        .derivative = op.derivative,
                        .groups = end - begin,
                        .a_group = image,
                        .c_group = s.length * s.channels});
    panels += divide_up(s.channels, kBf16Panel) * phase_panel_size(s, phase);
  }
}

template <class Op>
BoundCalls bind_by_image(const Target& target, const Op& op, const Memory& memory, std::int64_t panels, Launch round,
                         Launch product) {
  const Conv1dShape& s = op.shape;
  BoundCalls bound = pack_then(target, op, memory, round, product);
  split(target, bound.calls[0], s.batch + panels, static_cast<double>(4 * s.length * s.channels));
  split(target, bound.calls[1], s.batch, products(s) / kBf16Speed / static_cast<double>(s.batch));
  return bound;
}

}  // namespace

std::int64_t bf16_scratch_bytes(const Conv1d& op) { return scratch_of(op).bytes(); }
std::int64_t bf16_scratch_bytes(const Conv1dInputGradient& op) { return scratch_of(op).bytes(); }

BoundCalls bind_bf16(const Target& target, const Conv1d& op, const Memory& memory) {
  const std::int64_t panels = divide_up(op.shape.filters, kBf16Panel);
  return bind_by_image(target, op, memory, panels, launch_round_forward, launch_forward);
}

BoundCalls bind_bf16(const Target& target, const Conv1dInputGradient& op, const Memory& memory) {
  const std::int64_t panels = divide_up(op.shape.channels, kBf16Panel);
  return bind_by_image(target, op, memory, panels, launch_round_gradient, launch_input_gradient);
}

}  // namespace regatta::engine::cpu

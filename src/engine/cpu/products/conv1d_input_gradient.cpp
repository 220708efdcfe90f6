// Input gradient: dx(source, channel) = sum over (tap, filter) of dy(position) k(tap), where position *
// stride + tap = source + pad. All sources of one phase (source + pad) mod stride use the taps of that
// phase: with the taps reversed, neighbouring positions, so again a product over overlapping rows, of dy.
// The kernel is packed for each phase as (taps reversed, filter) x channel.
#include "engine/cpu/products/conv1d_calls.hpp"
#include "engine/cpu/products/products.hpp"
#include "engine/cpu/products/row_sets.hpp"

namespace regatta::engine::cpu {

namespace {

void launch_pack_phases(const Call& call, std::int64_t begin, std::int64_t end) {
  const Conv1dShape& s = spec_of<Conv1dInputGradient>(call).shape;
  const KernelTable& kernels = kernels_of(call);
  float* panels = out(call, kScratch);
  for (std::int64_t phase = 0; phase < std::min(s.stride, s.taps); ++phase) {
    const std::int64_t taps = taps_of_phase(s, phase);
    for (std::int64_t panel = begin; panel < end; ++panel) {
      float* to = panels + panel * taps * s.filters * kernels.panel;
      for (std::int64_t j = taps - 1; j >= 0; --j) {  // this tap's (filter, channel) block of the panel
        kernels.pack({.b = in(call, 1) + (phase + j * s.stride) * s.channels * s.filters,
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
    panels += packed_floats(kernels, taps * s.filters, s.channels);
  }
}

/// Neighbouring sources of a phase, the q-th and those after it, for which the same taps lie inside.
struct Run {
  std::int64_t phase, q, count;
  Range reversed;  ///< taps of the phase, counted from the last one
};

Run run_from(const Conv1dShape& s, std::int64_t phase, std::int64_t q) {
  const std::int64_t end = sources_of_phase(s, phase).end;
  const std::int64_t taps = taps_of_phase(s, phase);
  Run run{phase, q, 1, reversed_taps_inside(s, phase, q)};
  if (taps > 0 && run.reversed == Range{0, taps}) {  // until the first position of the last tap is missing
    run.count = std::min(end, s.positions) - q;
    return run;
  }
  while (q + run.count < end && reversed_taps_inside(s, phase, q + run.count) == run.reversed) ++run.count;
  return run;
}

/// Whether a run is a unit for each image; else it is one unit, of all images.
bool by_image(const Conv1dShape& s, const Run& run) {
  return run.reversed.size() > 0 && worth_a_tile(run.count, s.batch);
}

std::int64_t units_of(const Conv1dShape& s, const Run& run) { return by_image(s, run) ? s.batch : 1; }

std::int64_t first_source(const Conv1dShape& s, const Run& run) { return run.q * s.stride + run.phase - s.pad; }

/// The run in some of the images.
RowSet rows_of(const Conv1dShape& s, const float* dy, const Run& run, Range images) {
  const std::int64_t taps = taps_of_phase(s, run.phase);
  // The position that the first tap inside reads.
  const std::int64_t position = run.q - (taps - 1) + run.reversed.begin;
  RowSet set{.groups = images.size(),
             .rows = run.count,
             .a = dy + (images.begin * s.positions + position) * s.filters,
             .a_group = s.positions * s.filters,
             .a_row = s.filters,
             .c = (images.begin * s.length + first_source(s, run)) * s.channels,
             .c_group = s.length * s.channels,
             .c_row = s.stride * s.channels,
             .part = {run.reversed.begin * s.filters, run.reversed.end * s.filters}};
  if (!by_image(s, run)) {  // rows go through the images
    std::swap(set.groups, set.rows);
    std::swap(set.a_group, set.a_row);
    std::swap(set.c_group, set.c_row);
  }
  return set;
}

void clear(const Call& call, const Conv1dShape& s, const Run& run) {
  for (std::int64_t image = 0; image < s.batch; ++image) {
    for (std::int64_t i = 0; i < run.count; ++i) {
      const std::int64_t source = first_source(s, run) + i * s.stride;
      std::fill_n(out(call, 2) + (image * s.length + source) * s.channels, s.channels, 0.0F);
    }
  }
}

GemmView product_of(const Call& call, const Conv1dInputGradient& op, std::int64_t phase, const float* panels) {
  const Conv1dShape& s = op.shape;
  const std::int64_t panel = kernels_of(call).panel;
  const std::int64_t terms = taps_of_phase(s, phase) * s.filters;
  return {.m = 0,
          .n = s.channels,
          .k = terms,
          .a = nullptr,
          .a_row = 0,
          .a_k = 1,
          .b = panels,
          .b_k = panel,
          .b_panel = terms * panel,
          .c = out(call, 2),
          .c_row = 0,
          .saved = op.derivative != Activation::none ? in(call, 4) : nullptr,
          .derivative = op.derivative};
}

/// The units [begin, end) of one phase; returns how many it has.
std::int64_t launch_phase(const Call& call, const Conv1dInputGradient& op, std::int64_t phase, const float* panels,
                          Range units) {
  const Conv1dShape& s = op.shape;
  RowSets sets(kernels_of(call), product_of(call, op, phase, panels), op.choice.rows_at_once);
  std::int64_t unit = 0;
  const Range sources = sources_of_phase(s, phase);
  for (std::int64_t q = sources.begin; q < sources.end;) {
    const Run run = run_from(s, phase, q);
    const std::int64_t count = units_of(s, run);
    const Range mine{std::max(units.begin - unit, std::int64_t{0}), std::min(units.end - unit, count)};
    if (mine.begin < mine.end && run.reversed.size() == 0) {
      clear(call, s, run);
    } else if (mine.begin < mine.end) {
      sets.add(rows_of(s, in(call, 0), run, by_image(s, run) ? mine : Range{0, s.batch}));
    }
    unit += count;
    q += run.count;
  }
  return unit;
}

void launch_input_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Conv1dInputGradient>(call);
  const float* panels = in(call, kScratch);
  for (std::int64_t phase = 0; phase < op.shape.stride; ++phase) {
    const std::int64_t units = launch_phase(call, op, phase, panels, {begin, end});
    begin -= units;
    end -= units;
    panels += packed_floats(kernels_of(call), taps_of_phase(op.shape, phase) * op.shape.filters, op.shape.channels);
  }
}

std::int64_t all_units(const Conv1dShape& s) {
  std::int64_t units = 0;
  for (std::int64_t phase = 0; phase < s.stride; ++phase) {
    const Range sources = sources_of_phase(s, phase);
    for (std::int64_t q = sources.begin; q < sources.end;) {
      const Run run = run_from(s, phase, q);
      units += units_of(s, run);
      q += run.count;
    }
  }
  return units;
}

}  // namespace

std::int64_t conv1d_scratch_bytes(const KernelTable& kernels, const Conv1dInputGradient& op) {
  std::int64_t bytes = 0;
  for (std::int64_t phase = 0; phase < op.shape.stride; ++phase) {
    bytes += packed_bytes(kernels, taps_of_phase(op.shape, phase) * op.shape.filters, op.shape.channels);
  }
  return bytes;
}

BoundCalls bind_conv1d(const Target& target, const Conv1dInputGradient& op, const Memory& memory) {
  const Conv1dShape& s = op.shape;
  BoundCalls bound = pack_then(target, op, memory, launch_pack_phases, launch_input_gradient);
  const std::int64_t panels = divide_up(s.channels, target.kernels->panel);
  split(target, bound.calls[0], panels, static_cast<double>(16 * s.taps * s.filters * target.kernels->panel));
  const std::int64_t units = all_units(s);
  split_rows(target, bound.calls[1], units, products(s) / static_cast<double>(units));
  return bound;
}

}  // namespace regatta::engine::cpu

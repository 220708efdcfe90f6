// Input gradient: dx(source, channel) = sum over (tap, filter) of dy(position) k(tap), where position *
// stride + tap = source + pad. All sources of one phase (source + pad) mod stride use the taps of that
// phase: with the taps reversed, neighbouring positions, so again a product over overlapping rows, of dy.
// The kernel is packed for each phase as (taps reversed, filter) x channel.
#include "engine/cpu/bind.hpp"
#include "engine/cpu/conv1d_calls.hpp"

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
    panels += packed_bytes(kernels, taps * s.filters, s.channels) / static_cast<std::int64_t>(sizeof(float));
  }
}

/// The sources of one image and phase, `count` of them from the q-th on, whose taps [reversed) lie inside.
struct PhaseRun {
  std::int64_t image, phase, q, count;
  Range reversed;       ///< taps of the phase, counted from the last one
  const float* panels;  ///< of the phase
};

void input_gradient_run(const Call& call, const Conv1dInputGradient& op, const PhaseRun& run) {
  const Conv1dShape& s = op.shape;
  const std::int64_t taps = taps_of_phase(s, run.phase);
  const std::int64_t panel = kernels_of(call).panel;
  const std::int64_t source = run.q * s.stride + run.phase - s.pad;
  const std::int64_t offset = (run.image * s.length + source) * s.channels;
  const std::int64_t position = run.q - (taps - 1) + run.reversed.begin;  // that the first such tap reads
  kernels_of(call).gemm({.m = run.count,
                         .n = s.channels,
                         .k = run.reversed.size() * s.filters,
                         .a = in(call, 0) + (run.image * s.positions + position) * s.filters,
                         .a_row = s.filters,
                         .a_k = 1,
                         .b = run.panels + run.reversed.begin * s.filters * panel,
                         .b_k = panel,
                         .b_panel = taps * s.filters * panel,
                         .c = out(call, 2) + offset,
                         .c_row = s.stride * s.channels,
                         .saved = op.derivative != Activation::none ? in(call, 4) + offset : nullptr,
                         .saved_row = s.stride * s.channels,
                         .derivative = op.derivative});
}

void clear_source(const Call& call, const Conv1dShape& s, std::int64_t image, std::int64_t source) {
  std::fill_n(out(call, 2) + (image * s.length + source) * s.channels, s.channels, 0.0F);
}

void input_gradient_phase(const Call& call, const Conv1dInputGradient& op, PhaseRun run) {
  const Conv1dShape& s = op.shape;
  const Range sources = sources_of_phase(s, run.phase);
  for (run.q = sources.begin; run.q < sources.end; run.q += run.count) {
    run.reversed = reversed_taps_inside(s, run.phase, run.q);
    run.count = 1;
    while (run.q + run.count < sources.end && reversed_taps_inside(s, run.phase, run.q + run.count) == run.reversed) {
      ++run.count;
    }
    if (run.reversed.size() > 0) {
      input_gradient_run(call, op, run);
    } else {
      for (std::int64_t i = 0; i < run.count; ++i) {
        clear_source(call, s, run.image, (run.q + i) * s.stride + run.phase - s.pad);
      }
    }
  }
}

void launch_input_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Conv1dInputGradient>(call);
  const Conv1dShape& s = op.shape;
  for (std::int64_t image = begin; image < end; ++image) {
    const float* panels = in(call, kScratch);
    for (std::int64_t phase = 0; phase < s.stride; ++phase) {
      input_gradient_phase(call, op, {image, phase, 0, 0, {0, 0}, panels});
      panels += packed_bytes(kernels_of(call), taps_of_phase(s, phase) * s.filters, s.channels) /
                static_cast<std::int64_t>(sizeof(float));
    }
  }
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
  split(target, bound.calls[1], s.batch, products(s) / static_cast<double>(s.batch));
  return bound;
}

}  // namespace regatta::engine::cpu

// 1-D convolutions, channels last, as products over overlapping rows: position p reads the
// taps * channels floats from input p * stride - pad on, so rows of `a` are stride * channels apart.
// Taps that fall outside are skipped: positions at the edges have shorter sums.
#include "engine/cpu/call.hpp"
#include "engine/cpu/conv1d_ranges.hpp"

namespace regatta::engine::cpu {

namespace {

std::int64_t packed_bytes(const KernelTable& kernels, std::int64_t k, std::int64_t n) {
  return divide_up(n, kernels.panel) * kernels.panel * k * static_cast<std::int64_t>(sizeof(float));
}

double products(const Conv1dShape& s) {
  return 2.0 * static_cast<double>(s.batch * s.positions) * static_cast<double>(s.taps * s.channels * s.filters);
}

// Forward: y(position, filter) = sum over (tap, channel). Units: the positions at the edges, each a
// product with one row for each image; then the images, each a product over its inner positions.

void launch_pack_kernel(const Call& call, std::int64_t begin, std::int64_t end) {
  const Conv1dShape& s = spec_of<Conv1d>(call).shape;
  kernels_of(call).pack({in(call, 1), s.taps * s.channels, s.filters, s.filters, 1, begin, end, out(call, kScratch)});
}

GemmView forward_view(const Call& call, const Conv1d& op, Range taps) {
  const Conv1dShape& s = op.shape;
  const std::int64_t panel = kernels_of(call).panel;
  return {.m = 0,
          .n = s.filters,
          .k = taps.size() * s.channels,
          .a = nullptr,
          .a_row = 0,
          .a_k = 1,
          .b = in(call, kScratch) + taps.begin * s.channels * panel,
          .b_k = panel,
          .b_panel = s.taps * s.channels * panel,
          .c = nullptr,
          .c_row = s.filters,
          .bias = in(call, 3),
          .activation = op.activation};
}

void forward_edge(const Call& call, const Conv1d& op, std::int64_t position) {
  const Conv1dShape& s = op.shape;
  const Range taps = taps_inside(s, position);
  GemmView view = forward_view(call, op, taps);
  view.m = s.batch;
  view.a = in(call, 0) + (position * s.stride - s.pad + taps.begin) * s.channels;
  view.a_row = s.length * s.channels;
  view.c = out(call, 2) + position * s.filters;
  view.c_row = s.positions * s.filters;
  kernels_of(call).gemm(view);
}

void forward_inner(const Call& call, const Conv1d& op, Range positions, std::int64_t image) {
  const Conv1dShape& s = op.shape;
  GemmView view = forward_view(call, op, {0, s.taps});
  view.m = positions.size();
  view.a = in(call, 0) + (image * s.length + positions.begin * s.stride - s.pad) * s.channels;
  view.a_row = s.stride * s.channels;
  view.c = out(call, 2) + (image * s.positions + positions.begin) * s.filters;
  kernels_of(call).gemm(view);
}

void launch_forward(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Conv1d>(call);
  const Range inner = inner_positions(op.shape);
  const std::int64_t edges = op.shape.positions - inner.size();
  for (std::int64_t unit = begin; unit < end; ++unit) {
    if (unit >= edges) {
      forward_inner(call, op, inner, unit - edges);
    } else {
      forward_edge(call, op, unit < inner.begin ? unit : unit + inner.size());
    }
  }
}

// Kernel gradient: dk(tap, channel, filter) = sum over images and the positions at which the tap lies
// inside. Units: groups of neighbouring taps with the same positions.

void launch_pack_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  const Conv1dShape& s = spec_of<Conv1dKernelGradient>(call).shape;
  kernels_of(call).pack({in(call, 1), s.batch * s.positions, s.filters, s.filters, 1, begin, end, out(call, kScratch)});
}

void launch_kernel_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Conv1dKernelGradient>(call);
  const Conv1dShape& s = op.shape;
  const KernelTable& kernels = kernels_of(call);
  if (begin == 0 && op.sum_columns) {
    kernels.column_sum(in(call, 1), s.batch * s.positions, s.filters, 0, s.filters, out(call, 5));
  }
  for (std::int64_t tap = begin; tap < end;) {
    const Range positions = positions_reading(s, tap);
    std::int64_t stop = tap + 1;
    while (stop < end && positions_reading(s, stop) == positions) ++stop;
    float* const c = out(call, 2) + tap * s.channels * s.filters;
    if (positions.size() == 0) {  // a tap that never meets the input
      std::fill_n(c, (stop - tap) * s.channels * s.filters, 0.0F);
    } else {
      kernels.gemm({.m = (stop - tap) * s.channels,
                    .n = s.filters,
                    .k = positions.size(),
                    .outer = s.batch,
                    .a = in(call, 0) + (positions.begin * s.stride - s.pad + tap) * s.channels,
                    .a_row = 1,
                    .a_k = s.stride * s.channels,
                    .a_outer = s.length * s.channels,
                    .b = in(call, kScratch) + positions.begin * kernels.panel,
                    .b_k = kernels.panel,
                    .b_panel = s.batch * s.positions * kernels.panel,
                    .b_outer = s.positions * kernels.panel,
                    .c = c,
                    .c_row = s.filters});
    }
    tap = stop;
  }
}

// Input gradient: dx(source, channel) = sum over (tap, filter) of dy(position) k(tap), where position *
// stride + tap = source + pad. All sources of one phase (source + pad) mod stride use the taps of that
// phase: with the taps reversed, neighbouring positions, so again a product over overlapping rows, of dy.
// The kernel is packed for each phase as (taps reversed, filter) x channel.

void launch_pack_phases(const Call& call, std::int64_t begin, std::int64_t end) {
  const Conv1dShape& s = spec_of<Conv1dInputGradient>(call).shape;
  const KernelTable& kernels = kernels_of(call);
  float* panels = out(call, kScratch);
  for (std::int64_t phase = 0; phase < std::min(s.stride, s.taps); ++phase) {
    const std::int64_t taps = taps_of_phase(s, phase);
    for (std::int64_t panel = begin; panel < end; ++panel) {
      float* to = panels + panel * taps * s.filters * kernels.panel;
      for (std::int64_t j = taps - 1; j >= 0; --j) {  // this tap's (filter, channel) block of the panel
        const float* const kernel = in(call, 1) + (phase + j * s.stride) * s.channels * s.filters;
        for (std::int64_t i = 0; i < s.filters * kernels.panel; ++i) {
          const std::int64_t channel = panel * kernels.panel + i % kernels.panel;
          *to++ = channel < s.channels ? kernel[channel * s.filters + i / kernels.panel] : 0.0F;
        }
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

template <class Spec>
BoundCalls pack_then(const Target& target, const Spec& op, const Memory& memory, Launch pack, Launch run) {
  BoundCalls bound;
  bound.count = 2;
  bound.calls[0] = make_call(target, op, memory, pack);
  bound.calls[1] = make_call(target, op, memory, run);
  return bound;
}

}  // namespace

std::int64_t conv1d_scratch_bytes(const KernelTable& kernels, const Conv1d& op) {
  return packed_bytes(kernels, op.shape.taps * op.shape.channels, op.shape.filters);
}

BoundCalls bind_conv1d(const Target& target, const Conv1d& op, const Memory& memory) {
  const Conv1dShape& s = op.shape;
  BoundCalls bound = pack_then(target, op, memory, launch_pack_kernel, launch_forward);
  const std::int64_t panels = divide_up(s.filters, target.kernels->panel);
  split(target, bound.calls[0], panels, static_cast<double>(4 * s.taps * s.channels * target.kernels->panel));
  const std::int64_t units = s.positions - inner_positions(s).size() + s.batch;
  split(target, bound.calls[1], units, products(s) / static_cast<double>(units));
  return bound;
}

std::int64_t conv1d_scratch_bytes(const KernelTable& kernels, const Conv1dKernelGradient& op) {
  return packed_bytes(kernels, op.shape.batch * op.shape.positions, op.shape.filters);
}

BoundCalls bind_conv1d(const Target& target, const Conv1dKernelGradient& op, const Memory& memory) {
  const Conv1dShape& s = op.shape;
  BoundCalls bound = pack_then(target, op, memory, launch_pack_gradient, launch_kernel_gradient);
  const std::int64_t panels = divide_up(s.filters, target.kernels->panel);
  split(target, bound.calls[0], panels, static_cast<double>(4 * s.batch * s.positions * target.kernels->panel));
  split(target, bound.calls[1], s.taps, products(s) / static_cast<double>(s.taps));
  return bound;
}

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

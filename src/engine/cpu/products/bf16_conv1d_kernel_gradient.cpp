// Kernel gradient of 1-D convolutions in bf16: dk(tap, channel, filter) = sum over images and positions of x dy. The
// input is rounded channel by channel, so that positions lie side by side: those of tap phase + j stride begin j
// further on. Positions are filled up to whole tiles, where dy is zero. Units: a block of channels and a panel of
// filters, with all taps.
#include "engine/cpu/products/bf16_calls.hpp"
#include "engine/cpu/products/conv1d_calls.hpp"

namespace regatta::engine::cpu {

namespace {

constexpr std::int64_t kChannels = 32;  // channels in a unit

std::int64_t whole_positions(const Conv1dShape& s) { return round_up(s.positions, kBf16Depth); }

/// Inputs of one phase that a channel keeps: what all its taps read.
std::int64_t kept(const Conv1dShape& s) { return whole_positions(s) + taps_of_phase(s, 0) - 1; }

std::int64_t phases(const Conv1dShape& s) { return std::min(s.stride, s.taps); }
std::int64_t image_size(const Conv1dShape& s) { return phases(s) * s.channels * kept(s); }
std::int64_t panels(const Conv1dShape& s) { return divide_up(s.filters, kBf16Panel); }
std::int64_t panel_size(const Conv1dShape& s) { return s.batch * bf16_panel_size(s.positions); }

Bf16Scratch scratch_of(const Conv1dKernelGradient& op) {
  return bf16_scratch(op.shape.batch * image_size(op.shape), panels(op.shape) * panel_size(op.shape));
}

void round_image(const Call& call, const Conv1dShape& s, std::int64_t image) {
  const float* const x = in(call, 0) + image * s.length * s.channels;
  for (std::int64_t phase = 0; phase < phases(s); ++phase) {
    Bf16* const to = rounded(call) + image * image_size(s) + phase * s.channels * kept(s);
    const Range sources = sources_of_phase(s, phase);
    const Range inside{std::min(sources.begin, kept(s)), std::min(sources.end, kept(s))};
    for (std::int64_t channel = 0; channel < s.channels; ++channel) {
      std::fill_n(to + channel * kept(s), inside.begin, Bf16{0});
    }
    bf16_of(call).copy_transposed({.from = x + (inside.begin * s.stride + phase - s.pad) * s.channels,
                                   .from_row = s.stride * s.channels,
                                   .rows = inside.size(),
                                   .columns = s.channels,
                                   .to = to + inside.begin,
                                   .to_row = kept(s),
                                   .to_columns = kept(s) - inside.begin});
  }
}

void launch_round(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Conv1dKernelGradient>(call);
  const Conv1dShape& s = op.shape;
  for (std::int64_t image = begin; image < end; ++image) {
    round_image(call, s, image);
    bf16_of(call).pack({.b = in(call, 1) + image * s.positions * s.filters,
                        .k = s.positions,
                        .n = s.filters,
                        .row_stride = s.filters,
                        .column_stride = 1,
                        .first_panel = 0,
                        .end_panel = panels(s),
                        .panels = rounded(call) + scratch_of(op).a + image * bf16_panel_size(s.positions),
                        .panel_size = panel_size(s)});
  }
}

/// All taps of some channels and filters.
void run_unit(const Call& call, const Conv1dKernelGradient& op, std::int64_t channel, std::int64_t panel) {
  const Conv1dShape& s = op.shape;
  const std::int64_t filter = panel * kBf16Panel;
  for (std::int64_t phase = 0; phase < phases(s); ++phase) {
    bf16_of(call).gemm({.m = std::min(kChannels, s.channels - channel),
                        .n = std::min(kBf16Panel, s.filters - filter),
                        .k = whole_positions(s),
                        .outer = s.batch,
                        .a = rounded(call) + (phase * s.channels + channel) * kept(s),
                        .a_row = kept(s),
                        .a_outer = image_size(s),
                        .b = rounded(call) + scratch_of(op).a + panel * panel_size(s),
                        .b_panel = panel_size(s),
                        .b_outer = bf16_panel_size(s.positions),
                        .c = out(call, 2) + (phase * s.channels + channel) * s.filters + filter,
                        .c_row = s.filters,
                        .groups = taps_of_phase(s, phase),
                        .a_group = 1,
                        .c_group = s.stride * s.channels * s.filters});
  }
}

void launch_kernel_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Conv1dKernelGradient>(call);
  const Conv1dShape& s = op.shape;
  if (begin == 0 && op.sum_columns) {
    kernels_of(call).column_sum(in(call, 1), s.batch * s.positions, s.filters, 0, s.filters, out(call, 5));
  }
  const std::int64_t blocks = divide_up(s.channels, kChannels);
  for (std::int64_t unit = begin; unit < end; ++unit) run_unit(call, op, unit % blocks * kChannels, unit / blocks);
}

}  // namespace

std::int64_t bf16_scratch_bytes(const Conv1dKernelGradient& op) { return scratch_of(op).bytes(); }

BoundCalls bind_bf16(const Target& target, const Conv1dKernelGradient& op, const Memory& memory) {
  const Conv1dShape& s = op.shape;
  BoundCalls bound = pack_then(target, op, memory, launch_round, launch_kernel_gradient);
  split(target, bound.calls[0], s.batch, static_cast<double>(4 * s.length * s.channels));
  const std::int64_t units = divide_up(s.channels, kChannels) * panels(s);
  split(target, bound.calls[1], units, products(s) / kBf16Speed / static_cast<double>(units));
  return bound;
}

}  // namespace regatta::engine::cpu

// Kernel gradient: dk(tap, channel, filter) = sum over images and the positions at which the tap lies
// inside. Units: taps; neighbours with the same positions are one product. Some taps at a time, whose part of
// the gradient stays in the second-level cache, and some images at a time: each image is read once for them.
#include "engine/cpu/bind.hpp"
#include "engine/cpu/conv1d_calls.hpp"

namespace regatta::engine::cpu {

namespace {

void launch_pack_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  const Conv1dShape& s = spec_of<Conv1dKernelGradient>(call).shape;
  kernels_of(call).pack({in(call, 1), s.batch * s.positions, s.filters, s.filters, 1, begin, end, out(call, kScratch)});
}

/// Rows of the gradient that are summed at the same time.
std::int64_t taps_at_once(const Conv1dKernelGradient& op) {
  constexpr std::int64_t kFloats = 100'000;  // of the gradient: 0.4 MB
  const std::int64_t rows = op.choice.rows_at_once > 0 ? op.choice.rows_at_once : kFloats / op.shape.filters;
  return std::max<std::int64_t>(1, rows / op.shape.channels);
}

/// Images of one block of the sum. It depends on the operation alone, as sums do.
std::int64_t images_of_block(const KernelTable& kernels, const Conv1dShape& s) {
  return std::max<std::int64_t>(1, divide_up(kernels.block, s.positions));
}

/// Adds images [images) to the gradient of taps [taps), which read the same positions.
void add_images(const Call& call, const Conv1dKernelGradient& op, Range taps, Range images) {
  const Conv1dShape& s = op.shape;
  const KernelTable& kernels = kernels_of(call);
  const Range positions = positions_reading(s, taps.begin);
  float* const c = out(call, 2) + taps.begin * s.channels * s.filters;
  if (positions.size() == 0) {  // taps that never meet the input
    std::fill_n(c, taps.size() * s.channels * s.filters, 0.0F);
    return;
  }
  kernels.gemm(
      {.m = taps.size() * s.channels,
       .n = s.filters,
       .k = positions.size(),
       .outer = images.size(),
       .a = in(call, 0) + (images.begin * s.length + positions.begin * s.stride - s.pad + taps.begin) * s.channels,
       .a_row = 1,
       .a_k = s.stride * s.channels,
       .a_outer = s.length * s.channels,
       .b = in(call, kScratch) + (images.begin * s.positions + positions.begin) * kernels.panel,
       .b_k = kernels.panel,
       .b_panel = s.batch * s.positions * kernels.panel,
       .b_outer = s.positions * kernels.panel,
       .c = c,
       .c_row = s.filters,
       .add_to_c = images.begin > 0,
       .outer_block = images_of_block(kernels, s)});
}

void add_images_to_all(const Call& call, const Conv1dKernelGradient& op, Range taps, Range images) {
  for (Range same{taps.begin, 0}; same.begin < taps.end; same.begin = same.end) {
    const Range positions = positions_reading(op.shape, same.begin);
    same.end = same.begin + 1;
    while (same.end < taps.end && positions_reading(op.shape, same.end) == positions) ++same.end;
    add_images(call, op, same, images);
  }
}

void launch_kernel_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Conv1dKernelGradient>(call);
  const Conv1dShape& s = op.shape;
  const KernelTable& kernels = kernels_of(call);
  if (begin == 0 && op.sum_columns) {
    kernels.column_sum(in(call, 1), s.batch * s.positions, s.filters, 0, s.filters, out(call, 5));
  }
  const std::int64_t taps = taps_at_once(op), images = images_of_block(kernels, s);
  for (std::int64_t tap = begin; tap < end; tap += taps) {
    for (std::int64_t image = 0; image < s.batch; image += images) {
      add_images_to_all(call, op, {tap, std::min(tap + taps, end)}, {image, std::min(image + images, s.batch)});
    }
  }
}

}  // namespace

std::int64_t conv1d_scratch_bytes(const KernelTable& kernels, const Conv1dKernelGradient& op) {
  return packed_bytes(kernels, op.shape.batch * op.shape.positions, op.shape.filters);
}

BoundCalls bind_conv1d(const Target& target, const Conv1dKernelGradient& op, const Memory& memory) {
  const Conv1dShape& s = op.shape;
  BoundCalls bound = pack_then(target, op, memory, launch_pack_gradient, launch_kernel_gradient);
  const std::int64_t panels = divide_up(s.filters, target.kernels->panel);
  split(target, bound.calls[0], panels, static_cast<double>(4 * s.batch * s.positions * target.kernels->panel));
  split_rows(target, bound.calls[1], s.taps, products(s) / static_cast<double>(s.taps));
  bound.calls[1].produces = s.channels * s.filters;
  return bound;
}

}  // namespace regatta::engine::cpu

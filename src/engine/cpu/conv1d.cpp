// Forward: y(position, filter) = sum over (tap, channel). Units: the positions at the edges, each a
// product with one row for each image; then the images, each a product over its inner positions.
#include "engine/cpu/bind.hpp"
#include "engine/cpu/conv1d_calls.hpp"

namespace regatta::engine::cpu {

namespace {

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

}  // namespace regatta::engine::cpu

// Forward: y(position, filter) = sum over (tap, channel). Units: the positions at the edges, whose taps
// are theirs alone, each over all images; then the images, each over its inner positions.
#include "engine/cpu/products/conv1d_calls.hpp"
#include "engine/cpu/products/products.hpp"
#include "engine/cpu/products/row_sets.hpp"

namespace regatta::engine::cpu {

namespace {

void launch_pack_kernel(const Call& call, std::int64_t begin, std::int64_t end) {
  const Conv1dShape& s = spec_of<Conv1d>(call).shape;
  kernels_of(call).pack({in(call, 1), s.taps * s.channels, s.filters, s.filters, 1, begin, end, out(call, kScratch)});
}

GemmView product_of(const Call& call, const Conv1d& op) {
  const Conv1dShape& s = op.shape;
  const std::int64_t panel = kernels_of(call).panel;
  return {.m = 0,
          .n = s.filters,
          .k = s.taps * s.channels,
          .a = nullptr,
          .a_row = 0,
          .a_k = 1,
          .b = in(call, kScratch),
          .b_k = panel,
          .b_panel = s.taps * s.channels * panel,
          .c = out(call, 2),
          .c_row = s.filters,
          .bias = in(call, 3),
          .activation = op.activation};
}

/// The positions that are computed image by image: those with all taps inside, unless they are too few
/// to fill a tile.
Range positions_by_image(const Conv1dShape& s) {
  const Range inner = inner_positions(s);
  return worth_a_tile(inner.size(), s.batch) ? inner : Range{0, 0};
}

/// One position of all images.
RowSet edge(const Conv1dShape& s, const float* x, std::int64_t position) {
  const Range taps = taps_inside(s, position);
  return {.groups = 1,
          .rows = s.batch,
          .a = x + (position * s.stride - s.pad + taps.begin) * s.channels,
          .a_group = 0,
          .a_row = s.length * s.channels,
          .c = position * s.filters,
          .c_group = 0,
          .c_row = s.positions * s.filters,
          .part = {taps.begin * s.channels, taps.end * s.channels}};
}

/// The inner positions of some images.
RowSet inner(const Conv1dShape& s, const float* x, Range positions, Range images) {
  return {.groups = images.size(),
          .rows = positions.size(),
          .a = x + (images.begin * s.length + positions.begin * s.stride - s.pad) * s.channels,
          .a_group = s.length * s.channels,
          .a_row = s.stride * s.channels,
          .c = (images.begin * s.positions + positions.begin) * s.filters,
          .c_group = s.positions * s.filters,
          .c_row = s.filters,
          .part = {0, s.taps * s.channels}};
}

void launch_forward(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Conv1d>(call);
  const Conv1dShape& s = op.shape;
  const Range by_image = positions_by_image(s);
  const std::int64_t edges = s.positions - by_image.size();
  RowSets sets(kernels_of(call), product_of(call, op), op.choice.rows_at_once);
  for (std::int64_t unit = begin; unit < std::min(end, edges); ++unit) {
    sets.add(edge(s, in(call, 0), unit < by_image.begin ? unit : unit + by_image.size()));
  }
  const Range images{std::max(begin, edges) - edges, end - edges};
  if (images.begin < images.end && by_image.size() > 0) sets.add(inner(s, in(call, 0), by_image, images));
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
  const Range by_image = positions_by_image(s);
  const std::int64_t units = s.positions - by_image.size() + (by_image.size() > 0 ? s.batch : 0);
  split_rows(target, bound.calls[1], units, products(s) / static_cast<double>(units));
  return bound;
}

}  // namespace regatta::engine::cpu

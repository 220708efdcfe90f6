// Kernel gradient: dk(tap, channel, filter) = sum over images and the positions at which the tap lies
// inside. Units: taps. Some taps at a time, whose part of the gradient stays in the second-level cache, and some images
// at a time: each image is read once for them. Taps are one product over the positions at which all of them lie inside;
// the few at the edges follow, each position over all images. Where many positions are such, neighbouring taps with
// the same positions are one product instead.
#include "engine/cpu/products/conv1d_calls.hpp"
#include "engine/cpu/products/products.hpp"

namespace regatta::engine::cpu {

namespace {

/// Images of one block of the sum. It depends on the operation alone, as sums do.
std::int64_t images_of_block(const KernelTable& kernels, const Conv1dShape& s) {
  return std::max<std::int64_t>(1, divide_up(kernels.block, s.positions));
}

/// The positions that all taps share; none if those at the edges are too many to be taken one by one.
Range shared_positions(const Conv1dShape& s) {
  constexpr std::int64_t kMostEdges = 8;  // one in so many
  const Range inner = inner_positions(s);
  return (s.positions - inner.size()) * kMostEdges <= s.positions ? inner : Range{0, 0};
}

/// Whether x is packed, too: rows of many channels lie so far apart that those of a tile drive each other from the
/// first-level cache, before the next tile or tap reads them.
bool packs_input(const KernelTable& kernels, const Conv1dShape& s) { return s.channels > kernels.panel; }

/// Rows of the gradient that are summed at the same time.
std::int64_t taps_at_once(const KernelTable& kernels, const Conv1dKernelGradient& op) {
  constexpr std::int64_t kFloats = 100'000;  // floats of the gradient: 0.4 MB
  const std::int64_t rows = op.choice.rows_at_once > 0 ? op.choice.rows_at_once : kFloats / op.shape.filters;
  const std::int64_t rows_of_tap = packs_input(kernels, op.shape) ? kernels.panel : op.shape.channels;
  return std::max<std::int64_t>(1, rows / rows_of_tap);
}

/// Floats of dy in panels; those of x follow.
std::int64_t packed_gradient(const KernelTable& kernels, const Conv1dShape& s) {
  return packed_floats(kernels, s.batch * s.positions, s.filters);
}

void launch_pack_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  const Conv1dShape& s = spec_of<Conv1dKernelGradient>(call).shape;
  const KernelTable& kernels = kernels_of(call);
  const std::int64_t panels = divide_up(s.filters, kernels.panel);
  if (begin < panels) {
    kernels.pack({in(call, 1), s.batch * s.positions, s.filters, s.filters, 1, begin, std::min(end, panels),
                  out(call, kScratch)});
  }
  if (end > panels) {
    kernels.pack({in(call, 0), s.batch * s.length, s.channels, s.channels, 1, std::max(begin, panels) - panels,
                  end - panels, out(call, kScratch) + packed_gradient(kernels, s)});
  }
}

/// The gradient of taps [taps) over some of the sum, whose shape is yet to be set.
GemmView product_of(const Call& call, const Conv1dKernelGradient& op, Range taps) {
  const Conv1dShape& s = op.shape;
  const std::int64_t panel = kernels_of(call).panel;
  return {.m = taps.size() * s.channels,
          .n = s.filters,
          .k = 0,
          .a = in(call, 0) + (taps.begin - s.pad) * s.channels,
          .a_row = 1,
          .a_k = s.stride * s.channels,
          .a_outer = s.length * s.channels,
          .b = in(call, kScratch),
          .b_k = panel,
          .b_panel = s.batch * s.positions * panel,
          .b_outer = s.positions * panel,
          .c = out(call, 2) + taps.begin * s.channels * s.filters,
          .c_row = s.filters};
}

/// Adds images [images) at [positions), at which all of [taps) lie inside.
void add_images_at(const Call& call, const Conv1dKernelGradient& op, Range taps, Range positions, Range images,
                   Ahead ahead) {
  GemmView view = product_of(call, op, taps);
  view.k = positions.size();
  view.outer = images.size();
  view.a += images.begin * view.a_outer + positions.begin * view.a_k;
  view.b += images.begin * view.b_outer + positions.begin * view.b_k;
  view.add_to_c = images.begin > 0;
  view.ahead = ahead;
  view.outer_block = images_of_block(kernels_of(call), op.shape);
  kernels_of(call).gemm(view);
}

/// Adds one position of all images to those of [taps) that lie inside.
void add_edge(const Call& call, const Conv1dKernelGradient& op, Range taps, std::int64_t position) {
  const Range inside = taps_inside(op.shape, position);
  const Range both{std::max(taps.begin, inside.begin), std::min(taps.end, inside.end)};
  if (both.begin >= both.end) return;
  GemmView view = product_of(call, op, both);
  view.k = op.shape.batch;
  view.a += position * view.a_k;
  view.b += position * view.b_k;
  view.a_k = view.a_outer;
  view.b_k = view.b_outer;
  view.add_to_c = true;
  kernels_of(call).gemm(view);
}

/// Calls `add` with each run of neighbouring taps that have the same positions, and those.
template <class Add>
void each_run(const Call& call, const Conv1dShape& s, Range taps, const Add& add) {
  for (Range same{taps.begin, 0}; same.begin < taps.end; same.begin = same.end) {
    const Range positions = positions_reading(s, same.begin);
    same.end = same.begin + 1;
    while (same.end < taps.end && positions_reading(s, same.end) == positions) ++same.end;
    if (positions.size() > 0) {
      add(same, positions);
    } else {  // taps that never meet the input
      std::fill_n(out(call, 2) + same.begin * s.channels * s.filters, same.size() * s.channels * s.filters, 0.0F);
    }
  }
}

/// The images after [images), which the next product reads: the strides of this one are too wide for the processor to
/// foresee it.
Ahead next_images(const Call& call, const Conv1dShape& s, Range images) {
  constexpr std::int64_t kFloatsOfLine = 16;
  if (s.stride == 1) return {};  // asking was no gain there
  const std::int64_t first = images.end < s.batch ? images.end : 0;
  const std::int64_t count = std::min(images.size(), s.batch - first);
  return {in(call, 0) + first * s.length * s.channels, count * s.length * s.channels / kFloatsOfLine};
}

/// The gradient of [taps) at [positions), at which all of them lie inside, from x in panels: those of one panel, over
/// all images, then those of the next.
void add_panels(const Call& call, const Conv1dKernelGradient& op, Range taps, Range positions) {
  const Conv1dShape& s = op.shape;
  const KernelTable& kernels = kernels_of(call);
  const std::int64_t at_once = images_of_block(kernels, s);
  GemmView view = product_of(call, op, taps);
  view.k = positions.size();
  view.groups = taps.size();
  view.a_group = kernels.panel;
  view.c_group = s.channels * s.filters;
  view.a_k = s.stride * kernels.panel;
  view.a_outer = s.length * kernels.panel;
  view.outer_block = at_once;
  const float* const x = in(call, kScratch) + packed_gradient(kernels, s) +
                         (positions.begin * s.stride + taps.begin - s.pad) * kernels.panel;
  const float* const dy = view.b + positions.begin * view.b_k;
  for (std::int64_t channel = 0; channel < s.channels; channel += kernels.panel) {
    view.m = std::min(kernels.panel, s.channels - channel);
    for (std::int64_t image = 0; image < s.batch; image += at_once) {
      view.a = x + (channel / kernels.panel * s.batch + image) * view.a_outer;
      view.b = dy + image * view.b_outer;
      view.outer = std::min(at_once, s.batch - image);
      view.add_to_c = image > 0;
      kernels.gemm(view);
    }
    view.c += kernels.panel * s.filters;
  }
}

/// The gradient of [taps) from x as it lies: some images at a time.
void add_images(const Call& call, const Conv1dKernelGradient& op, Range taps, Range shared) {
  const Conv1dShape& s = op.shape;
  const std::int64_t at_once = images_of_block(kernels_of(call), s);
  for (std::int64_t image = 0; image < s.batch; image += at_once) {
    const Range images{image, std::min(image + at_once, s.batch)};
    if (shared.size() > 0) {
      add_images_at(call, op, taps, shared, images, next_images(call, s, images));
    } else {
      each_run(call, s, taps,
               [&](Range same, Range positions) { add_images_at(call, op, same, positions, images, {}); });
    }
  }
}

void add_all(const Call& call, const Conv1dKernelGradient& op, Range taps) {
  const Conv1dShape& s = op.shape;
  const Range shared = shared_positions(s);
  if (!packs_input(kernels_of(call), s)) {
    add_images(call, op, taps, shared);
  } else if (shared.size() > 0) {
    add_panels(call, op, taps, shared);
  } else {
    each_run(call, s, taps, [&](Range same, Range positions) { add_panels(call, op, same, positions); });
  }
  if (shared.size() == 0) return;
  for (std::int64_t position = 0; position < s.positions; ++position) {
    if (position < shared.begin || position >= shared.end) add_edge(call, op, taps, position);
  }
}

void launch_kernel_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<Conv1dKernelGradient>(call);
  const Conv1dShape& s = op.shape;
  const KernelTable& kernels = kernels_of(call);
  if (begin == 0 && op.sum_columns) {
    kernels.column_sum(in(call, 1), s.batch * s.positions, s.filters, 0, s.filters, out(call, 5));
  }
  const std::int64_t taps = taps_at_once(kernels, op);
  for (std::int64_t tap = begin; tap < end; tap += taps) add_all(call, op, {tap, std::min(tap + taps, end)});
}

}  // namespace

std::int64_t conv1d_scratch_bytes(const KernelTable& kernels, const Conv1dKernelGradient& op) {
  const Conv1dShape& s = op.shape;
  return packed_bytes(kernels, s.batch * s.positions, s.filters) +
         (packs_input(kernels, s) ? packed_bytes(kernels, s.batch * s.length, s.channels) : 0);
}

BoundCalls bind_conv1d(const Target& target, const Conv1dKernelGradient& op, const Memory& memory) {
  const Conv1dShape& s = op.shape;
  BoundCalls bound = pack_then(target, op, memory, launch_pack_gradient, launch_kernel_gradient);
  const KernelTable& kernels = *target.kernels;
  const std::int64_t panels =
      divide_up(s.filters, kernels.panel) + (packs_input(kernels, s) ? divide_up(s.channels, kernels.panel) : 0);
  split(target, bound.calls[0], panels, static_cast<double>(4 * s.batch * s.positions * kernels.panel));
  split_rows(target, bound.calls[1], s.taps, products(s) / static_cast<double>(s.taps));
  bound.calls[1].notes[kProduces] = s.channels * s.filters;
  bound.calls[1].notes[kTogether] = taps_at_once(kernels, op);
  return bound;
}

}  // namespace regatta::engine::cpu

#include "engine/cuda/tiled/convolution.hpp"
#include "engine/cuda/tiled/launch_tiled.hpp"

namespace regatta::engine::cuda {

namespace {

bool are_fours(std::initializer_list<std::int64_t> sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size % 4 == 0; });
}

GatheredLines gathered(const ConvolutionShape& s, const float* x) {
  return {.x = x,
          .lines = index_of(s.batch * s.out_rows * s.out_columns),
          .rows = index_of(s.rows),
          .row = index_of(s.columns * s.channels),
          .across = divider_of(s.out_columns),
          .down = divider_of(s.out_rows),
          .step_rows = index_of(s.stride_rows),
          .step = index_of(s.stride_columns * s.channels),
          .pad_rows = index_of(s.pad_rows),
          .pad = index_of(s.pad_columns * s.channels),
          .segment = divider_of(s.taps_columns * s.channels)};
}

bool reads_packs(const ConvolutionShape& s) {
  const std::int64_t c = s.channels;
  return are_fours({s.columns * c, s.stride_columns * c, s.pad_columns * c, s.taps_columns * c, s.filters});
}

std::int64_t positions(const ConvolutionShape& s) { return s.batch * s.out_rows * s.out_columns; }
std::int64_t terms_of_position(const ConvolutionShape& s) { return s.taps_rows * s.taps_columns * s.channels; }

TiledPlan forward_plan(const ConvolutionShape& s, int way) {
  return tiled_plan(positions(s), s.filters, terms_of_position(s), way);
}

void issue_forward(const Target& target, const TiledConvolution& op, const Memory& memory) {
  const ConvolutionShape& s = op.shape;
  const std::int64_t terms = terms_of_position(s);
  const float* const x = floats_of(memory, 0);
  const float* const kernel = floats_of(memory, 1);
  float* const y = floats_of(memory, 2);
  const bool packs = reads_packs(s) && take_packs({x, kernel, y});
  launch_tiled<Along::terms, Along::lines>(
      target, {"convolution", positions(s), s.filters, terms, forward_plan(s, op.way), packs, memory[kScratch]},
      gathered(s, x), PlainLines{kernel, index_of(terms), index_of(s.filters)},
      StoreRows{y, op.bias, index_of(s.filters), op.activation});
}

TiledPlan kernel_gradient_plan(const ConvolutionShape& s, int way) {
  return tiled_plan(terms_of_position(s), s.filters, positions(s), way);
}

void issue_kernel_gradient(const Target& target, const TiledConvolution& op, const Memory& memory) {
  const ConvolutionShape& s = op.shape;
  const float* const x = floats_of(memory, 0);
  const float* const dy = floats_of(memory, 1);
  float* const dkernel = floats_of(memory, 2);
  const bool packs = reads_packs(s) && take_packs({x, dy, dkernel});
  const TiledLaunch shape{
      "kernel_gradient", terms_of_position(s), s.filters, positions(s), kernel_gradient_plan(s, op.way), packs,
      memory[kScratch]};
  const PlainLines of_dy{dy, index_of(positions(s)), index_of(s.filters)};
  const StoreRows store{dkernel, nullptr, index_of(s.filters), Activation::none};
  if (shape.rows == 0 || shape.columns == 0) return;
  with_tile(shape.plan.tile, [&](auto tile) {
    launch_tile_and_sums<decltype(tile), Along::lines, Along::lines>(target, shape, gathered(s, x), of_dy, store,
                                                                     {dy, op.sums, positions(s), s.filters});
  });
}

/// Pixels along one axis from `first` on, a stride apart: they read the same taps, a stride apart, of positions that
/// lie side by side. Taps in reverse, so that positions go up.
struct Residue {
  std::int64_t first, pixels;
  std::int64_t taps, last_tap;
  std::int64_t pad;  ///< positions before the first one that exists, where pixel `first` reads
};

std::vector<Residue> residues(std::int64_t size, std::int64_t taps, std::int64_t stride, std::int64_t pad) {
  std::vector<Residue> all;
  for (std::int64_t first = 0; first < std::min(stride, size); ++first) {
    const std::int64_t least_tap = (first + pad) % stride;
    const std::int64_t count = least_tap < taps ? (taps - 1 - least_tap) / stride + 1 : 0;
    // The position that reads pixel `first` by the least tap.
    const std::int64_t position = (first + pad - least_tap) / stride;
    all.push_back(
        {first, divide_up(size - first, stride), count, least_tap + (count - 1) * stride, count - 1 - position});
  }
  return all;
}

struct Pixels {
  Residue down, across;

  [[nodiscard]] std::int64_t rows(const ConvolutionShape& s) const { return s.batch * down.pixels * across.pixels; }
  [[nodiscard]] std::int64_t terms(const ConvolutionShape& s) const { return down.taps * across.taps * s.filters; }
  [[nodiscard]] TiledPlan plan(const ConvolutionShape& s, int way) const {
    return tiled_plan(rows(s), s.channels, terms(s), way);
  }
};

template <class Visit>
void for_each_residue(const ConvolutionShape& s, const Visit& visit) {
  for (const Residue& down : residues(s.rows, s.taps_rows, s.stride_rows, s.pad_rows)) {
    for (const Residue& across : residues(s.columns, s.taps_columns, s.stride_columns, s.pad_columns))
      visit(Pixels{down, across});
  }
}

GatheredLines gathered(const ConvolutionShape& s, const Pixels& pixels, const float* dy) {
  const auto signed_index = [](std::int64_t size) { return static_cast<std::int32_t>(size); };
  return {.x = dy,
          .lines = index_of(pixels.rows(s)),
          .rows = index_of(s.out_rows),
          .row = index_of(s.out_columns * s.filters),
          .across = divider_of(pixels.across.pixels),
          .down = divider_of(pixels.down.pixels),
          .step_rows = 1,
          .step = index_of(s.filters),
          .pad_rows = signed_index(pixels.down.pad),
          .pad = signed_index(pixels.across.pad * s.filters),
          .segment = divider_of(std::max<std::int64_t>(1, pixels.across.taps * s.filters))};
}

void issue_input_gradient(const Target& target, const TiledConvolution& op, const Pixels& pixels,
                          const Memory& memory) {
  const ConvolutionShape& s = op.shape;
  const float* const dy = floats_of(memory, 0);
  const float* const kernel = floats_of(memory, 1);
  float* const dx = floats_of(memory, 2);
  const FlippedKernel flipped{.kernel = kernel,
                              .channels = index_of(s.channels),
                              .filters = index_of(s.filters),
                              .taps_columns = index_of(s.taps_columns),
                              .of_tap = divider_of(s.filters),
                              .across = divider_of(std::max<std::int64_t>(1, pixels.across.taps)),
                              .stride_rows = index_of(s.stride_rows),
                              .stride_columns = index_of(s.stride_columns),
                              .last_row = static_cast<std::int32_t>(pixels.down.last_tap),
                              .last_column = static_cast<std::int32_t>(pixels.across.last_tap)};
  const StorePixels store{.x = dx,
                          .saved = op.saved,
                          .derivative = op.derivative,
                          .across = divider_of(pixels.across.pixels),
                          .down = divider_of(pixels.down.pixels),
                          .rows = index_of(s.rows),
                          .columns = index_of(s.columns),
                          .channels = index_of(s.channels),
                          .stride_rows = index_of(s.stride_rows),
                          .stride_columns = index_of(s.stride_columns),
                          .first_row = index_of(pixels.down.first),
                          .first_column = index_of(pixels.across.first)};
  const bool packs = are_fours({s.filters, s.channels}) && take_packs({dy, kernel, dx});
  launch_tiled<Along::terms, Along::terms>(
      target,
      {"input_gradient", pixels.rows(s), s.channels, pixels.terms(s), pixels.plan(s, op.way), packs, memory[kScratch]},
      gathered(s, pixels, dy), flipped, store);
}

/// How its products are cut.
std::vector<TiledPlan> plans_of(ConvolutionKind kind, const ConvolutionShape& s, int way) {
  switch (kind) {
    case ConvolutionKind::forward:
      return {forward_plan(s, way)};
    case ConvolutionKind::kernel_gradient:
      return {kernel_gradient_plan(s, way)};
    case ConvolutionKind::input_gradient:
      break;
  }
  std::vector<TiledPlan> plans;
  for_each_residue(s, [&](const Pixels& pixels) { plans.push_back(pixels.plan(s, way)); });
  return plans;
}

int usual_way_of(ConvolutionKind kind, const ConvolutionShape& s) {
  switch (kind) {
    case ConvolutionKind::forward:
      return usual_way(positions(s), s.filters);
    case ConvolutionKind::kernel_gradient:
      return usual_way(terms_of_position(s), s.filters);
    case ConvolutionKind::input_gradient:
      break;
  }
  return usual_way(s.batch * (s.rows / s.stride_rows) * (s.columns / s.stride_columns), s.channels);
}

}  // namespace

std::vector<int> tiled_ways(ConvolutionKind kind, const ConvolutionShape& shape) {
  if (std::max({shape.input_size(), shape.output_size(), shape.kernel_size()}) >= kIndices) return {};
  std::vector<int> ways{usual_way_of(kind, shape)};
  std::vector<std::vector<TiledPlan>> known{plans_of(kind, shape, ways[0])};
  for (int way = 0; way < kTiledWays; ++way) {
    std::vector<TiledPlan> plans = plans_of(kind, shape, way);
    if (std::find(known.begin(), known.end(), plans) != known.end()) continue;
    known.push_back(std::move(plans));
    ways.push_back(way);
  }
  return ways;
}

std::int64_t tiled_scratch_bytes(ConvolutionKind kind, const ConvolutionShape& shape, int way) {
  std::int64_t bytes = 0;
  for (const TiledPlan& plan : plans_of(kind, shape, way)) bytes = std::max(bytes, plan.scratch_bytes());
  return bytes;
}

void issue_tiled(const Target& target, const TiledConvolution& op, const Memory& memory) {
  const ConvolutionShape& s = op.shape;
  require_indices("convolution", std::max({s.input_size(), s.output_size(), s.kernel_size()}));
  switch (op.kind) {
    case ConvolutionKind::forward:
      return issue_forward(target, op, memory);
    case ConvolutionKind::kernel_gradient:
      return issue_kernel_gradient(target, op, memory);
    case ConvolutionKind::input_gradient:
      return for_each_residue(s, [&](const Pixels& pixels) { issue_input_gradient(target, op, pixels, memory); });
  }
}

}  // namespace regatta::engine::cuda

#include "engine/cuda/kernels/launches.hpp"
#include "engine/cuda/kernels/unfold.cuh"

namespace regatta::engine::cuda {

namespace {

void launch_transpose(const Target& target, const char* name, const float* from, float* to, std::int64_t rows,
                      std::int64_t columns) {
  if (rows * columns == 0) return;
  const Grid grid{blocks_of(divide_up(columns, kTile), divide_up(rows, kTile)), dim3(kTile, kTileRows)};
  launch(target, name, grid, transpose, from, to, rows, columns);
}

}  // namespace

void unfold(const Target& target, const Unfolding& shape, const float* x, float* matrix) {
  const std::int64_t segment = shape.taps_columns * shape.channels;
  const std::int64_t positions = shape.samples * shape.out_rows * shape.out_columns;
  const std::int64_t count = positions * shape.taps_rows * segment;
  require_indices("unfold", count);
  if (count == 0) return;
  const UnfoldElements op{shape,
                          divider_of(segment),
                          divider_of(shape.taps_rows),
                          divider_of(shape.out_columns),
                          divider_of(shape.out_rows),
                          x,
                          matrix};
  launch_elements(target, "unfold", op, count, shape.channels % 4 == 0 && take_packs({x, matrix}));
}

void fold(const Target& target, const Unfolding& shape, const float* matrix, float* dx) {
  const std::int64_t count = shape.samples * shape.rows * shape.columns * shape.channels;
  require_indices("fold", count);
  if (count == 0) return;
  const FoldElements op{shape, divider_of(shape.channels), divider_of(shape.columns), divider_of(shape.rows), matrix,
                        dx};
  launch_elements(target, "fold", op, count, shape.channels % 4 == 0 && take_packs({matrix, dx}));
}

void filters_first(const Target& target, const float* from, float* to, std::int64_t taps, std::int64_t channels,
                   std::int64_t filters) {
  launch_transpose(target, "filters_first", from, to, taps * channels, filters);
}

void filters_last(const Target& target, const float* from, float* to, std::int64_t taps, std::int64_t channels,
                  std::int64_t filters) {
  launch_transpose(target, "filters_last", from, to, filters, taps * channels);
}

}  // namespace regatta::engine::cuda

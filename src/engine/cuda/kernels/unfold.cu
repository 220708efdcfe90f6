#include "engine/cuda/kernels/launches.hpp"
#include "engine/cuda/kernels/parts.hpp"
#include "engine/cuda/kernels/unfold.cuh"

namespace regatta::engine::cuda {

namespace {

void launch_transpose(const Target& target, const char* name, const float* from, float* to, std::int64_t rows,
                      std::int64_t columns) {
  if (rows * columns == 0) return;
  const Grid grid{blocks_of(divide_up(columns, kTile), divide_up(rows, kTile)), dim3(kTile, kTileRows)};
  launch(target, name, grid, transpose, from, to, rows, columns);
}

UnfoldSizes sizes_of(const Unfolding& shape) {
  return {.rows = index_of(shape.rows),
          .columns = index_of(shape.columns),
          .channels = index_of(shape.channels),
          .out_rows = index_of(shape.out_rows),
          .out_columns = index_of(shape.out_columns),
          .taps_rows = index_of(shape.taps_rows),
          .taps_columns = index_of(shape.taps_columns),
          .stride_rows = index_of(shape.stride_rows),
          .stride_columns = index_of(shape.stride_columns),
          .pad_rows = index_of(shape.pad_rows),
          .pad_columns = index_of(shape.pad_columns)};
}

std::int64_t input_size(const Unfolding& shape) { return shape.samples * shape.rows * shape.columns * shape.channels; }

std::int64_t matrix_size(const Unfolding& shape) {
  const std::int64_t positions = shape.samples * shape.out_rows * shape.out_columns;
  return positions * shape.taps_rows * shape.taps_columns * shape.channels;
}

}  // namespace

void unfold(const Target& target, const Unfolding& shape, const float* x, float* matrix) {
  require_indices("unfold", std::max(input_size(shape), matrix_size(shape)));
  if (matrix_size(shape) == 0) return;
  const UnfoldElements op{.s = sizes_of(shape),
                          .segment = divider_of(shape.taps_columns * shape.channels),
                          .tap_rows = divider_of(shape.taps_rows),
                          .across = divider_of(shape.out_columns),
                          .down = divider_of(shape.out_rows),
                          .x = x,
                          .matrix = matrix};
  launch_elements(target, "unfold", op, matrix_size(shape), shape.channels % 4 == 0 && take_packs({x, matrix}));
}

void fold(const Target& target, const Unfolding& shape, const float* matrix, float* dx) {
  require_indices("fold", std::max(input_size(shape), matrix_size(shape)));
  if (input_size(shape) == 0) return;
  const FoldElements op{.s = sizes_of(shape),
                        .channels = divider_of(shape.channels),
                        .across = divider_of(shape.columns),
                        .down = divider_of(shape.rows),
                        .stride_rows = divider_of(shape.stride_rows),
                        .stride_columns = divider_of(shape.stride_columns),
                        .matrix = matrix,
                        .dx = dx};
  launch_elements(target, "fold", op, input_size(shape), shape.channels % 4 == 0 && take_packs({matrix, dx}));
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

// A convolution's input as a matrix of what each position reads, and back. With the row of a tap, the taps of a
// position lie side by side in x as they do in the matrix: a segment, of which a run lies inside x.
#pragma once

#include "engine/cuda/kernels/elements.cuh"
#include "engine/cuda/kernels/parts.hpp"
#include "engine/cuda/kernels/quotients.cuh"

namespace regatta::engine::cuda {

/// Elements of the matrix.
struct UnfoldElements {
  Unfolding shape;
  Divider segment, tap_rows, across, down;  ///< floats of a segment, segments of a position, positions of a sample
  const float* x;
  float* matrix;

  template <int kCount>
  __device__ void run(std::int64_t at) const {
    const Quotient in_segment = divide(static_cast<std::uint32_t>(at), segment);
    const Quotient tap = divide(in_segment.quotient, tap_rows);
    const Quotient column = divide(tap.quotient, across);
    const Quotient row = divide(column.quotient, down);
    const std::int64_t x_row = row.remainder * shape.stride_rows - shape.pad_rows + tap.remainder;
    const std::int64_t x_column = column.remainder * shape.stride_columns - shape.pad_columns;
    const std::int64_t in_row = x_column * shape.channels + in_segment.remainder;  // counted in floats of a row of x
    const std::int64_t row_floats = shape.columns * shape.channels;
    const bool is_inside = x_row >= 0 && x_row < shape.rows && in_row >= 0 && in_row < row_floats;
    const float* const from = x + (row.quotient * shape.rows + x_row) * row_floats + in_row;
    store(matrix + at, is_inside ? load<kCount>(from) : filled<kCount>(0.0F));
  }
};

/// Elements of dx: each adds up what the matrix has of it, by the taps' order.
struct FoldElements {
  Unfolding shape;
  Divider channels, across, down;  ///< of x
  const float* matrix;
  float* dx;

  template <int kCount>
  __device__ void run(std::int64_t at) const {
    const Quotient channel = divide(static_cast<std::uint32_t>(at), channels);
    const Quotient column = divide(channel.quotient, across);
    const Quotient row = divide(column.quotient, down);
    const std::int64_t from_row = row.remainder + shape.pad_rows;  // where tap 0 would be at position 0
    const std::int64_t from_column = column.remainder + shape.pad_columns;
    Pack<kCount> sum = filled<kCount>(0.0F);
    for (std::int64_t r = from_row % shape.stride_rows; r < shape.taps_rows && r <= from_row; r += shape.stride_rows) {
      const std::int64_t out_row = (from_row - r) / shape.stride_rows;
      if (out_row >= shape.out_rows) continue;
      const std::int64_t positions = (row.quotient * shape.out_rows + out_row) * shape.out_columns;
      add_row(positions, r, from_column, channel.remainder, sum);
    }
    store(dx + at, sum);
  }

  /// Adds what the positions of one row, numbered from `positions`, read through the taps of row `tap_row`.
  template <int kCount>
  __device__ void add_row(std::int64_t positions, std::int64_t tap_row, std::int64_t from_column, std::int64_t channel,
                          Pack<kCount>& sum) const {
    std::int64_t position = from_column / shape.stride_columns;
    std::int64_t tap = from_column % shape.stride_columns;
    for (; tap < shape.taps_columns && position >= 0; tap += shape.stride_columns, --position) {
      if (position >= shape.out_columns) continue;
      const std::int64_t taps = (positions + position) * shape.taps_rows + tap_row;
      const std::int64_t place = (taps * shape.taps_columns + tap) * shape.channels + channel;
      const Pack<kCount> more = load<kCount>(matrix + place);
      for (int i = 0; i < kCount; ++i) sum.at[i] += more.at[i];
    }
  }
};

inline constexpr int kTile = 32;     ///< rows and columns of what a block transposes
inline constexpr int kTileRows = 8;  ///< that its threads take at once

/// to(columns, rows) = from(rows, columns) transposed; blocks of kTile x kTileRows threads.
static __global__ void __launch_bounds__(kTile* kTileRows)
    transpose(const float* from, float* to, std::int64_t rows, std::int64_t columns) {
  REGATTA_SHARED(float, tile, [kTile][kTile + 1]);
  const std::int64_t first_column = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.y) * kTile;
  const auto x = static_cast<int>(threadIdx.x);
  const auto y = static_cast<int>(threadIdx.y);
  const auto columns_here = static_cast<int>(columns - first_column < kTile ? columns - first_column : kTile);
  const auto rows_here = static_cast<int>(rows - first_row < kTile ? rows - first_row : kTile);
  if (x < columns_here) {
    const float* const at = from + first_row * columns + first_column + x;
    for (int row = y; row < rows_here; row += kTileRows) tile[row][x] = at[row * columns];
  }
  __syncthreads();
  if (x >= rows_here) return;
  float* const at = to + first_column * rows + first_row + x;
  for (int column = y; column < columns_here; column += kTileRows) at[column * rows] = tile[x][column];
}

}  // namespace regatta::engine::cuda

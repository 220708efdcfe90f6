// A convolution's input as a matrix of what each position reads, and back. With the row of a tap, the taps of a
// position lie side by side in x as they do in the matrix: a segment, of which a run lies inside x.
#pragma once

#include "engine/cuda/kernels/divider.cuh"
#include "engine/cuda/kernels/elements.cuh"

namespace regatta::engine::cuda {

/// The sizes of an Unfolding that kernels count with; all places in x and in the matrix are below 2^31.
struct UnfoldSizes {
  std::int32_t rows, columns, channels;  ///< x
  std::int32_t out_rows, out_columns;    ///< positions
  std::int32_t taps_rows, taps_columns;
  std::int32_t stride_rows, stride_columns, pad_rows, pad_columns;
};

/// Elements of the matrix.
struct UnfoldElements {
  UnfoldSizes s;
  Divider segment, tap_rows, across, down;  ///< floats of a segment, segments of a position, positions of a sample
  const float* x;
  float* matrix;

  template <int kCount>
  __device__ void run(std::int64_t at) const {
    const Quotient in_segment = divide(static_cast<std::uint32_t>(at), segment);
    const Quotient tap = divide(in_segment.quotient, tap_rows);
    const Quotient column = divide(tap.quotient, across);
    const Quotient row = divide(column.quotient, down);
    const std::int32_t x_row = signed_of(row.remainder) * s.stride_rows - s.pad_rows + signed_of(tap.remainder);
    const std::int32_t x_column = signed_of(column.remainder) * s.stride_columns - s.pad_columns;
    const std::int32_t in_row = x_column * s.channels + signed_of(in_segment.remainder);  // floats from its begin
    const std::int32_t row_floats = s.columns * s.channels;
    const bool is_inside = x_row >= 0 && x_row < s.rows && in_row >= 0 && in_row < row_floats;
    const std::int32_t from = (signed_of(row.quotient) * s.rows + x_row) * row_floats + in_row;
    store(matrix + at, is_inside ? load<kCount>(x + from) : filled<kCount>(0.0F));
  }
};

/// Elements of dx: each adds up what the matrix has of it, by the taps' order.
struct FoldElements {
  UnfoldSizes s;
  Divider channels, across, down;  ///< x
  Divider stride_rows, stride_columns;
  const float* matrix;
  float* dx;

  template <int kCount>
  __device__ void run(std::int64_t at) const {
    const Quotient channel = divide(static_cast<std::uint32_t>(at), channels);
    const Quotient column = divide(channel.quotient, across);
    const Quotient row = divide(column.quotient, down);
    // The position whose first tap lies nearest before the place, and the tap of it that does lie there.
    const Quotient down_to = divide(row.remainder + static_cast<std::uint32_t>(s.pad_rows), stride_rows);
    const Quotient across_to = divide(column.remainder + static_cast<std::uint32_t>(s.pad_columns), stride_columns);
    Pack<kCount> sum = filled<kCount>(0.0F);
    std::int32_t position = signed_of(down_to.quotient);
    std::int32_t tap = signed_of(down_to.remainder);
    for (; tap < s.taps_rows && position >= 0; tap += s.stride_rows, --position) {
      if (position >= s.out_rows) continue;
      const std::int32_t positions = (signed_of(row.quotient) * s.out_rows + position) * s.out_columns;
      add_row(positions, tap, across_to, signed_of(channel.remainder), sum);
    }
    store(dx + at, sum);
  }

  /// Adds what the positions of one row, numbered from `positions`, read through the taps of row `tap_row`.
  template <int kCount>
  __device__ void add_row(std::int32_t positions, std::int32_t tap_row, const Quotient& across_to, std::int32_t channel,
                          Pack<kCount>& sum) const {
    std::int32_t position = signed_of(across_to.quotient);
    std::int32_t tap = signed_of(across_to.remainder);
    for (; tap < s.taps_columns && position >= 0; tap += s.stride_columns, --position) {
      if (position >= s.out_columns) continue;
      const std::int32_t taps = (positions + position) * s.taps_rows + tap_row;
      const Pack<kCount> more = load<kCount>(matrix + (taps * s.taps_columns + tap) * s.channels + channel);
      for (int i = 0; i < kCount; ++i) sum.at[i] += more.at[i];
    }
  }
};

inline constexpr int kTile = 32;     ///< rows and columns of what a block transposes
inline constexpr int kTileRows = 8;  ///< rows that its threads take at once

/// to(columns, rows) = from(rows, columns) transposed; blocks of kTile x kTileRows threads.
static __global__ void __launch_bounds__(kTile* kTileRows)
    transpose(const float* from, float* to, std::int64_t rows, std::int64_t columns) {
  device::begin();
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

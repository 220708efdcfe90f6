// Sums down the columns of a matrix, in one launch: blocks sum parts of the rows, and the last block of a tile of
// columns adds up the parts. A term tells what is summed:
//   kSums                                      how many sums a column has
//   prepare<kPack>(group, column)              what a thread keeps
//   add<kPack>(prepared, group, row, column, sums)
//   finish<kPack>(group, column, sums)         stores them
#pragma once

#include "engine/cuda/kernels/reductions.cuh"
#include "engine/cuda/kernels/tiles.cuh"

namespace regatta::engine::cuda {

template <int kSums, int kPack>
struct Sums {
  Pack<kPack> of[kSums];
};

/// Over the rows of threads of a tile; the first row gets it.
template <int kSums, int kPack>
__device__ void sum_rows_of_threads(Sums<kSums, kPack>& sums, const Tiles& tiles, const TilePlace& place) {
  REGATTA_SHARED(float, shared, [kSums][kPack][kThreads]);
  const int thread = static_cast<int>(threadIdx.x);
  for (int step = place.rows / 2; step > 0; step /= 2) {
    __syncthreads();
    for (int k = 0; k < kSums; ++k) {
      for (int i = 0; i < kPack; ++i) shared[k][i][thread] = sums.of[k].at[i];
    }
    __syncthreads();
    if (place.row >= step) continue;
    for (int k = 0; k < kSums; ++k) {
      for (int i = 0; i < kPack; ++i) sums.of[k].at[i] += shared[k][i][thread + step * tiles.width];
    }
  }
}

/// A block among those that sum.
struct SumBlock {
  unsigned group, tile;  ///< its columns: a tile of a group
  unsigned part, parts;  ///< its rows: a part of them
};

/// Sums of all parts, of the last block; partial(groups, parts, kSums, columns).
template <int kSums, int kPack>
__device__ Sums<kSums, kPack> sum_parts(const float* partial, const Tiles& tiles, const TilePlace& place,
                                        std::int64_t parts) {
  Sums<kSums, kPack> sums = {};
  if (place.column < tiles.columns) {
    REGATTA_UNROLL_BY(4)
    for (std::int64_t part = place.row; part < parts; part += place.rows) {
      const float* const from = partial + (place.group * parts + part) * kSums * tiles.columns + place.column;
      for (int k = 0; k < kSums; ++k) {
        const Pack<kPack> more = load<kPack>(from + k * tiles.columns);
        for (int i = 0; i < kPack; ++i) sums.of[k].at[i] += more.at[i];
      }
    }
  }
  sum_rows_of_threads(sums, tiles, place);
  return sums;
}

/// The part of one block in the sums; all its threads call. `counter` belongs to the group's tile of columns.
template <int kPack, class Term>
__device__ void sum_block(const Term& term, const Tiles& tiles, const SumBlock& block, float* partial,
                          unsigned* counter) {
  constexpr int kSums = Term::kSums;
  const TilePlace place = tile_place(tiles, block.group, block.tile);
  const std::int64_t parts = block.parts;
  const bool is_inside = place.column < tiles.columns;
  Sums<kSums, kPack> sums = {};
  if (is_inside) {
    const auto prepared = term.template prepare<kPack>(place.group, place.column);
    const std::int64_t of_part = (tiles.rows + parts - 1) / parts;
    const std::int64_t begin = block.part * of_part;
    const std::int64_t end = begin + of_part < tiles.rows ? begin + of_part : tiles.rows;
    REGATTA_UNROLL_BY(4)
    for (std::int64_t row = begin + place.row; row < end; row += place.rows) {
      term.template add<kPack>(prepared, place.group, row, place.column, sums);
    }
  }
  sum_rows_of_threads(sums, tiles, place);
  const bool holds_sums = is_inside && place.row == 0;
  if (parts == 1) {
    if (holds_sums) term.template finish<kPack>(place.group, place.column, sums);
    return;
  }
  if (holds_sums) {
    float* const to = partial + (place.group * parts + block.part) * kSums * tiles.columns + place.column;
    for (int k = 0; k < kSums; ++k) store(to + k * tiles.columns, sums.of[k]);
  }
  if (!is_last_block(counter, block.parts)) return;
  sums = sum_parts<kSums, kPack>(partial, tiles, place, parts);
  if (holds_sums) term.template finish<kPack>(place.group, place.column, sums);
}

template <int kPack, class Term>
__global__ void __launch_bounds__(kThreads) column_sums(Term term, Tiles tiles, float* partial, unsigned* counters) {
  device::begin();
  sum_block<kPack>(term, tiles, {blockIdx.x, blockIdx.y, blockIdx.z, gridDim.z}, partial,
                   counters + blockIdx.x * gridDim.y + blockIdx.y);
}

}  // namespace regatta::engine::cuda

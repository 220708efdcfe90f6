// Threads over a matrix whose columns lie side by side: a block holds `width` threads next to one another, each with
// one or four columns, and kThreads / width rows of such threads, which walk down the matrix.
#pragma once

#include "engine/cuda/kernels/packs.cuh"

namespace regatta::engine::cuda {

/// Blocks: x counts groups, y tiles of columns, z parts of the rows.
struct Tiles {
  std::int64_t groups;   ///< matrices, one behind the other or computed as one likes
  std::int64_t rows;     ///< rows of each matrix
  std::int64_t columns;  ///< columns of each matrix
  int width;             ///< threads side by side, a power of two, at most a warp
  int pack;              ///< columns of a thread: 1 or 4
};

/// Where this thread stands.
struct TilePlace {
  std::int64_t group, column;
  int row;   ///< among the rows of threads of the block
  int rows;  ///< number of rows of threads
};

/// In the block of that group and tile of columns.
inline __device__ TilePlace tile_place(const Tiles& tiles, unsigned group, unsigned tile) {
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t across = static_cast<std::int64_t>(tile) * tiles.width + thread % tiles.width;
  return {static_cast<std::int64_t>(group), across * tiles.pack, thread / tiles.width, kThreads / tiles.width};
}

/// op.prepare<kPack>(group, column) once for each thread, then op.run<kPack>(prepared, group, row, column) for rows.
template <int kPack, class Op>
__global__ void __launch_bounds__(kThreads) each_row(Op op, Tiles tiles) {
  device::begin();
  const TilePlace place = tile_place(tiles, blockIdx.x, blockIdx.y);
  if (place.column >= tiles.columns) return;
  const auto prepared = op.template prepare<kPack>(place.group, place.column);
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.z) * place.rows + place.row;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.z) * place.rows;
  for (std::int64_t row = first; row < tiles.rows; row += step) {
    op.template run<kPack>(prepared, place.group, row, place.column);
  }
}

}  // namespace regatta::engine::cuda

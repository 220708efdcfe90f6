// c(row, column) = the sum over terms of a(row, term) b(term, column), in fp32 on the cores: each product and sum is
// one fused multiply-add, terms in order. A block computes a tile of c from slabs of both operands in shared memory;
// blocks share the terms of a tile where there are few tiles, and the last one adds up their parts in order.
#pragma once

#include "engine/cuda/kernels/reductions.cuh"
#include "engine/cuda/tiled/slabs.cuh"

namespace regatta::engine::cuda {

/// A tile of c, the terms of a slab, and what a thread computes of the tile: groups of 4 x 4 sums. A warp is 4 threads
/// down and 8 across.
template <int kRows_, int kColumns_, int kDepth_, int kRowsOfThread, int kColumnsOfThread>
struct Tile {
  static constexpr int kRows = kRows_, kColumns = kColumns_, kDepth = kDepth_;
  static constexpr int kGroupsDown = kRowsOfThread / 4, kGroupsAcross = kColumnsOfThread / 4;
  static constexpr int kWarpsAcross = kColumns / (8 * kColumnsOfThread);
  static constexpr int kThreads = kWarp * (kRows / (4 * kRowsOfThread)) * kWarpsAcross;
  static_assert(kRows % (4 * kRowsOfThread) == 0 && kColumns % (8 * kColumnsOfThread) == 0, "whole warps");
};

struct ProductSizes {
  std::int32_t rows, columns, terms;
  std::int32_t of_part;  ///< terms of a part; a multiple of a slab's
};

/// The sums of a thread: by group down, row of it, group across.
template <class Shape>
struct TileSums {
  static constexpr unsigned kPacks = Shape::kGroupsDown * 4 * Shape::kGroupsAcross;
  Pack<4> of[Shape::kGroupsDown][4][Shape::kGroupsAcross];
};

/// Where in the tile the thread's sums lie: rows down + 16 group + [0, 4), columns across + 32 group + [0, 4).
struct TileCorner {
  int down, across;
};

template <class Shape>
__device__ TileCorner tile_corner() {
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / kWarp, lane = thread % kWarp;
  return {warp / Shape::kWarpsAcross * 16 * Shape::kGroupsDown + lane / 8 * 4,
          warp % Shape::kWarpsAcross * 32 * Shape::kGroupsAcross + lane % 8 * 4};
}

template <class Shape>
__device__ void multiply_slabs(const Slab<Shape::kDepth, Shape::kRows>& a,
                               const Slab<Shape::kDepth, Shape::kColumns>& b, const TileCorner& corner,
                               TileSums<Shape>& sums) {
  REGATTA_UNROLL
  for (int term = 0; term < Shape::kDepth; ++term) {
    Pack<4> down[Shape::kGroupsDown], across[Shape::kGroupsAcross];
    REGATTA_UNROLL
    for (int i = 0; i < Shape::kGroupsDown; ++i) down[i] = load<4>(&a.at[term][corner.down + 16 * i]);
    REGATTA_UNROLL
    for (int i = 0; i < Shape::kGroupsAcross; ++i) across[i] = load<4>(&b.at[term][corner.across + 32 * i]);
    REGATTA_UNROLL
    for (int i = 0; i < Shape::kGroupsDown; ++i) {
      REGATTA_UNROLL
      for (int row = 0; row < 4; ++row) {
        REGATTA_UNROLL
        for (int j = 0; j < Shape::kGroupsAcross; ++j) {
          Pack<4>& sum = sums.of[i][row][j];
          REGATTA_UNROLL
          for (int column = 0; column < 4; ++column)
            sum.at[column] = fmaf(down[i].at[row], across[j].at[column], sum.at[column]);
        }
      }
    }
  }
}

/// Calls visit(sum, group down, row, group across, place among the thread's packs).
template <class Shape, class Visit>
__device__ void for_each_pack(TileSums<Shape>& sums, const Visit& visit) {
  REGATTA_UNROLL
  for (int i = 0; i < Shape::kGroupsDown; ++i) {
    REGATTA_UNROLL
    for (int row = 0; row < 4; ++row) {
      REGATTA_UNROLL
      for (int j = 0; j < Shape::kGroupsAcross; ++j)
        visit(sums.of[i][row][j], i, row, j, (i * 4 + row) * Shape::kGroupsAcross + j);
    }
  }
}

/// Calls visit(sum, place among them) for those of the thread's packs that have a sum of c.
template <class Shape, class Visit>
__device__ void for_each_held(TileSums<Shape>& sums, const ProductSizes& sizes, const Visit& visit) {
  const TileCorner corner = tile_corner<Shape>();
  const std::int32_t rows = sizes.rows - static_cast<std::int32_t>(blockIdx.x) * Shape::kRows - corner.down;
  const std::int32_t columns = sizes.columns - static_cast<std::int32_t>(blockIdx.y) * Shape::kColumns - corner.across;
  for_each_pack(sums, [&](Pack<4>& sum, int i, int row, int j, int pack) {
    if (16 * i + row < rows && 32 * j < columns) visit(sum, pack);
  });
}

template <class Shape>
__device__ void add(TileSums<Shape>& sums, TileSums<Shape>& more) {
  for_each_pack(sums, [&](Pack<4>& sum, int i, int row, int j, int) {
    REGATTA_UNROLL
    for (int k = 0; k < 4; ++k) sum.at[k] += more.of[i][row][j].at[k];
  });
}

/// Leaves the sums of this part of the terms in `partial`, and true to the last block of the tile, which then has the
/// sums of all parts, in order.
template <class Shape>
__device__ bool add_parts(float* partial, unsigned* counters, const ProductSizes& sizes, TileSums<Shape>& sums) {
  const std::int64_t tile = static_cast<std::int64_t>(blockIdx.y) * gridDim.x + blockIdx.x;
  constexpr std::int64_t kOfPart = Shape::kRows * Shape::kColumns;
  float* const of_thread = partial + tile * gridDim.z * kOfPart + static_cast<std::int64_t>(threadIdx.x) * 4;
  for_each_held(sums, sizes, [&](const Pack<4>& sum, int pack) {
    store(of_thread + blockIdx.z * kOfPart + pack * 4 * Shape::kThreads, sum);
  });
  if (!is_last_block(counters + tile, gridDim.z)) return false;
  const auto fetch = [&](TileSums<Shape>& to, unsigned part) {
    for_each_held(to, sizes, [&](Pack<4>& sum, int pack) {
      sum = load<4>(of_thread + part * kOfPart + pack * 4 * Shape::kThreads);
    });
  };
  sums = {};
  constexpr unsigned kAtOnce = TileSums<Shape>::kPacks >= 16 ? 1 : 16 / TileSums<Shape>::kPacks;  // are on their way
  for (unsigned part = 0; part < gridDim.z; part += kAtOnce) {
    TileSums<Shape> more[kAtOnce] = {};
    REGATTA_UNROLL
    for (unsigned i = 0; i < kAtOnce; ++i) {
      if (part + i < gridDim.z) fetch(more[i], part + i);
    }
    REGATTA_UNROLL
    for (unsigned i = 0; i < kAtOnce; ++i) add(sums, more[i]);
  }
  return true;
}

/// Blocks: x counts tiles down, y across, z parts of the terms. finish.run(row, column, pack) takes the sums from
/// `column` on, of which those before sizes.columns count.
template <class Shape, class A, Along kAlongA, class B, Along kAlongB, int kPack, class Finish>
__global__ void __launch_bounds__(Shape::kThreads, 1)
    tiled_product(A a, B b, Finish finish, ProductSizes sizes, float* partial, unsigned* counters) {
  device::begin();
  using SlabA = Slab<Shape::kDepth, Shape::kRows>;
  using SlabB = Slab<Shape::kDepth, Shape::kColumns>;
  REGATTA_SHARED(SlabA, slabs_a, [2]);
  REGATTA_SHARED(SlabB, slabs_b, [2]);
  const auto first_row = static_cast<std::int32_t>(blockIdx.x) * Shape::kRows;
  const auto first_column = static_cast<std::int32_t>(blockIdx.y) * Shape::kColumns;
  const std::int32_t begin = static_cast<std::int32_t>(blockIdx.z) * sizes.of_part;
  const std::int32_t end = begin + sizes.of_part < sizes.terms ? begin + sizes.of_part : sizes.terms;
  SlabReader<A, kAlongA, Shape::kDepth, Shape::kRows, Shape::kThreads, kPack> read_a(a, first_row, sizes.rows);
  SlabReader<B, kAlongB, Shape::kDepth, Shape::kColumns, Shape::kThreads, kPack> read_b(b, first_column, sizes.columns);
  const TileCorner corner = tile_corner<Shape>();
  TileSums<Shape> sums = {};
  read_a.fetch(begin, end);
  read_b.fetch(begin, end);
  read_a.put(slabs_a[0]);
  read_b.put(slabs_b[0]);
  __syncthreads();
  int now = 0;
  for (std::int32_t term = begin; term < end; term += Shape::kDepth) {
    const bool has_next = term + Shape::kDepth < end;
    if (has_next) {
      read_a.fetch(term + Shape::kDepth, end);
      read_b.fetch(term + Shape::kDepth, end);
    }
    multiply_slabs<Shape>(slabs_a[now], slabs_b[now], corner, sums);
    now = 1 - now;
    if (has_next) {
      read_a.put(slabs_a[now]);
      read_b.put(slabs_b[now]);
    }
    __syncthreads();
  }
  if (gridDim.z > 1 && !add_parts(partial, counters, sizes, sums)) return;
  for_each_pack(sums, [&](const Pack<4>& sum, int i, int row, int j, int) {
    const std::int32_t at_row = first_row + corner.down + 16 * i + row;
    const std::int32_t at_column = first_column + corner.across + 32 * j;
    if (at_row < sizes.rows && at_column < sizes.columns) finish.template run<kPack>(at_row, at_column, sum);
  });
}

}  // namespace regatta::engine::cuda

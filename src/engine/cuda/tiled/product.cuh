// c(row, column) = the sum over terms of a(row, term) b(term, column), in fp32 on the cores: each product and sum is
// one fused multiply-add, terms in order. A block computes a tile of c from slabs of both operands in shared memory;
// blocks share the terms of a tile where there are few tiles, and the last one adds up their parts in order. Other
// blocks of the launch may do what is beside.
#pragma once

#include "engine/cuda/kernels/reductions.cuh"
#include "engine/cuda/tiled/slabs.cuh"

namespace regatta::engine::cuda {

/// A tile of c, the terms of a slab, and what a thread computes of the tile: groups of 4 x 4 sums. A warp is 4 threads
/// down and 8 across. Each of `kTeams` teams of threads has a share of a slab's terms.
template <int kRows_, int kColumns_, int kDepth_, int kRowsOfThread, int kColumnsOfThread, int kTeams_ = 1>
struct Tile {
  static constexpr int kRows = kRows_, kColumns = kColumns_, kDepth = kDepth_, kTeams = kTeams_;
  static constexpr int kGroupsDown = kRowsOfThread / 4, kGroupsAcross = kColumnsOfThread / 4;
  static constexpr int kWarpsAcross = kColumns / (8 * kColumnsOfThread);
  static constexpr int kThreadsOfTeam = kWarp * (kRows / (4 * kRowsOfThread)) * kWarpsAcross;
  static constexpr int kThreads = kTeams * kThreadsOfTeam;
  static constexpr int kTermsOfTeam = kDepth / kTeams;
  static constexpr int kTermsAtOnce = kTeams > 1 ? 4 : kDepth;  ///< tiles with teams are for short kernels
  static constexpr int kSlabFloats = 2 * kDepth * (kRows + kColumns + 2 * kSlabPadding);  ///< two slabs of each operand
  static constexpr int kBlocksAtOnce = kTeams > 1 ? 2 : 1;  // a multiprocessor has room for, where packs are read
  static_assert(kRows % (4 * kRowsOfThread) == 0 && kColumns % (8 * kColumnsOfThread) == 0, "whole warps");
  static_assert(kDepth % kTeams == 0, "teams have as many terms");
};

struct ProductSizes {
  std::int32_t rows, columns, terms;
  std::int32_t of_part;     ///< terms of a part; a multiple of a slab's
  std::int32_t tiles_down;  ///< blocks along x from there on do what is beside
};

/// A block among those of a product: by tile down and across, and part of the terms.
struct ProductBlock {
  unsigned down, across;
  unsigned part, parts;
};

/// Memory of a block, used for one thing after the other.
template <int kFloats>
struct alignas(16) SharedFloats {
  float at[kFloats];
};

/// The sums of a thread: by group down, row of it, group across.
template <class Shape>
struct TileSums {
  static constexpr int kPacks = Shape::kGroupsDown * 4 * Shape::kGroupsAcross;
  Pack<4> of[kPacks];
};

/// A row and a column of a tile.
struct TilePoint {
  int down, across;
};

/// Where in the tile the thread's first sum lies; its groups lie 16 rows and 32 columns apart.
template <class Shape>
__device__ TilePoint tile_corner() {
  const int thread = static_cast<int>(threadIdx.x) % Shape::kThreadsOfTeam;
  const int warp = thread / kWarp, lane = thread % kWarp;
  return {warp / Shape::kWarpsAcross * 16 * Shape::kGroupsDown + lane / 8 * 4,
          warp % Shape::kWarpsAcross * 32 * Shape::kGroupsAcross + lane % 8 * 4};
}

template <class Shape>
__device__ int team() {
  return static_cast<int>(threadIdx.x) / Shape::kThreadsOfTeam;
}

template <class Shape>
__device__ void multiply_slabs(const Slab<Shape::kDepth, Shape::kRows>& a,
                               const Slab<Shape::kDepth, Shape::kColumns>& b, const TilePoint& corner,
                               TileSums<Shape>& sums) {
  const int first = team<Shape>() * Shape::kTermsOfTeam;
  REGATTA_UNROLL_BY(Shape::kTermsAtOnce)
  for (int i = 0; i < Shape::kTermsOfTeam; ++i) {
    const int term = first + i;
    Pack<4> down[Shape::kGroupsDown], across[Shape::kGroupsAcross];
    REGATTA_UNROLL
    for (int j = 0; j < Shape::kGroupsDown; ++j) down[j] = load<4>(&a.at[term][corner.down + 16 * j]);
    REGATTA_UNROLL
    for (int j = 0; j < Shape::kGroupsAcross; ++j) across[j] = load<4>(&b.at[term][corner.across + 32 * j]);
    REGATTA_UNROLL
    for (int pack = 0; pack < TileSums<Shape>::kPacks; ++pack) {
      const int row = pack / Shape::kGroupsAcross;
      const float factor = down[row / 4].at[row % 4];
      const Pack<4>& factors = across[pack % Shape::kGroupsAcross];
      REGATTA_UNROLL
      for (int k = 0; k < 4; ++k) sums.of[pack].at[k] = fmaf(factor, factors.at[k], sums.of[pack].at[k]);
    }
  }
}

// The sums go through shared memory and loops that are not unrolled. A kernel of some microseconds whose instructions
// do not stay in their cache waits for them most of its time.

/// The part of a tile that lies in shared memory at once: all of it, or one of the groups of each thread, which lie 16
/// rows down.
template <class Shape>
struct Stage {
  static constexpr bool kIsWhole = Shape::kRows * Shape::kColumns <= 4096;
  static constexpr int kStages = kIsWhole ? 1 : Shape::kGroupsDown, kGroups = Shape::kGroupsDown / kStages;
  static constexpr int kRows = Shape::kRows / kStages, kPacksOfRow = Shape::kColumns / 4;
  static constexpr int kPacks = kRows * kPacksOfRow;
  /// Teams that leave their sums side by side, as far as the slabs' memory has room; the others add to those.
  static constexpr int kSlots = [] {
    int slots = Shape::kTeams;
    while (slots * kPacks * 4 > Shape::kSlabFloats) slots /= 2;
    return slots;
  }();
  static_assert(kSlots > 0 && Shape::kTeams % kSlots == 0);

  /// Where in the tile a pack of the stage lies.
  static __device__ TilePoint point(int stage, int pack) {
    const int row = pack / kPacksOfRow, across = pack % kPacksOfRow * 4;
    return {kIsWhole ? row : row / 16 * 16 * Shape::kGroupsDown + 16 * stage + row % 16, across};
  }
};

inline __device__ void add(Pack<4>& sum, const Pack<4>& more) {
  REGATTA_UNROLL
  for (int i = 0; i < 4; ++i) sum.at[i] += more.at[i];
}

/// Leaves the teams' sums in Stage::kSlots slots. All threads of the block call.
template <class Shape>
__device__ void fill_stage(const TileSums<Shape>& sums, int stage, const TilePoint& corner, float* staged) {
  using Here = Stage<Shape>;
  const int row = Here::kIsWhole ? corner.down : corner.down / (16 * Shape::kGroupsDown) * 16 + corner.down % 16;
  const int slot = team<Shape>() % Here::kSlots;
  float* const of_thread = staged + slot * Here::kPacks * 4 + row * Shape::kColumns + corner.across;
  REGATTA_ROLLED
  for (int round = 0; round < Shape::kTeams / Here::kSlots; ++round) {
    __syncthreads();
    if (team<Shape>() / Here::kSlots != round) continue;
    REGATTA_UNROLL
    for (int i = 0; i < Here::kGroups * 4; ++i) {
      REGATTA_UNROLL
      for (int j = 0; j < Shape::kGroupsAcross; ++j) {
        float* const place = of_thread + (i / 4 * 16 + i % 4) * Shape::kColumns + 32 * j;
        Pack<4> pack = sums.of[(stage * 4 + i) * Shape::kGroupsAcross + j];
        if (round > 0) add(pack, load<4>(place));
        store(place, pack);
      }
    }
  }
  __syncthreads();
}

/// Calls visit(point of the tile, pack of sums) for the thread's share of what is staged, the slots added up in order;
/// so many turns of the loop at a time.
template <class Shape, int kTurns, class Visit>
__device__ void for_each_staged(int stage, const float* staged, int slots, const Visit& visit) {
  using Here = Stage<Shape>;
  REGATTA_UNROLL_BY(kTurns)
  for (int pack = static_cast<int>(threadIdx.x); pack < Here::kPacks; pack += Shape::kThreads) {
    Pack<4> sum = load<4>(staged + pack * 4);
    REGATTA_UNROLL
    for (int slot = 1; slot < Here::kSlots; ++slot) {
      if (slot < slots) add(sum, load<4>(staged + (slot * Here::kPacks + pack) * 4));
    }
    visit(Here::point(stage, pack), sum);
  }
}

/// How the last block of a tile adds up its parts: so many packs of so many parts are on their way to a thread at once,
/// and where a stage has fewer packs than the block has threads, companies of threads share the parts.
template <class Shape>
struct Adding {
  static constexpr int kPacks = Stage<Shape>::kPacks, kOfThread = kPacks / Shape::kThreads;
  static constexpr int kCompanies = kOfThread > 0 ? 1 : Shape::kThreads / kPacks;
  static constexpr int kOfCompany = Shape::kThreads / kCompanies;
  static constexpr int kAtOnce = kOfThread > 0 ? kOfThread : 1;  // all that the thread has
  static constexpr int kParts = 16 / kAtOnce;
  static_assert(kAtOnce <= 8 && kAtOnce * kOfCompany == kPacks, "registers have room; each pack is somebody's");
};

/// Adds up the parts of packs first, first + kThreads, ... of a stage; `from`: the tile's first part.
template <class Shape>
__device__ void fetch_parts(const float* from, unsigned parts, int stage, int first,
                            Pack<4> (&sums)[Adding<Shape>::kAtOnce]) {
  using How = Adding<Shape>;
  constexpr std::int64_t kOfPart = Shape::kRows * Shape::kColumns;
  const unsigned company = threadIdx.x / How::kOfCompany;
  const float* places[How::kAtOnce];
  REGATTA_UNROLL
  for (int j = 0; j < How::kAtOnce; ++j) {
    const TilePoint point = Stage<Shape>::point(stage, first + j * Shape::kThreads);
    places[j] = from + point.down * Shape::kColumns + point.across;
  }
  REGATTA_ROLLED
  for (unsigned begin = company; begin < parts; begin += How::kCompanies * How::kParts) {
    Pack<4> more[How::kParts][How::kAtOnce] = {};
    REGATTA_UNROLL
    for (unsigned i = 0; i < How::kParts; ++i) {
      const unsigned part = begin + i * How::kCompanies;
      REGATTA_UNROLL
      for (int j = 0; j < How::kAtOnce; ++j) {
        if (part < parts) more[i][j] = load<4>(places[j] + part * kOfPart);
      }
    }
    REGATTA_UNROLL
    for (int i = 0; i < How::kParts; ++i) {
      REGATTA_UNROLL
      for (int j = 0; j < How::kAtOnce; ++j) add(sums[j], more[i][j]);
    }
  }
}

/// Stages the sums of all parts, in an order that depends on their number alone. All threads of the block call.
template <class Shape>
__device__ void fetch_stage(const float* from, unsigned parts, int stage, float* staged) {
  using How = Adding<Shape>;
  const int first = static_cast<int>(threadIdx.x) % How::kOfCompany;
  Pack<4> sums[How::kAtOnce] = {};
  __syncthreads();
  fetch_parts<Shape>(from, parts, stage, first, sums);
  REGATTA_ROLLED
  for (int company = 0; company < How::kCompanies; ++company) {
    if constexpr (How::kCompanies > 1) __syncthreads();
    if (static_cast<int>(threadIdx.x) / How::kOfCompany != company) continue;
    REGATTA_UNROLL
    for (int i = 0; i < How::kAtOnce; ++i) {
      float* const place = staged + (first + i * Shape::kThreads) * 4;
      if (company > 0) add(sums[i], load<4>(place));
      store(place, sums[i]);
    }
  }
  __syncthreads();
}

/// From the sums of a block to c, or to its part, and from all parts to c where it is the last one of its tile.
template <class Shape, int kPack, class Finish>
__device__ void finish_block(const Finish& finish, const ProductSizes& sizes, const ProductBlock& block,
                             const TileSums<Shape>& sums, float* partial, unsigned* counters, float* staged) {
  constexpr int kStages = Stage<Shape>::kStages, kSlots = Stage<Shape>::kSlots;
  constexpr int kKeeping = Shape::kTeams > 1 ? 1 : 4;
  const TilePoint corner = tile_corner<Shape>();
  const bool is_cut = block.parts > 1;
  const std::int64_t tile = static_cast<std::int64_t>(block.across) * sizes.tiles_down + block.down;
  float* const parts = is_cut ? partial + tile * block.parts * Shape::kRows * Shape::kColumns : nullptr;
  const auto keep_part = [&](const TilePoint& point, const Pack<4>& sum) {
    store(parts + (block.part * Shape::kRows + point.down) * Shape::kColumns + point.across, sum);
  };
  const auto finish_pack = [&](const TilePoint& point, const Pack<4>& sum) {
    const std::int32_t row = static_cast<std::int32_t>(block.down) * Shape::kRows + point.down;
    const std::int32_t column = static_cast<std::int32_t>(block.across) * Shape::kColumns + point.across;
    if (row < sizes.rows && column < sizes.columns) finish.template run<kPack>(row, column, sum);
  };
  REGATTA_UNROLL
  for (int stage = 0; stage < kStages; ++stage) {
    fill_stage<Shape>(sums, stage, corner, staged);
    if (is_cut) {
      for_each_staged<Shape, kKeeping>(stage, staged, kSlots, keep_part);
    } else if (kStages > 1) {
      for_each_staged<Shape, 1>(stage, staged, kSlots, finish_pack);
    }
  }
  if (is_cut) {
    if (!is_last_block(counters + tile, block.parts)) return;
  } else if (kStages > 1) {
    return;
  }
  REGATTA_ROLLED
  for (int stage = 0; stage < kStages; ++stage) {
    if (is_cut) fetch_stage<Shape>(parts, block.parts, stage, staged);
    for_each_staged<Shape, 1>(stage, staged, is_cut ? 1 : kSlots, finish_pack);
  }
}

/// The part of one block in a product; all its threads call. finish.run(row, column, pack) takes the sums from `column`
/// on; those before sizes.columns count. `shared`: Shape::kSlabFloats.
template <class Shape, class A, Along kAlongA, class B, Along kAlongB, int kPack, class Finish>
__device__ void multiply_block(const A& a, const B& b, const Finish& finish, const ProductSizes& sizes,
                               const ProductBlock& block, float* partial, unsigned* counters, float* shared) {
  using Slabs = SlabPair<Slab<Shape::kDepth, Shape::kRows>, Slab<Shape::kDepth, Shape::kColumns>>;
  static_assert(2 * sizeof(Slabs) == sizeof(float) * Shape::kSlabFloats);
  auto* const slabs = reinterpret_cast<Slabs*>(shared);
  const std::int32_t begin = static_cast<std::int32_t>(block.part) * sizes.of_part;
  const std::int32_t end = begin + sizes.of_part < sizes.terms ? begin + sizes.of_part : sizes.terms;
  SlabReader<A, kAlongA, Shape::kDepth, Shape::kRows, Shape::kThreads, kPack> read_a(
      a, static_cast<std::int32_t>(block.down) * Shape::kRows, sizes.rows);
  SlabReader<B, kAlongB, Shape::kDepth, Shape::kColumns, Shape::kThreads, kPack> read_b(
      b, static_cast<std::int32_t>(block.across) * Shape::kColumns, sizes.columns);
  const TilePoint corner = tile_corner<Shape>();
  TileSums<Shape> sums = {};
  read_a.fetch(begin, end);
  read_b.fetch(begin, end);
  read_a.put(slabs[0].a);
  read_b.put(slabs[0].b);
  __syncthreads();
  int now = 0;
  for (std::int32_t term = begin; term < end; term += Shape::kDepth) {
    const bool has_next = term + Shape::kDepth < end;
    if (has_next) {
      read_a.fetch(term + Shape::kDepth, end);
      read_b.fetch(term + Shape::kDepth, end);
    }
    multiply_slabs<Shape>(slabs[now].a, slabs[now].b, corner, sums);
    now = 1 - now;
    if (has_next) {
      read_a.put(slabs[now].a);
      read_b.put(slabs[now].b);
    }
    __syncthreads();
  }
  finish_block<Shape, kPack>(finish, sizes, block, sums, partial, counters, shared);
}

/// Blocks: x counts tiles down, and behind them what is beside, y tiles across, z parts of the terms.
template <class Shape, class A, Along kAlongA, class B, Along kAlongB, int kPack, class Finish, class Beside>
__global__ void __launch_bounds__(Shape::kThreads, kPack == 4 ? Shape::kBlocksAtOnce : 1)
    tiled_product(A a, B b, Finish finish, Beside beside, ProductSizes sizes, float* partial, unsigned* counters) {
  device::begin();
  constexpr int kFloats = Shape::kSlabFloats > Beside::kSharedFloats ? Shape::kSlabFloats : Beside::kSharedFloats;
  REGATTA_SHARED(SharedFloats<kFloats>, shared, [1]);
  const unsigned down = static_cast<unsigned>(sizes.tiles_down);
  if (blockIdx.x < down) {
    multiply_block<Shape, A, kAlongA, B, kAlongB, kPack>(
        a, b, finish, sizes, {blockIdx.x, blockIdx.y, blockIdx.z, gridDim.z}, partial, counters, shared[0].at);
  } else {
    beside.run(((blockIdx.x - down) * gridDim.y + blockIdx.y) * gridDim.z + blockIdx.z, shared[0].at);
  }
}

}  // namespace regatta::engine::cuda

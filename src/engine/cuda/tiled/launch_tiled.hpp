// Launches a tiled product with the tile that its plan names.
#pragma once

#include "engine/cuda/kernels/launches.hpp"
#include "engine/cuda/kernels/parts.hpp"
#include "engine/cuda/tiled/beside.cuh"
#include "engine/cuda/tiled/finish.cuh"
#include "engine/cuda/tiled/plan.hpp"
#include "engine/cuda/tiled/product.cuh"
#include "engine/cuda/tiled/sources.cuh"

namespace regatta::engine::cuda {

template <TileKind kKind>
struct TileOf;
template <>
struct TileOf<TileKind::square> : Tile<64, 64, 16, 8, 4> {};
template <>
struct TileOf<TileKind::many_threads> : Tile<64, 64, 16, 4, 4> {};
template <>
struct TileOf<TileKind::tall> : Tile<128, 64, 16, 8, 8> {};
template <>
struct TileOf<TileKind::large> : Tile<128, 128, 16, 8, 8> {};
template <>
struct TileOf<TileKind::deep> : Tile<64, 64, 16, 8, 8, 4> {};
template <>
struct TileOf<TileKind::narrow> : Tile<64, 32, 32, 8, 4, 4> {};
template <>
struct TileOf<TileKind::few> : Tile<16, 32, 64, 4, 4, 8> {};
template <>
struct TileOf<TileKind::small> : Tile<32, 32, 32, 4, 4, 4> {};

struct TiledLaunch {
  const char* name;
  std::int64_t rows, columns, terms;
  TiledPlan plan;
  bool packs;     ///< four floats at once, of both operands and of the result
  void* scratch;  ///< plan.scratch_bytes()
};

/// Sums of the columns of x(rows, columns) that a product is launched with; null: none.
struct ColumnsToSum {
  const float* x = nullptr;
  float* sums = nullptr;
  std::int64_t rows = 0, columns = 0;
};

/// Calls visit with a tile of that kind.
template <class Visit>
void with_tile(TileKind kind, const Visit& visit) {
  switch (kind) {
    case TileKind::square:
      return visit(TileOf<TileKind::square>());
    case TileKind::many_threads:
      return visit(TileOf<TileKind::many_threads>());
    case TileKind::tall:
      return visit(TileOf<TileKind::tall>());
    case TileKind::large:
      return visit(TileOf<TileKind::large>());
    case TileKind::deep:
      return visit(TileOf<TileKind::deep>());
    case TileKind::narrow:
      return visit(TileOf<TileKind::narrow>());
    case TileKind::few:
      return visit(TileOf<TileKind::few>());
    case TileKind::small:
      return visit(TileOf<TileKind::small>());
  }
}

template <class Shape>
ProductSizes sizes_of(const TiledLaunch& l) {
  expect(size_of(l.plan.tile) == TileSize{Shape::kRows, Shape::kColumns, Shape::kDepth}, "a tile of the plan's size");
  return {index_of(l.rows), index_of(l.columns), index_of(l.terms), l.plan.of_part,
          index_of(divide_up(l.rows, Shape::kRows))};
}

/// In packs of so many floats.
template <int kPack, class Shape, Along kAlongA, Along kAlongB, class A, class B, class Finish, class Beside>
void launch_packs(const Target& target, const TiledLaunch& l, const A& a, const B& b, const Finish& finish,
                  const Beside& beside) {
  const std::int64_t across = divide_up(l.columns, Shape::kColumns);
  const std::int64_t more = divide_up(beside.blocks(), across * l.plan.parts);
  expect(l.plan.parts == 1 || l.plan.tiles <= kCounters - kCountersOfSums, "a counter for each tile that is cut");
  const ProductSizes sizes = sizes_of<Shape>(l);
  launch(target, l.name, {blocks_of(sizes.tiles_down + more, across, l.plan.parts), dim3(Shape::kThreads)},
         tiled_product<Shape, A, kAlongA, B, kAlongB, kPack, Finish, Beside>, a, b, finish, beside, sizes,
         static_cast<float*>(l.scratch), target.counters);
}

template <class Shape, Along kAlongA, Along kAlongB, class A, class B, class Finish, class Beside = NothingBeside>
void launch_tile(const Target& target, const TiledLaunch& l, const A& a, const B& b, const Finish& finish,
                 const Beside& beside = {}) {
  if (l.packs) {
    launch_packs<4, Shape, kAlongA, kAlongB>(target, l, a, b, finish, beside);
  } else {
    launch_packs<1, Shape, kAlongA, kAlongB>(target, l, a, b, finish, beside);
  }
}

template <Along kAlongA, Along kAlongB, class A, class B, class Finish>
void launch_tiled(const Target& target, const TiledLaunch& l, const A& a, const B& b, const Finish& finish) {
  if (l.rows == 0 || l.columns == 0) return;
  with_tile(l.plan.tile, [&](auto shape) { launch_tile<decltype(shape), kAlongA, kAlongB>(target, l, a, b, finish); });
}

inline SumsBeside sums_beside(const Target& target, const ColumnsToSum& of) {
  const SumOfRows term{of.x, of.sums, of.columns, false};
  if (of.sums == nullptr) return {term, {}, 0, 0, nullptr, nullptr};
  const Tiles tiles = tiles_of_sums(of.x, of.sums, of.rows, of.columns);
  const std::int64_t parts = checked_sum_parts(target, tiles, SumOfRows::kSums);
  return {term,
          tiles,
          static_cast<unsigned>(column_tiles(tiles)),
          static_cast<unsigned>(parts),
          static_cast<float*>(target.workspace),
          target.counters + kCounters - kCountersOfSums};
}

/// The sums are blocks of the same launch where those have as many threads as the tile's, else a launch behind it.
template <class Shape, Along kAlongA, Along kAlongB, class A, class B, class Finish>
void launch_tile_and_sums(const Target& target, const TiledLaunch& l, const A& a, const B& b, const Finish& finish,
                          const ColumnsToSum& of) {
  if constexpr (Shape::kThreads == kThreads) {
    launch_tile<Shape, kAlongA, kAlongB>(target, l, a, b, finish, sums_beside(target, of));
  } else {
    launch_tile<Shape, kAlongA, kAlongB>(target, l, a, b, finish);
    if (of.sums != nullptr) sum_columns(target, of.x, of.sums, of.rows, of.columns);
  }
}

}  // namespace regatta::engine::cuda

// Launches a tiled product with the tile that its plan names.
#pragma once

#include "engine/cuda/kernels/launches.hpp"
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

struct TiledLaunch {
  const char* name;
  std::int64_t rows, columns, terms;
  TiledPlan plan;
  bool packs;     ///< four floats at once, of both operands and of the result
  void* scratch;  ///< plan.scratch_bytes()
};

template <class Shape, Along kAlongA, Along kAlongB, class A, class B, class Finish>
void launch_tile(const Target& target, const TiledLaunch& l, const A& a, const B& b, const Finish& finish) {
  const dim3 blocks = blocks_of(divide_up(l.rows, Shape::kRows), divide_up(l.columns, Shape::kColumns), l.plan.parts);
  expect(l.plan.parts == 1 || l.plan.tiles <= kCounters, "a counter for each tile that is cut");
  const ProductSizes sizes{index_of(l.rows), index_of(l.columns), index_of(l.terms), l.plan.of_part};
  const auto kernel = l.packs ? tiled_product<Shape, A, kAlongA, B, kAlongB, 4, Finish>
                              : tiled_product<Shape, A, kAlongA, B, kAlongB, 1, Finish>;
  launch(target, l.name, {blocks, dim3(Shape::kThreads)}, kernel, a, b, finish, sizes, static_cast<float*>(l.scratch),
         target.counters);
}

template <Along kAlongA, Along kAlongB, class A, class B, class Finish>
void launch_tiled(const Target& target, const TiledLaunch& l, const A& a, const B& b, const Finish& finish) {
  if (l.rows == 0 || l.columns == 0) return;
  switch (l.plan.tile) {
    case TileKind::square:
      return launch_tile<TileOf<TileKind::square>, kAlongA, kAlongB>(target, l, a, b, finish);
    case TileKind::many_threads:
      return launch_tile<TileOf<TileKind::many_threads>, kAlongA, kAlongB>(target, l, a, b, finish);
    case TileKind::tall:
      return launch_tile<TileOf<TileKind::tall>, kAlongA, kAlongB>(target, l, a, b, finish);
    case TileKind::large:
      return launch_tile<TileOf<TileKind::large>, kAlongA, kAlongB>(target, l, a, b, finish);
  }
}

}  // namespace regatta::engine::cuda

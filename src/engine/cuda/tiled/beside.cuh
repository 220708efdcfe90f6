// The work of further blocks in the launch of a product: it needs nothing of the product's.
#pragma once

#include "engine/cuda/kernels/sums.cuh"
#include "engine/cuda/tiled/product.cuh"

namespace regatta::engine::cuda {

// kSharedFloats: of the block's memory that run() wants; blocks(): how many it takes, and run() more of them do
// nothing.

struct NothingBeside {
  static constexpr int kSharedFloats = 0;

  [[nodiscard]] unsigned blocks() const { return 0; }
  __device__ void run(unsigned /*block*/, float* /*shared*/) const {}
};

/// Sums of columns, bit by bit column_sum. Its blocks have kThreads threads.
struct SumsBeside {
  static constexpr int kSharedFloats = 0;

  SumOfRows term;
  Tiles tiles;
  unsigned column_tiles, parts;  ///< 0 tiles: nothing is summed
  float* partial;                ///< as column_sums'
  unsigned* counters;

  [[nodiscard]] unsigned blocks() const { return column_tiles * parts; }

  __device__ void run(unsigned block, float* /*shared*/) const {
    if (block >= column_tiles * parts) return;
    const SumBlock of{0, block / parts, block % parts, parts};
    if (tiles.pack == 4) {
      sum_block<4>(term, tiles, of, partial, counters + of.tile);
    } else {
      sum_block<1>(term, tiles, of, partial, counters + of.tile);
    }
  }
};

/// A product that is not cut, and sums.
template <class Shape, class A, Along kAlongA, class B, Along kAlongB, int kPack, class Finish>
struct ProductBeside {
  static constexpr int kSharedFloats = Shape::kSlabFloats;

  A a;
  B b;
  Finish finish;
  ProductSizes sizes;
  unsigned tiles;  ///< tiles of the product
  SumsBeside sums;

  [[nodiscard]] unsigned blocks() const { return tiles + sums.blocks(); }

  __device__ void run(unsigned block, float* shared) const {
    const auto down = static_cast<unsigned>(sizes.tiles_down);
    if (block < tiles) {
      multiply_block<Shape, A, kAlongA, B, kAlongB, kPack>(a, b, finish, sizes, {block % down, block / down, 0, 1},
                                                           nullptr, nullptr, shared);
    } else {
      sums.run(block - tiles, shared);
    }
  }
};

}  // namespace regatta::engine::cuda

#include "engine/cuda/tiled/launch_tiled.hpp"
#include "engine/cuda/tiled/matmul.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr std::int64_t kMostWork = 8'000'000;  // multiply-adds: beyond them the library is as fast
constexpr std::int64_t kMostSize = 65536;      // so that a matrix has floats that kernels can count

/// Whether what lies side by side does so by four.
bool reads_packs(const MatMul& op) {
  return op.n % 4 == 0 && (op.transpose_a ? op.m : op.k) % 4 == 0 && (op.transpose_b ? op.k : op.n) % 4 == 0;
}

/// The arguments of a product's kernel.
struct Told {
  TiledLaunch shape;
  PlainLines a, b;
  StoreRows store;
  ColumnsToSum sums;
};

Told told(const MatMul& op, const Memory& memory) {
  const PlainLines a{floats_of(memory, 0), index_of(op.transpose_a ? op.k : op.m),
                     index_of(op.transpose_a ? op.m : op.k)};
  const PlainLines b{floats_of(memory, 1), index_of(op.transpose_b ? op.n : op.k),
                     index_of(op.transpose_b ? op.k : op.n)};
  const StoreRows store{.c = floats_of(memory, 2),
                        .bias = op.add_bias ? floats_of(memory, 3) : nullptr,
                        .columns = index_of(op.n),
                        .activation = op.activation,
                        .saved = op.derivative != Activation::none ? floats_of(memory, 4) : nullptr,
                        .derivative = op.derivative};
  const bool packs = reads_packs(op) && take_packs({a.x, b.x, store.c});
  const TiledLaunch shape{"matmul", op.m, op.n, op.k, small_product_plan(op.m, op.n, op.k), packs, memory[kScratch]};
  return {shape, a, b, store, {b.x, op.sum_columns ? floats_of(memory, 5) : nullptr, op.k, op.n}};
}

/// Calls visit with the tile of a small product.
template <class Visit>
void with_small_tile(TileKind kind, const Visit& visit) {
  if (kind == TileKind::few) {
    visit(TileOf<TileKind::few>());
  } else {
    visit(TileOf<TileKind::narrow>());
  }
}

template <Along kAlongA, Along kAlongB>
void issue(const Target& target, const Told& product) {
  with_small_tile(product.shape.plan.tile, [&](auto tile) {
    launch_tile_and_sums<decltype(tile), kAlongA, kAlongB>(target, product.shape, product.a, product.b, product.store,
                                                           product.sums);
  });
}

/// A kernel's gradient, with an input's gradient beside it.
template <class Tile, class TileBeside, int kPack>
void issue_gradients(const Target& target, const Told& kernel, const Told& input) {
  using Beside = ProductBeside<TileBeside, PlainLines, Along::terms, PlainLines, Along::terms, kPack, StoreRows>;
  const Beside beside{input.a,
                      input.b,
                      input.store,
                      sizes_of<TileBeside>(input.shape),
                      static_cast<unsigned>(input.shape.plan.tiles),
                      sums_beside(target, kernel.sums)};
  launch_packs<kPack, Tile, Along::lines, Along::lines>(target, kernel.shape, kernel.a, kernel.b, kernel.store, beside);
}

struct Bound {
  const MatMul& op;
  const Memory& memory;
};

/// Whether an operand that one of them writes lies over any of the other's.
bool lies_over(const Bound& writer, std::size_t written, const Bound& other) {
  const std::int64_t written_bytes = writer.op.operand_bytes()[written];
  const OperandBytes bytes = other.op.operand_bytes();
  for (std::size_t i = 0; i < kOperands; ++i) {
    const bool are_there = bytes[i] > 0 && written_bytes > 0;
    if (are_there && overlap(writer.memory[written], written_bytes, other.memory[i], bytes[i])) return true;
  }
  return false;
}

}  // namespace

bool is_tiled(const MatMul& op) {
  const std::int64_t least = std::min({op.m, op.n, op.k}), most = std::max({op.m, op.n, op.k});
  return least > 0 && most <= kMostSize && op.m * op.n * op.k <= kMostWork && !(op.transpose_a && op.transpose_b);
}

std::int64_t tiled_scratch_bytes(const MatMul& op) { return small_product_plan(op.m, op.n, op.k).scratch_bytes(); }

void issue_tiled(const Target& target, const MatMul& op, const Memory& memory) {
  if (op.transpose_a) {
    issue<Along::lines, Along::lines>(target, told(op, memory));
  } else if (op.transpose_b) {
    issue<Along::terms, Along::terms>(target, told(op, memory));
  } else {
    issue<Along::terms, Along::lines>(target, told(op, memory));
  }
}

bool issue_pair(const Target& target, const MatMul& first, const Memory& first_memory, const MatMul& second,
                const Memory& second_memory) {
  const bool are_gradients = first.transpose_a && second.transpose_b && !second.sum_columns;
  if (!are_gradients || !is_tiled(first) || !is_tiled(second)) return false;
  const Bound one{first, first_memory}, other{second, second_memory};
  if (lies_over(other, 2, one) || lies_over(one, 2, other) || lies_over(one, 5, other)) return false;
  Told kernel = told(first, first_memory), input = told(second, second_memory);
  if (kernel.shape.plan.parts > 1 || input.shape.plan.parts > 1) return false;
  kernel.shape.packs = input.shape.packs = kernel.shape.packs && input.shape.packs;
  with_small_tile(kernel.shape.plan.tile, [&](auto tile) {
    with_small_tile(input.shape.plan.tile, [&](auto beside) {
      const auto issue = kernel.shape.packs ? issue_gradients<decltype(tile), decltype(beside), 4>
                                            : issue_gradients<decltype(tile), decltype(beside), 1>;
      issue(target, kernel, input);
    });
  });
  return true;
}

}  // namespace regatta::engine::cuda

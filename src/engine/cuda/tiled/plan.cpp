#include "engine/cuda/tiled/plan.hpp"

#include <algorithm>
#include <array>

#include "regatta/base/error.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr std::int64_t kLeastTerms = 64;          // a part has: it is worth its block
constexpr std::int64_t kLeastTermsOfSmall = 128;  // there adding up parts takes as long as so many terms
constexpr std::int64_t kMostParts = 132;
constexpr std::int64_t kMostSums = 32 * 64 * 64;  // the last block of a tile adds up

// Blocks: so many for each of some hundred multiprocessors.
constexpr std::array<std::int64_t, 3> kBlocks = {132, 264, 528};
constexpr std::array<TileKind, 8> kTiles = {TileKind::square, TileKind::many_threads, TileKind::tall, TileKind::large,
                                            TileKind::deep,   TileKind::narrow,       TileKind::few,  TileKind::small};
static_assert(kBlocks.size() * kTiles.size() == kTiledWays);

constexpr std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t tiles_of(std::int64_t rows, std::int64_t columns, TileKind tile) {
  const TileSize size = size_of(tile);
  return divided_up(rows, size.rows) * divided_up(columns, size.columns);
}

/// The tiles in parts, so that there are about so many blocks, and `most` parts.
TiledPlan cut(TiledPlan plan, std::int64_t terms, std::int64_t blocks, std::int64_t most) {
  const std::int64_t depth = size_of(plan.tile).depth;
  const std::int64_t parts =
      std::clamp<std::int64_t>(blocks / std::max<std::int64_t>(1, plan.tiles), 1, std::max<std::int64_t>(1, most));
  const std::int64_t all = std::max<std::int64_t>(terms, 1);
  plan.of_part = static_cast<std::int32_t>(divided_up(divided_up(all, parts), depth) * depth);
  plan.parts = static_cast<std::int32_t>(divided_up(all, plan.of_part));
  return plan;
}

int way_of(std::size_t tile, std::size_t blocks) { return static_cast<int>(tile * kBlocks.size() + blocks); }

}  // namespace

TileSize size_of(TileKind tile) {
  switch (tile) {
    case TileKind::tall:
      return {128, 64, 16};
    case TileKind::large:
      return {128, 128, 16};
    case TileKind::narrow:
      return {64, 32, 32};
    case TileKind::few:
      return {16, 32, 64};
    case TileKind::small:
      return {32, 32, 32};
    case TileKind::square:
    case TileKind::many_threads:
    case TileKind::deep:
      break;
  }
  return {64, 64, 16};
}

std::int64_t TiledPlan::scratch_bytes() const {
  const TileSize size = size_of(tile);
  return parts == 1 ? 0 : tiles * parts * size.rows * size.columns * static_cast<std::int64_t>(sizeof(float));
}

int usual_way(std::int64_t rows, std::int64_t columns) {
  return tiles_of(rows, columns, TileKind::large) >= kBlocks[0] ? way_of(3, 1) : way_of(4, 1);
}

TiledPlan tiled_plan(std::int64_t rows, std::int64_t columns, std::int64_t terms, int way) {
  expect(way >= 0 && way < kTiledWays, "a way of those that there are");
  const auto number = static_cast<std::size_t>(way);
  const TileKind tile = kTiles[number / kBlocks.size()];
  const TileSize size = size_of(tile);
  const std::int64_t sums = std::min(rows, size.rows) * std::min(columns, size.columns);  // a tile has
  const std::int64_t most = std::min({terms / kLeastTerms, kMostSums / std::max<std::int64_t>(1, sums), kMostParts});
  return cut({tile, 1, 0, tiles_of(rows, columns, tile)}, terms, kBlocks[number % kBlocks.size()], most);
}

TiledPlan small_product_plan(std::int64_t rows, std::int64_t columns, std::int64_t terms) {
  const TileKind tile = rows > size_of(TileKind::few).rows * 2 ? TileKind::narrow : TileKind::few;
  const std::int64_t most = std::min(terms / kLeastTermsOfSmall, kMostParts);
  return cut({tile, 1, 0, tiles_of(rows, columns, tile)}, terms, kBlocks[0], most);
}

}  // namespace regatta::engine::cuda

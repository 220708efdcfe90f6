#include "engine/cuda/tiled/plan.hpp"

#include <algorithm>
#include <array>

#include "regatta/base/error.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr std::int64_t kDepth = 16;               // terms of a slab: parts are whole slabs
constexpr std::int64_t kLeastTerms = 4 * kDepth;  // a part has: it is worth its block
constexpr std::int64_t kMostParts = 132;
constexpr std::int64_t kMostSums = 32 * 64 * 64;  // the last block of a tile adds up

// Blocks: so many for each of some hundred multiprocessors.
constexpr std::array<std::int64_t, 3> kBlocks = {132, 264, 528};
constexpr std::array<TileKind, 4> kTiles = {TileKind::square, TileKind::many_threads, TileKind::tall, TileKind::large};
static_assert(kBlocks.size() * kTiles.size() == kTiledWays);

constexpr std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t tiles_of(std::int64_t rows, std::int64_t columns, TileKind tile) {
  const TileSides sides = sides_of(tile);
  return divided_up(rows, sides.rows) * divided_up(columns, sides.columns);
}

int way_of(std::size_t tile, std::size_t blocks) { return static_cast<int>(tile * kBlocks.size() + blocks); }

}  // namespace

TileSides sides_of(TileKind tile) {
  switch (tile) {
    case TileKind::tall:
      return {128, 64};
    case TileKind::large:
      return {128, 128};
    case TileKind::square:
    case TileKind::many_threads:
      break;
  }
  return {64, 64};
}

std::int64_t TiledPlan::scratch_bytes() const {
  const TileSides sides = sides_of(tile);
  return parts == 1 ? 0 : tiles * parts * sides.rows * sides.columns * static_cast<std::int64_t>(sizeof(float));
}

int usual_way(std::int64_t rows, std::int64_t columns) {
  return tiles_of(rows, columns, TileKind::large) >= kBlocks[0] ? way_of(3, 1) : way_of(0, 1);
}

TiledPlan tiled_plan(std::int64_t rows, std::int64_t columns, std::int64_t terms, int way) {
  expect(way >= 0 && way < kTiledWays, "a way of those that there are");
  const auto number = static_cast<std::size_t>(way);
  const TileKind tile = kTiles[number / kBlocks.size()];
  const TileSides sides = sides_of(tile);
  const std::int64_t tiles = tiles_of(rows, columns, tile);
  const std::int64_t sums = std::min(rows, sides.rows) * std::min(columns, sides.columns);  // a tile has
  const std::int64_t most = std::min({terms / kLeastTerms, kMostSums / std::max<std::int64_t>(1, sums), kMostParts});
  const std::int64_t parts = std::clamp<std::int64_t>(
      kBlocks[number % kBlocks.size()] / std::max<std::int64_t>(1, tiles), 1, std::max<std::int64_t>(1, most));
  const std::int64_t all = std::max<std::int64_t>(terms, 1);
  const std::int64_t of_part = divided_up(divided_up(all, parts), kDepth) * kDepth;
  return {tile, static_cast<std::int32_t>(divided_up(all, of_part)), static_cast<std::int32_t>(of_part), tiles};
}

}  // namespace regatta::engine::cuda

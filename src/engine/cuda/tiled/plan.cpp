#include "engine/cuda/tiled/plan.hpp"

#include <algorithm>

namespace regatta::engine::cuda {

namespace {

constexpr std::int64_t kDepth = 16;               // terms of a slab: parts are whole slabs
constexpr std::int64_t kBlocks = 264;             // two for each multiprocessor of a large GPU
constexpr std::int64_t kLeastTerms = 4 * kDepth;  // a part has: it is worth its block
constexpr std::int64_t kMostParts = 132;
constexpr std::int64_t kMostSums = 32 * 64 * 64;  // the last block of a tile adds up

constexpr std::int64_t side(TileSize tile) { return tile == TileSize::small ? 64 : 128; }

constexpr std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t tiles_of(std::int64_t rows, std::int64_t columns, TileSize tile) {
  return divided_up(rows, side(tile)) * divided_up(columns, side(tile));
}

}  // namespace

std::int64_t TiledPlan::scratch_bytes() const {
  return parts == 1 ? 0 : tiles * parts * side(tile) * side(tile) * static_cast<std::int64_t>(sizeof(float));
}

TiledPlan tiled_plan(std::int64_t rows, std::int64_t columns, std::int64_t terms, TileSize tile, std::int64_t parts) {
  const std::int64_t sums = std::min(rows, side(tile)) * std::min(columns, side(tile));  // a tile has
  const std::int64_t most = std::min({terms / kLeastTerms, kMostSums / std::max<std::int64_t>(1, sums), kMostParts});
  const std::int64_t wanted = std::clamp<std::int64_t>(parts, 1, std::max<std::int64_t>(1, most));
  const std::int64_t of_part = divided_up(divided_up(std::max<std::int64_t>(terms, 1), wanted), kDepth) * kDepth;
  return {tile, static_cast<std::int32_t>(divided_up(std::max<std::int64_t>(terms, 1), of_part)),
          static_cast<std::int32_t>(of_part), tiles_of(rows, columns, tile)};
}

TiledPlan tiled_plan(std::int64_t rows, std::int64_t columns, std::int64_t terms) {
  const bool fills = tiles_of(rows, columns, TileSize::large) >= kBlocks / 2;
  const TileSize tile = fills ? TileSize::large : TileSize::small;
  return tiled_plan(rows, columns, terms, tile, kBlocks / std::max<std::int64_t>(1, tiles_of(rows, columns, tile)));
}

}  // namespace regatta::engine::cuda

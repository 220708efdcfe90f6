// How a tiled product is cut: a function of its shape alone, since the bits of a sum depend on it.
#pragma once

#include <cstdint>

namespace regatta::engine::cuda {

/// Rows x columns of c that a block computes.
enum class TileSize { small, large };

struct TiledPlan {
  TileSize tile = TileSize::small;
  std::int32_t parts = 1;    ///< blocks that share the terms of a tile
  std::int32_t of_part = 0;  ///< terms of each, but for the last one
  std::int64_t tiles = 0;

  /// Holds the sums of all parts.
  [[nodiscard]] std::int64_t scratch_bytes() const;
};

TiledPlan tiled_plan(std::int64_t rows, std::int64_t columns, std::int64_t terms);

/// With that tile, in about so many parts.
TiledPlan tiled_plan(std::int64_t rows, std::int64_t columns, std::int64_t terms, TileSize tile, std::int64_t parts);

}  // namespace regatta::engine::cuda

// How a tiled product is cut: a function of its shape and of a way that is kept where it was chosen, since the bits of
// a sum depend on it.
#pragma once

#include <cstdint>

namespace regatta::engine::cuda {

/// Rows x columns of c that a block computes, and by how many threads. From `deep` on teams of threads share the terms.
enum class TileKind : std::uint8_t { square, many_threads, tall, large, deep, narrow, few, small };

/// Rows and columns of c that a block computes, and terms that it reads at once.
struct TileSize {
  std::int64_t rows, columns, depth;
  bool operator==(const TileSize&) const = default;
};
TileSize size_of(TileKind tile);

struct TiledPlan {
  TileKind tile = TileKind::square;
  std::int32_t parts = 1;    ///< blocks that share the terms of a tile
  std::int32_t of_part = 0;  ///< terms of each, but for the last one
  std::int64_t tiles = 0;

  /// Holds the sums of all parts.
  [[nodiscard]] std::int64_t scratch_bytes() const;
  bool operator==(const TiledPlan&) const = default;
};

inline constexpr int kTiledWays = 24;  ///< to cut one shape; some may be the same

/// The way that is taken without a trial.
int usual_way(std::int64_t rows, std::int64_t columns);

/// `way` in [0, kTiledWays).
TiledPlan tiled_plan(std::int64_t rows, std::int64_t columns, std::int64_t terms, int way);

/// The plan of a product that takes some microseconds: `few` or `narrow`.
TiledPlan small_product_plan(std::int64_t rows, std::int64_t columns, std::int64_t terms);

}  // namespace regatta::engine::cuda

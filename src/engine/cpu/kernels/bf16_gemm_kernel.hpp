// The product of tiles: 2 x 2 tiles of c stay in registers while the sum runs over outer and k. For kernels_amx.cpp
// only.
#pragma once

#include "engine/cpu/kernels/bf16_copy_kernel.hpp"
#include "engine/cpu/vectors/activation_kernel.hpp"

namespace regatta::engine::cpu {
namespace {

constexpr std::int64_t kTileSize = 16;  // rows and columns of a tile of c
constexpr std::int64_t kBlockRows = 2 * kTileSize;
constexpr std::int64_t kTileElements = 16 * 32;  // elements in a tile of b

/// The operand of LDTILECFG (Intel's manual, volume 1, 18.2): tiles 0 to 3 are c, 4 and 5 a, 6 and 7 b.
struct alignas(64) TileShapes {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t bytes[16] = {};
  std::uint8_t rows[16] = {};
};
static_assert(sizeof(TileShapes) == 64);

/// Tiles for blocks of so many rows.
inline void shape_tiles(std::int64_t block_rows) {
  TileShapes shapes;
  const std::int64_t upper = block_rows < kTileSize ? block_rows : kTileSize;
  const std::int64_t lower = block_rows > kTileSize ? block_rows - kTileSize : kTileSize;
  for (int tile = 0; tile < 8; ++tile) {
    const bool is_lower = tile == 2 || tile == 3 || tile == 5;
    shapes.bytes[tile] = 64;
    shapes.rows[tile] = static_cast<std::uint8_t>(tile >= 6 ? kTileSize : is_lower ? lower : upper);
  }
  _tile_loadconfig(&shapes);
}

/// The end of a sum that no whole tile holds: zeros follow.
struct Tail {
  alignas(64) Bf16 rows[kBlockRows][kBf16Depth];

  void copy(const Bf16* a, std::int64_t row, std::int64_t count, std::int64_t terms) {
    for (std::int64_t r = 0; r < count; ++r) {
      _mm512_store_si512(rows[r], _mm512_maskz_loadu_epi16(first_halves(terms), a + r * row));
    }
  }
};

/// Adds one product of tiles to each of c's.
template <int row_tiles, int column_tiles>
inline void multiply_tiles(const Bf16* a, std::int64_t row_bytes, const Bf16* b) {
  const auto lower = static_cast<std::int64_t>(kTileSize) * row_bytes;
  _tile_loadd(6, b, 64);
  _tile_loadd(4, a, row_bytes);
  _tile_dpbf16ps(0, 4, 6);
  if constexpr (row_tiles == 2) {
    _tile_loadd(5, reinterpret_cast<const char*>(a) + lower, row_bytes);
    _tile_dpbf16ps(2, 5, 6);
  }
  if constexpr (column_tiles == 2) {
    _tile_loadd(7, b + kTileElements, 64);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (row_tiles == 2) _tile_dpbf16ps(3, 5, 7);
  }
}

using Sums = float[kBlockRows][kBf16Panel];

/// One block of c.
template <int row_tiles, int column_tiles>
inline void sum_block(const Bf16GemmView& view, const Bf16* a, const Bf16* b, std::int64_t rows, Sums& sums) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  const std::int64_t whole = view.k / kBf16Depth * kBf16Depth;
  for (std::int64_t o = 0; o < view.outer; ++o) {
    const Bf16* const from = a + o * view.a_outer;
    const Bf16* right = b + o * view.b_outer;
    for (std::int64_t l = 0; l < whole; l += kBf16Depth) {
      multiply_tiles<row_tiles, column_tiles>(from + l, view.a_row * 2, right);
      right += 2 * kTileElements;
    }
    if (whole == view.k) continue;
    Tail tail;
    tail.copy(from + whole, view.a_row, rows, view.k - whole);
    multiply_tiles<row_tiles, column_tiles>(tail.rows[0], 64, right);
  }
  _tile_stored(0, &sums[0][0], sizeof sums[0]);
  if constexpr (column_tiles == 2) _tile_stored(1, &sums[0][kTileSize], sizeof sums[0]);
  if constexpr (row_tiles == 2) _tile_stored(2, &sums[kTileSize][0], sizeof sums[0]);
  if constexpr (row_tiles == 2 && column_tiles == 2) _tile_stored(3, &sums[kTileSize][kTileSize], sizeof sums[0]);
}

/// Sums to c: `at` is where the block begins in c and saved, `column` its first column.
inline void finish_block(const Bf16GemmView& view, const Sums& sums, std::int64_t at, std::int64_t rows,
                         std::int64_t column, std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) {
    float* const c = view.c + at + r * view.c_row;
    for (std::int64_t j = 0; j < columns; j += kWidth) {
      const std::int64_t count = columns - j < kWidth ? columns - j : kWidth;
      Vector total = load(&sums[r][j]);
      if (view.add_to_c) total = add(load_first(c + j, count), total);
      if (view.bias != nullptr) total = add(total, load_first(view.bias + column + j, count));
      store_first(c + j, count, total);
    }
    activate(view.activation, c, columns);
    if (view.derivative != Activation::none) {
      activate_gradient(view.derivative, c, view.saved + at + r * view.c_row, columns);
    }
  }
}

using SumBlock = void (*)(const Bf16GemmView& view, const Bf16* a, const Bf16* b, std::int64_t rows, Sums& sums);

constexpr SumBlock kSumBlock[2][2] = {{sum_block<1, 1>, sum_block<1, 2>}, {sum_block<2, 1>, sum_block<2, 2>}};

/// Rows [begin, end) of all groups, `step` at a time, with the columns of one panel.
inline void run_panel_rows(const Bf16GemmView& view, std::int64_t column, std::int64_t begin, std::int64_t end,
                           std::int64_t step) {
  const std::int64_t columns = view.n - column < kBf16Panel ? view.n - column : kBf16Panel;
  const SumBlock sum = kSumBlock[step > kTileSize ? 1 : 0][columns > kTileSize ? 1 : 0];
  const Bf16* const b = view.b + column / kBf16Panel * view.b_panel;
  alignas(64) Sums sums;
  for (std::int64_t group = 0; group < view.groups; ++group) {
    for (std::int64_t row = begin; row < end; row += step) {
      sum(view, view.a + group * view.a_group + row * view.a_row, b, step, sums);
      finish_block(view, sums, group * view.c_group + row * view.c_row + column, step, column, columns);
    }
  }
}

/// Whole blocks of all groups, then what is left of each: the shape of the tiles changes twice in a panel.
void bf16_gemm(const Bf16GemmView& view) {
  const std::int64_t whole = view.m / kBlockRows * kBlockRows;
  for (std::int64_t column = 0; column < view.n; column += kBf16Panel) {
    if (whole > 0) {
      shape_tiles(kBlockRows);
      run_panel_rows(view, column, 0, whole, kBlockRows);
    }
    if (whole < view.m) {
      shape_tiles(view.m - whole);
      run_panel_rows(view, column, whole, view.m, view.m - whole);
    }
  }
  _tile_release();
}

}  // namespace
}  // namespace regatta::engine::cpu

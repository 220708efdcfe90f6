// The matrix product, for whichever vector header was included first. Tiles run over k in blocks; each
// element of c is one chain of multiply-adds per block, and blocks are added in order. Both depend on k
// and outer only, not on where an element lies.
#pragma once

#include "engine/cpu/gemm_tile.hpp"

namespace regatta::engine::cpu {
namespace {

constexpr std::int64_t kBlockDepth = 192;  ///< of k: a panel of this depth stays in the first-level cache

/// Activations that need more than a few instructions run over a finished tile.
inline void apply_functions(const GemmView& view, float* c, std::int64_t row, std::int64_t column, std::int64_t rows,
                            std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) {
    activate(view.activation, c + r * view.c_row, columns);
    if (view.derivative == Activation::none) continue;
    activate_gradient(view.derivative, c + r * view.c_row, view.saved + (row + r) * view.saved_row + column, columns);
  }
}

constexpr bool in_registers(Activation activation) {
  return activation == Activation::none || activation == Activation::relu;
}

/// All tiles of one block of the sum. `tile` holds the block's place in a and b.
inline void run_block(const GemmView& view, Tile tile, bool last_block) {
  const std::int64_t panels_at_once = view.m <= kWideTileRows && view.n > kPanel ? 2 : 1;
  const std::int64_t tiles = (view.m + kTileRows - 1) / kTileRows;
  const bool functions = last_block && !(in_registers(view.activation) && in_registers(view.derivative));
  const float* const a = tile.a;
  const float* const b = tile.b;
  tile.rectify = last_block && view.activation == Activation::relu;
  const bool masks = last_block && view.derivative == Activation::relu;
  for (std::int64_t column = 0; column < view.n; column += panels_at_once * kPanel) {
    const std::int64_t left = view.n - column;
    const std::int64_t columns = left < panels_at_once * kPanel ? left : panels_at_once * kPanel;
    const std::int64_t vectors = (columns + kWidth - 1) / kWidth;
    tile.last_columns = columns - (vectors - 1) * kWidth;
    tile.b = b + column / kPanel * view.b_panel;
    tile.bias = last_block && view.bias != nullptr ? view.bias + column : nullptr;
    std::int64_t row = 0;
    for (std::int64_t i = 0; i < tiles; ++i) {
      const std::int64_t rows = (view.m - row + tiles - i - 1) / (tiles - i);  // even heights
      tile.a = a + row * view.a_row;
      tile.c = view.c + row * view.c_row + column;
      tile.saved = masks ? view.saved + row * view.saved_row + column : nullptr;
      tile_kernel(rows, vectors, tile.last_columns != kWidth)(tile);
      if (functions) apply_functions(view, tile.c, row, column, rows, columns);
      row += rows;
    }
  }
}

void gemm(const GemmView& view) {
  Tile tile{};
  tile.a_row = view.a_row;
  tile.a_k = view.a_k;
  tile.a_outer = view.a_outer;
  tile.b_k = view.b_k;
  tile.b_panel = view.b_panel;
  tile.b_outer = view.b_outer;
  tile.c_row = view.c_row;
  tile.saved_row = view.saved_row;
  const std::int64_t blocks = (view.k + kBlockDepth - 1) / kBlockDepth;  // of one outer step
  const std::int64_t depth = (view.k + blocks - 1) / blocks;
  const std::int64_t group = blocks > 1 ? 1 : (kBlockDepth + view.k - 1) / view.k;  // outer steps of one block
  for (std::int64_t o = 0; o < view.outer; o += group) {
    tile.outer = view.outer - o < group ? view.outer - o : group;
    for (std::int64_t l = 0; l < view.k; l += depth) {
      tile.k = view.k - l < depth ? view.k - l : depth;
      tile.a = view.a + o * view.a_outer + l * view.a_k;
      tile.b = view.b + o * view.b_outer + l * view.b_k;
      tile.add_to_c = view.add_to_c || o + l > 0;
      run_block(view, tile, o + group >= view.outer && l + depth >= view.k);
    }
  }
}

void pack(const PackView& view) {
  for (std::int64_t panel = view.first_panel; panel < view.end_panel; ++panel) {
    const std::int64_t column = panel * kPanel;
    const std::int64_t columns = view.n - column < kPanel ? view.n - column : kPanel;
    const float* const from = view.b + column * view.column_stride;
    float* const to = view.panels + panel * view.k * kPanel;
    if (view.column_stride == 1 && columns == kPanel) {
      for (std::int64_t l = 0; l < view.k; ++l) {
        for (int v = 0; v < kTileVectors; ++v) {
          store(to + l * kPanel + v * kWidth, load(from + l * view.row_stride + v * kWidth));
        }
      }
      continue;
    }
    for (std::int64_t l = 0; l < view.k; ++l) {
      for (std::int64_t j = 0; j < kPanel; ++j) {
        to[l * kPanel + j] = j < columns ? from[l * view.row_stride + j * view.column_stride] : 0.0F;
      }
    }
  }
}

/// Products of rows with one vector: the sum of lanes, whose order depends on k only.
void dots(const GemmView& view) {
  const std::int64_t whole = view.k / kWidth * kWidth;
  const std::int64_t rest = view.k - whole;
  for (std::int64_t i = 0; i < view.m; ++i) {
    const float* const row = view.a + i * view.a_row;
    Vector lanes = zero();
    for (std::int64_t l = 0; l < whole; l += kWidth) lanes = multiply_add(load(row + l), load(view.b + l), lanes);
    if (rest > 0) lanes = multiply_add(load_first(row + whole, rest), load_first(view.b + whole, rest), lanes);
    float total = sum(lanes);
    if (view.bias != nullptr) total += *view.bias;
    view.c[i * view.c_row] = total;
  }
  if (view.activation == Activation::none && view.derivative == Activation::none) return;
  for (std::int64_t i = 0; i < view.m; ++i) {
    activate(view.activation, view.c + i * view.c_row, 1);
    if (view.derivative == Activation::none) continue;
    activate_gradient(view.derivative, view.c + i * view.c_row, view.saved + i * view.saved_row, 1);
  }
}

}  // namespace
}  // namespace regatta::engine::cpu

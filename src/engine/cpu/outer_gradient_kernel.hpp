// The gradient of a layer whose data's gradient is a column times a row, for whichever vector header was included
// first: each row of that product is made in registers and read by all sums there.
#pragma once

#include "engine/cpu/gemm_kernel.hpp"

namespace regatta::engine::cpu {
namespace {

/// Columns of one tile: kTileVectors vectors from `first` on, each with so many of them.
struct TileColumns {
  std::int64_t first;
  std::int64_t count[kTileVectors];
};

inline TileColumns tile_columns(std::int64_t first, std::int64_t n) {
  TileColumns columns{first, {}};
  for (int v = 0; v < kTileVectors; ++v) {
    const std::int64_t left = n - first - v * kWidth;
    columns.count[v] = left < 0 ? 0 : left < kWidth ? left : kWidth;
  }
  return columns;
}

/// Rows [row, end_row) of the sum, one block, for `rows` rows of c.
template <int rows, bool masks>
inline void outer_gradient_block(const OuterGradientView& view, const TileColumns& columns, std::int64_t row,
                                 std::int64_t end_row) {
  const bool onto = view.add_to_c || row > 0;
  const std::int64_t first = columns.first;
  Vector right[kTileVectors], column_sums[kTileVectors], sums[rows][kTileVectors];
  REGATTA_UNROLL
  for (int v = 0; v < kTileVectors; ++v) {
    right[v] = load_first(view.row + first + v * kWidth, columns.count[v]);
    column_sums[v] =
        onto && view.sums != nullptr ? load_first(view.sums + first + v * kWidth, columns.count[v]) : zero();
    REGATTA_UNROLL
    for (int r = 0; r < rows; ++r) sums[r][v] = zero();
  }
  const float* a = view.a + row * view.a_k;
  const float* saved = masks ? view.saved + row * view.n + first : nullptr;
  for (std::int64_t l = row; l < end_row; ++l, a += view.a_k) {
    const Vector left = broadcast(view.column[l]);
    Vector b[kTileVectors];
    REGATTA_UNROLL
    for (int v = 0; v < kTileVectors; ++v) {
      b[v] = mul(left, right[v]);
      if constexpr (masks) {
        b[v] = through_derivative<Activation::relu>(b[v], load_first(saved + v * kWidth, columns.count[v]));
      }
      column_sums[v] = add(column_sums[v], b[v]);
    }
    if constexpr (masks) saved += view.n;
    REGATTA_UNROLL
    for (int r = 0; r < rows; ++r) {
      REGATTA_UNROLL
      for (int v = 0; v < kTileVectors; ++v) sums[r][v] = multiply_add(broadcast(a[r]), b[v], sums[r][v]);
    }
  }
  REGATTA_UNROLL
  for (int v = 0; v < kTileVectors; ++v) {
    if (view.sums != nullptr) store_first(view.sums + first + v * kWidth, columns.count[v], column_sums[v]);
    REGATTA_UNROLL
    for (int r = 0; r < rows; ++r) {
      float* const c = view.c + r * view.n + first + v * kWidth;
      store_first(c, columns.count[v], onto ? add(load_first(c, columns.count[v]), sums[r][v]) : sums[r][v]);
    }
  }
}

template <int rows>
void outer_gradient_rows(const OuterGradientView& view) {
  const std::int64_t blocks = (view.k + kBlockDepth - 1) / kBlockDepth;
  const std::int64_t depth = (view.k + blocks - 1) / blocks;
  for (std::int64_t column = 0; column < view.n; column += kPanel) {
    const TileColumns columns = tile_columns(column, view.n);
    for (std::int64_t row = 0; row < view.k; row += depth) {
      const std::int64_t end_row = view.k - row < depth ? view.k : row + depth;
      if (view.saved != nullptr) {
        outer_gradient_block<rows, true>(view, columns, row, end_row);
      } else {
        outer_gradient_block<rows, false>(view, columns, row, end_row);
      }
    }
  }
}

using OuterGradient = void (*)(const OuterGradientView&);

template <int size>
struct OuterGradients {
  OuterGradient by_rows[size];
};

template <int... row>
constexpr OuterGradients<sizeof...(row)> outer_gradients() {
  return {{outer_gradient_rows<row>...}};
}

constexpr auto all_outer_gradients() {
  if constexpr (kTileRows == 13) {
    return outer_gradients<1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13>();
  } else if constexpr (kTileRows == 6) {
    return outer_gradients<1, 2, 3, 4, 5, 6>();
  } else {
    return outer_gradients<1, 2, 3, 4, 5>();
  }
}

constexpr auto kOuterGradients = all_outer_gradients();

void outer_gradient(const OuterGradientView& view) {
  OuterGradientView tile = view;
  const std::int64_t tiles = (view.m + kTileRows - 1) / kTileRows;
  std::int64_t row = 0;
  for (std::int64_t i = 0; i < tiles; ++i) {
    tile.m = (view.m - row + tiles - i - 1) / (tiles - i);  // even heights
    tile.a = view.a + row;
    tile.c = view.c + row * view.n;
    tile.sums = i == 0 ? view.sums : nullptr;
    kOuterGradients.by_rows[tile.m - 1](tile);
    row += tile.m;
  }
}

}  // namespace
}  // namespace regatta::engine::cpu

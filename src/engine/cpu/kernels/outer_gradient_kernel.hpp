// The gradient of a layer whose data's gradient is a column times a row, for whichever vector header was included
// first: each row of that product is made in registers and read by all sums there.
#pragma once

#include "engine/cpu/kernels/gemm_kernel.hpp"

namespace regatta::engine::cpu {
namespace {

/// Rows [row, end_row) of the sum, one block, for `rows` rows of c and its columns from `first` on: `vectors` vectors,
/// the last of which has `last` of them.
template <int rows, int vectors, bool masks>
inline void outer_gradient_block(const OuterGradientView& view, std::int64_t first, std::int64_t last, std::int64_t row,
                                 std::int64_t end_row) {
  const bool onto = view.add_to_c || row > 0;
  const auto count = [last](int v) { return v < vectors - 1 ? kWidth : last; };
  Vector right[vectors], column_sums[vectors], sums[rows][vectors];
  REGATTA_UNROLL
  for (int v = 0; v < vectors; ++v) {
    right[v] = load_first(view.row + first + v * kWidth, count(v));
    column_sums[v] = onto && view.sums != nullptr ? load_first(view.sums + first + v * kWidth, count(v)) : zero();
    REGATTA_UNROLL
    for (int r = 0; r < rows; ++r) sums[r][v] = zero();
  }
  const float* a = view.a + row * view.a_k;
  const float* saved = masks ? view.saved + row * view.n + first : nullptr;
  for (std::int64_t l = row; l < end_row; ++l, a += view.a_k) {
    const Vector left = broadcast(view.column[l]);
    Vector b[vectors];
    REGATTA_UNROLL
    for (int v = 0; v < vectors; ++v) {
      b[v] = multiply_add(left, right[v], zero());
      if constexpr (masks) {
        b[v] = through_derivative<Activation::relu>(b[v], load_first(saved + v * kWidth, count(v)));
      }
      column_sums[v] = add(column_sums[v], b[v]);
    }
    if constexpr (masks) saved += view.n;
    REGATTA_UNROLL
    for (int r = 0; r < rows; ++r) {
      REGATTA_UNROLL
      for (int v = 0; v < vectors; ++v) sums[r][v] = multiply_add(broadcast(a[r]), b[v], sums[r][v]);
    }
  }
  REGATTA_UNROLL
  for (int v = 0; v < vectors; ++v) {
    if (view.sums != nullptr) store_first(view.sums + first + v * kWidth, count(v), column_sums[v]);
    REGATTA_UNROLL
    for (int r = 0; r < rows; ++r) {
      float* const c = view.c + r * view.n + first + v * kWidth;
      store_first(c, count(v), onto ? add(load_first(c, count(v)), sums[r][v]) : sums[r][v]);
    }
  }
}

/// One pass over the rows of the sum, block by block.
template <int rows, int vectors>
inline void outer_gradient_columns(const OuterGradientView& view, std::int64_t first, std::int64_t last) {
  const std::int64_t blocks = (view.k + kBlockDepth - 1) / kBlockDepth;
  const std::int64_t depth = (view.k + blocks - 1) / blocks;
  for (std::int64_t row = 0; row < view.k; row += depth) {
    const std::int64_t end_row = view.k - row < depth ? view.k : row + depth;
    if (view.saved != nullptr) {
      outer_gradient_block<rows, vectors, true>(view, first, last, row, end_row);
    } else {
      outer_gradient_block<rows, vectors, false>(view, first, last, row, end_row);
    }
  }
}

template <int rows>
void outer_gradient_rows(const OuterGradientView& view) {
  static_assert(kTileVectors == 2);
  for (std::int64_t column = 0; column < view.n; column += kPanel) {
    const std::int64_t left = view.n - column < kPanel ? view.n - column : kPanel;
    if (left > kWidth) {
      outer_gradient_columns<rows, 2>(view, column, left - kWidth);
    } else {
      outer_gradient_columns<rows, 1>(view, column, left);
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

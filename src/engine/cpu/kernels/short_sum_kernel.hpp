// Matrix products whose sums have a few terms, for whichever vector header was included first: tiles begin and end so
// often that all of them run in one loop, with the bias in registers. The order of a sum is that of gemm.
#pragma once

#include "engine/cpu/kernels/gemm_tile.hpp"

namespace regatta::engine::cpu {
namespace {

constexpr std::int64_t kFewTerms = 16;
constexpr int kShortTileRows = kWideTileRows == 6 ? 4 : 2;  // with kWideVectors, b and the bias beside them

/// Rows of a dense layer that are wider than a panel.
inline bool is_short_sum(const GemmView& view) {
  const bool plain = view.saved == nullptr && !view.add_to_c && view.finish && view.groups == 1 && view.outer == 1;
  const bool ends_here = view.activation == Activation::none || view.activation == Activation::relu;
  return plain && ends_here && view.k <= kFewTerms && view.n > kPanel;
}

/// Columns of one pass: `b` and `c` point to the first of them, and the last vector has `last` of them.
struct ShortColumns {
  const float* b;
  float* c;
  std::int64_t last;
};

template <int vectors>
inline Vector load_of_b(const GemmView& view, const ShortColumns& columns, const float* row, int v) {
  const float* const p = row + (v / kTileVectors) * view.b_panel + (v % kTileVectors) * kWidth;
  if constexpr (kMaskedLoads) {
    if (v == vectors - 1) return load_first(p, columns.last);
  }
  return load(p);  // where loads cannot be masked, panels are packed and padded
}

/// `biased`: there is a bias, which these vectors hold.
template <int rows, int vectors, bool biased>
inline void short_sum_tile(const GemmView& view, const ShortColumns& columns, std::int64_t row,
                           const Vector (&bias)[vectors]) {
  const float* const a = view.a + row * view.a_row;
  const float* b = columns.b;
  Vector sums[rows][vectors];
  REGATTA_UNROLL
  for (int r = 0; r < rows; ++r) {
    REGATTA_UNROLL
    for (int v = 0; v < vectors; ++v) sums[r][v] = zero();
  }
  for (std::int64_t l = 0; l < view.k; ++l, b += view.b_k) {
    Vector right[vectors];
    REGATTA_UNROLL
    for (int v = 0; v < vectors; ++v) right[v] = load_of_b<vectors>(view, columns, b, v);
    REGATTA_UNROLL
    for (int r = 0; r < rows; ++r) {
      const Vector left = broadcast(a[r * view.a_row + l * view.a_k]);
      REGATTA_UNROLL
      for (int v = 0; v < vectors; ++v) sums[r][v] = multiply_add(left, right[v], sums[r][v]);
    }
  }
  REGATTA_UNROLL
  for (int r = 0; r < rows; ++r) {
    float* const c = columns.c + (row + r) * view.c_row;
    REGATTA_UNROLL
    for (int v = 0; v < vectors; ++v) {
      Vector total = biased ? add(sums[r][v], bias[v]) : sums[r][v];
      if (view.activation == Activation::relu) total = rectify(total);
      if (v < vectors - 1) {
        store(c + v * kWidth, total);
      } else {
        store_first(c + v * kWidth, columns.last, total);
      }
    }
  }
}

template <int vectors, bool biased>
inline void short_sum_columns(const GemmView& whole, std::int64_t column, std::int64_t last) {
  const GemmView view = whole;  // nothing that is stored can change it
  const ShortColumns columns{view.b + column / kPanel * view.b_panel, view.c + column, last};
  Vector bias[vectors];
  REGATTA_UNROLL
  for (int v = 0; v < vectors; ++v) {
    bias[v] = biased ? load_first(view.bias + column + v * kWidth, v < vectors - 1 ? kWidth : last) : zero();
  }
  std::int64_t row = 0;
  for (; row + kShortTileRows <= view.m; row += kShortTileRows) {
    short_sum_tile<kShortTileRows, vectors, biased>(view, columns, row, bias);
  }
  for (; row < view.m; ++row) short_sum_tile<1, vectors, biased>(view, columns, row, bias);
}

template <bool biased>
inline void short_sum_all(const GemmView& view) {
  for (std::int64_t column = 0; column < view.n; column += kWideVectors * kWidth) {
    const std::int64_t left = view.n - column < kWideVectors * kWidth ? view.n - column : kWideVectors * kWidth;
    const std::int64_t last = (left - 1) % kWidth + 1;
    switch ((left + kWidth - 1) / kWidth) {
      case 1:
        short_sum_columns<1, biased>(view, column, last);
        break;
      case 2:
        short_sum_columns<2, biased>(view, column, last);
        break;
      case 3:
        short_sum_columns<3, biased>(view, column, last);
        break;
      default:
        short_sum_columns<4, biased>(view, column, last);
    }
  }
}

void short_sums(const GemmView& view) {
  if (view.bias != nullptr) {
    short_sum_all<true>(view);
  } else {
    short_sum_all<false>(view);
  }
}

}  // namespace
}  // namespace regatta::engine::cpu

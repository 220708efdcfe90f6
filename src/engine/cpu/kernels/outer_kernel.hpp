// Products of a column and a row, for whichever vector header was included first.
#pragma once

#include "engine/cpu/kernels/gemm_tile.hpp"

namespace regatta::engine::cpu {
namespace {

/// `vectors` vectors of columns from `column` on, the last of which has `last` of them; all rows.
template <int vectors, bool masks>
inline void outer_columns(const GemmView& view, std::int64_t column, std::int64_t last) {
  Vector right[vectors];
  REGATTA_UNROLL
  for (int v = 0; v < vectors; ++v) {
    right[v] = load_first(view.b + column + v * kWidth, v < vectors - 1 ? kWidth : last);
  }
  for (std::int64_t row = 0; row < view.m; ++row) {
    const Vector left = broadcast(view.a[row * view.a_row]);
    float* const c = view.c + row * view.c_row + column;
    const float* saved = nullptr;
    if constexpr (masks) saved = view.saved + row * view.saved_row + column;
    REGATTA_UNROLL
    for (int v = 0; v < vectors; ++v) {
      const std::int64_t count = v < vectors - 1 ? kWidth : last;
      Vector total = multiply_add(left, right[v], zero());  // as a sum: a zero loses its sign
      if constexpr (masks) total = through_derivative<Activation::relu>(total, load_first(saved + v * kWidth, count));
      store_first(c + v * kWidth, count, total);
    }
  }
}

template <bool masks>
inline void outer_all(const GemmView& view) {
  constexpr std::int64_t kAtOnce = 4;
  for (std::int64_t column = 0; column < view.n; column += kAtOnce * kWidth) {
    const std::int64_t left = view.n - column < kAtOnce * kWidth ? view.n - column : kAtOnce * kWidth;
    const std::int64_t last = (left - 1) % kWidth + 1;
    switch ((left + kWidth - 1) / kWidth) {
      case 1:
        outer_columns<1, masks>(view, column, last);
        break;
      case 2:
        outer_columns<2, masks>(view, column, last);
        break;
      case 3:
        outer_columns<3, masks>(view, column, last);
        break;
      default:
        outer_columns<4, masks>(view, column, last);
    }
  }
}

/// c(m, n) = a(m) b(n), b as it lies, and nothing else but the derivative of relu.
void outer_product(const GemmView& view) {
  if (view.derivative == Activation::relu) {
    outer_all<true>(view);
  } else {
    outer_all<false>(view);
  }
}

}  // namespace
}  // namespace regatta::engine::cpu

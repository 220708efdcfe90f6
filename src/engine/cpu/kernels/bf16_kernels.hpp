// Products of operands rounded to bfloat16, summed in fp32: a part of KernelTable where the processor has tile
// registers (AMX). Only plain types, as there. Rounding is to the nearest, ties to even; numbers below fp32's normal
// range become zero (Intel's manual, volume 2: VCVTNE2PS2BF16, TDPBF16PS).
#pragma once

#include <cstdint>

#include "regatta/engine/ops.hpp"

namespace regatta::engine::cpu {

using Bf16 = std::uint16_t;  ///< the upper half of an fp32

inline constexpr std::int64_t kBf16Depth = 32;  ///< terms of a sum that one product of tiles takes
inline constexpr std::int64_t kBf16Panel = 32;  ///< columns of a panel of b: two tiles

/// Elements of a panel of b(k, ...): pairs of rows interleaved, 32 rows of 16 columns a tile; zeros beyond k.
constexpr std::int64_t bf16_panel_size(std::int64_t k) {
  return (k + kBf16Depth - 1) / kBf16Depth * kBf16Depth * kBf16Panel;
}

/// to(rows, columns) = from(rows, columns), or its transpose to(columns, rows); what is left of `to_columns` in a row
/// becomes zero. Strides count elements.
struct Bf16CopyView {
  const float* from;
  std::int64_t from_row;
  std::int64_t rows, columns;
  Bf16* to;
  std::int64_t to_row, to_columns;
};

/// Panels [first_panel, end_panel) of b(k, n), element (row, column) at b[row * row_stride + column * column_stride];
/// one of both strides is 1. Rows beyond k, up to whole tiles, and columns beyond n are zeros.
struct Bf16PackView {
  const float* b;
  std::int64_t k, n, row_stride, column_stride;
  std::int64_t first_panel, end_panel;
  Bf16* panels;             ///< address of panel 0
  std::int64_t panel_size;  ///< elements between panels
};

/// c(m, n) = sum over outer and k of a(m; outer, k) b(outer, k; n), then the epilogue, as GemmView. Rows of a may
/// overlap; nothing of a is read beyond k. Each element of c is one chain over outer and k, whatever m and n.
struct Bf16GemmView {
  std::int64_t m, n, k;
  std::int64_t outer = 1;
  const Bf16* a;
  std::int64_t a_row, a_outer = 0;
  const Bf16* b;  ///< panels
  std::int64_t b_panel, b_outer = 0;
  float* c;
  std::int64_t c_row;
  const float* bias = nullptr;
  Activation activation = Activation::none;
  const float* saved = nullptr;  ///< lies as c does
  Activation derivative = Activation::none;
  std::int64_t groups = 1, a_group = 0, c_group = 0;
  bool add_to_c = false;
};

struct Bf16Kernels {
  void (*copy)(const Bf16CopyView& view);
  void (*copy_transposed)(const Bf16CopyView& view);
  void (*pack)(const Bf16PackView& view);
  void (*gemm)(const Bf16GemmView& view);
};

}  // namespace regatta::engine::cpu

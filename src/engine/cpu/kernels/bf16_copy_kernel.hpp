// Rounding to bfloat16 on the way to the layouts that products of tiles read. For kernels_amx.cpp only.
#pragma once

#include <immintrin.h>

#include "engine/cpu/kernels/bf16_kernels.hpp"

namespace regatta::engine::cpu {
namespace {

constexpr std::int64_t kTileLines = 16;  // rows of a tile, 64 bytes each

/// 16 rows of 64 bytes.
struct Block {
  __m512i lines[kTileLines];
};

inline __mmask16 first_lanes(std::int64_t n) { return n >= 16 ? 0xffff : static_cast<__mmask16>((1U << n) - 1U); }
inline __mmask32 first_halves(std::int64_t n) { return n >= 32 ? ~0U : (1U << n) - 1U; }

inline __m512 load_lanes(const float* from, std::int64_t n) {
  return n <= 0 ? _mm512_setzero_ps() : _mm512_maskz_loadu_ps(first_lanes(n), from);
}

/// 32 numbers, in order.
inline __m512i rounded(__m512 low, __m512 high) { return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low)); }

inline __m512i rounded_row(const float* from, std::int64_t columns) {
  return rounded(load_lanes(from, columns), load_lanes(from + 16, columns - 16));
}

/// Up to 16 rows of up to 32 columns, as they lie.
inline void load_rows(const float* from, std::int64_t stride, std::int64_t rows, std::int64_t columns, Block& block) {
  for (std::int64_t r = 0; r < kTileLines; ++r) {
    block.lines[r] = r < rows ? rounded_row(from + r * stride, columns) : _mm512_setzero_si512();
  }
}

/// Up to 32 rows of up to 16 columns: line i holds rows 2 i and 2 i + 1, interleaved.
inline void load_pairs(const float* from, std::int64_t stride, std::int64_t rows, std::int64_t columns, Block& block) {
  const __m512i apart = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6, 21,
                                         5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  for (std::int64_t i = 0; i < kTileLines; ++i) {
    const float* const even = from + 2 * i * stride;
    const __m512 first = load_lanes(even, 2 * i < rows ? columns : 0);
    const __m512 second = 2 * i + 1 < rows ? load_lanes(even + stride, columns) : _mm512_setzero_ps();
    block.lines[i] = _mm512_maskz_permutexvar_epi16(~0U, apart, rounded(first, second));
  }
}

/// 16 x 16 pairs: between lines of pairs along a row and lines of pairs along a column.
inline void transpose(Block& block) {
  __m512i* const x = block.lines;
  __m512i y[kTileLines];
  constexpr __mmask16 kAll = 0xffff;
  constexpr __mmask8 kAll8 = 0xff;
  for (int i = 0; i < 16; i += 2) {
    y[i] = _mm512_maskz_unpacklo_epi32(kAll, x[i], x[i + 1]);
    y[i + 1] = _mm512_maskz_unpackhi_epi32(kAll, x[i], x[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {  // x[i + j]: column j of each quarter, of rows i to i + 3
    x[i] = _mm512_maskz_unpacklo_epi64(kAll8, y[i], y[i + 2]);
    x[i + 1] = _mm512_maskz_unpackhi_epi64(kAll8, y[i], y[i + 2]);
    x[i + 2] = _mm512_maskz_unpacklo_epi64(kAll8, y[i + 1], y[i + 3]);
    x[i + 3] = _mm512_maskz_unpackhi_epi64(kAll8, y[i + 1], y[i + 3]);
  }
  for (int j = 0; j < 4; ++j) {
    const __m512i low = _mm512_maskz_shuffle_i32x4(kAll, x[j], x[4 + j], 0x88);
    const __m512i high = _mm512_maskz_shuffle_i32x4(kAll, x[j], x[4 + j], 0xdd);
    const __m512i low2 = _mm512_maskz_shuffle_i32x4(kAll, x[8 + j], x[12 + j], 0x88);
    const __m512i high2 = _mm512_maskz_shuffle_i32x4(kAll, x[8 + j], x[12 + j], 0xdd);
    y[j] = _mm512_maskz_shuffle_i32x4(kAll, low, low2, 0x88);
    y[8 + j] = _mm512_maskz_shuffle_i32x4(kAll, low, low2, 0xdd);
    y[4 + j] = _mm512_maskz_shuffle_i32x4(kAll, high, high2, 0x88);
    y[12 + j] = _mm512_maskz_shuffle_i32x4(kAll, high, high2, 0xdd);
  }
  for (int i = 0; i < 16; ++i) x[i] = y[i];
}

/// `columns` elements of `rows` lines.
inline void store_lines(const Block& block, Bf16* to, std::int64_t stride, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) {
    _mm512_mask_storeu_epi16(to + r * stride, first_halves(columns), block.lines[r]);
  }
}

void bf16_copy(const Bf16CopyView& view) {
  for (std::int64_t r = 0; r < view.rows; ++r) {
    for (std::int64_t j = 0; j < view.to_columns; j += 32) {
      _mm512_mask_storeu_epi16(view.to + r * view.to_row + j, first_halves(view.to_columns - j),
                               rounded_row(view.from + r * view.from_row + j, view.columns - j));
    }
  }
}

void bf16_copy_transposed(const Bf16CopyView& view) {
  Block block;
  for (std::int64_t r = 0; r < view.to_columns; r += 32) {
    for (std::int64_t j = 0; j < view.columns; j += 16) {
      const std::int64_t columns = view.columns - j < 16 ? view.columns - j : 16;
      load_pairs(view.from + r * view.from_row + j, view.from_row, view.rows - r, columns, block);
      transpose(block);
      store_lines(block, view.to + j * view.to_row + r, view.to_row, columns, view.to_columns - r);
    }
  }
}

void bf16_pack(const Bf16PackView& view) {
  Block block;
  for (std::int64_t panel = view.first_panel; panel < view.end_panel; ++panel) {
    Bf16* to = view.panels + panel * view.panel_size;
    for (std::int64_t l = 0; l < view.k; l += kBf16Depth) {
      for (std::int64_t j = panel * kBf16Panel; j < (panel + 1) * kBf16Panel; j += 16) {
        const float* const from = view.b + l * view.row_stride + j * view.column_stride;
        if (view.column_stride == 1) {
          load_pairs(from, view.row_stride, view.k - l, view.n - j, block);
        } else {
          load_rows(from, view.column_stride, view.n - j, view.k - l, block);
          transpose(block);
        }
        store_lines(block, to, 32, kTileLines, 32);
        to += kTileLines * 32;
      }
    }
  }
}

}  // namespace
}  // namespace regatta::engine::cpu

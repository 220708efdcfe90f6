// The matrix product, for whichever vector header was included first. A register tile of kTileRows x
// kTileVectors sums runs over k in blocks; each element of c is one chain of multiply-adds per block,
// and blocks are added in order. Both depend on k and outer only, not on where an element lies.
#pragma once

#include "engine/cpu/activation_kernel.hpp"
#include "engine/cpu/kernel_table.hpp"

#if defined(__clang__)
#define REGATTA_UNROLL _Pragma("clang loop unroll(full)")
#else
#define REGATTA_UNROLL _Pragma("GCC unroll 16")
#endif

namespace regatta::engine::cpu {
namespace {

constexpr std::int64_t kPanel = kTileVectors * kWidth;
constexpr int kWideVectors = 2 * kTileVectors;
constexpr std::int64_t kBlockDepth = 192;  ///< of k: a panel of this depth stays in the first-level cache

/// One register tile: c(rows, vectors * kWidth) (+)= a(rows, depth) b(depth, ...).
struct Tile {
  const float* a;
  std::int64_t a_row, a_k, a_outer;
  const float* b;
  std::int64_t b_k, b_panel, b_outer;
  float* c;
  std::int64_t c_row;
  std::int64_t outer, k;
  std::int64_t last_columns;  ///< of the last vector
  bool add_to_c;              ///< a block of k after the first
  bool rectify;
  const float* bias;  ///< null: none, or not yet
  const float* saved;
  std::int64_t saved_row;
};

template <bool partial>
inline Vector load_last(const float* p, std::int64_t columns) {
  if constexpr (partial) return load_first(p, columns);
  return load(p);
}

/// Vector `v` of a row of b: panels may lie apart.
template <bool partial, int vectors>
inline Vector load_b(const Tile& t, const float* row, int v) {
  const float* const p = row + (v / kTileVectors) * t.b_panel + (v % kTileVectors) * kWidth;
  if constexpr (partial && kMaskedLoads) {
    if (v == vectors - 1) return load_first(p, t.last_columns);
  }
  return load(p);  // where loads cannot be masked, panels are packed and padded
}

template <int rows, int vectors, bool partial>
inline void accumulate(const Tile& t, Vector (&sums)[rows][vectors]) {
  const std::int64_t stride = t.a_row;
  for (std::int64_t o = 0; o < t.outer; ++o) {
    const float* a[(rows + 2) / 3];  // each third row: the others are one or two strides away
    REGATTA_UNROLL
    for (int r = 0; r < rows; r += 3) a[r / 3] = t.a + o * t.a_outer + r * stride;
    const float* b = t.b + o * t.b_outer;
    for (std::int64_t l = 0; l < t.k; ++l) {
      Vector right[vectors];
      REGATTA_UNROLL
      for (int v = 0; v < vectors; ++v) right[v] = load_b<partial, vectors>(t, b, v);
      REGATTA_UNROLL
      for (int r = 0; r < rows; ++r) {
        const Vector left = broadcast(a[r / 3][(r % 3) * stride]);
        REGATTA_UNROLL
        for (int v = 0; v < vectors; ++v) sums[r][v] = multiply_add(left, right[v], sums[r][v]);
      }
      REGATTA_UNROLL
      for (int r = 0; r < rows; r += 3) a[r / 3] += t.a_k;
      b += t.b_k;
    }
  }
}

template <bool partial>
inline void finish(const Tile& t, int row, int v, Vector total) {
  float* const c = t.c + row * t.c_row + v * kWidth;
  if (t.add_to_c) total = add(load_last<partial>(c, t.last_columns), total);
  if (t.bias != nullptr) total = add(total, load_last<partial>(t.bias + v * kWidth, t.last_columns));
  if (t.rectify) total = rectify(total);
  if (t.saved != nullptr) {
    const Vector y = load_last<partial>(t.saved + row * t.saved_row + v * kWidth, t.last_columns);
    total = through_derivative<Activation::relu>(total, y);
  }
  if constexpr (partial) {
    store_first(c, t.last_columns, total);
  } else {
    store(c, total);
  }
}

template <int rows, int vectors, bool partial>
void run_tile(const Tile& t) {
  Vector sums[rows][vectors];
  REGATTA_UNROLL
  for (int r = 0; r < rows; ++r) {
    REGATTA_UNROLL
    for (int v = 0; v < vectors; ++v) sums[r][v] = zero();
  }
  accumulate<rows, vectors, partial>(t, sums);
  REGATTA_UNROLL
  for (int r = 0; r < rows; ++r) {
    REGATTA_UNROLL
    for (int v = 0; v < vectors - 1; ++v) finish<false>(t, r, v, sums[r][v]);
    finish<partial>(t, r, vectors - 1, sums[r][vectors - 1]);
  }
}

using TileKernel = void (*)(const Tile&);

template <int size>
struct TileKernels {
  TileKernel by_rows[size];
};

template <int vectors, bool partial, int... row>
constexpr TileKernels<sizeof...(row)> tile_kernels() {
  return {{run_tile<row, vectors, partial>...}};
}

template <int vectors, bool partial>
constexpr auto narrow_kernels() {
  if constexpr (kTileRows == 13) {
    return tile_kernels<vectors, partial, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13>();
  } else if constexpr (kTileRows == 6) {
    return tile_kernels<vectors, partial, 1, 2, 3, 4, 5, 6>();
  } else {
    return tile_kernels<vectors, partial, 1, 2, 3, 4, 5>();
  }
}

template <int vectors, bool partial>
constexpr auto wide_kernels() {
  if constexpr (kWideTileRows == 6) {
    return tile_kernels<vectors, partial, 1, 2, 3, 4, 5, 6>();
  } else {
    return tile_kernels<vectors, partial, 1, 2>();
  }
}

constexpr decltype(narrow_kernels<1, false>()) kNarrow[2][2] = {
    {narrow_kernels<1, false>(), narrow_kernels<1, true>()},
    {narrow_kernels<2, false>(), narrow_kernels<2, true>()},
};
constexpr decltype(wide_kernels<3, false>()) kWide[2][2] = {
    {wide_kernels<3, false>(), wide_kernels<3, true>()},
    {wide_kernels<4, false>(), wide_kernels<4, true>()},
};

inline TileKernel tile_kernel(std::int64_t rows, std::int64_t vectors, bool partial) {
  if (vectors <= kTileVectors) return kNarrow[vectors - 1][partial ? 1 : 0].by_rows[rows - 1];
  return kWide[vectors - 1 - kTileVectors][partial ? 1 : 0].by_rows[rows - 1];
}

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
      tile.add_to_c = o + l > 0;
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

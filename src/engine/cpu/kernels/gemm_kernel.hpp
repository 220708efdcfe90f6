// The matrix product, for whichever vector header was included first. Tiles run over k in blocks; each
// element of c is one chain of multiply-adds per block, and blocks are added in order. Both depend on k
// and outer only, not on where an element lies.
#pragma once

#include "engine/cpu/kernels/gemm_tile.hpp"
#include "engine/cpu/kernels/short_sum_kernel.hpp"
#include "engine/cpu/vectors/lane_sums.hpp"

namespace regatta::engine::cpu {
namespace {

constexpr std::int64_t kBlockDepth = 192;  ///< terms of k: a panel of this depth stays in the first-level cache
constexpr std::int64_t kDeepBlock = 1024;  ///< where it comes from the second-level cache, and c is met less often

/// Small products feel a division.
inline std::int64_t divide_up(std::int64_t a, std::int64_t b) { return a <= b ? 1 : b == 1 ? a : (a + b - 1) / b; }

/// Activations that need more than a few instructions run over a finished tile.
inline void apply_functions(const GemmView& view, float* c, std::int64_t row, std::int64_t corner, std::int64_t rows,
                            std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) {
    activate(view.activation, c + r * view.c_row, columns);
    if (view.derivative == Activation::none) continue;
    activate_gradient(view.derivative, c + r * view.c_row, view.saved + (row + r) * view.saved_row + corner, columns);
  }
}

constexpr bool in_registers(Activation activation) {
  return activation == Activation::none || activation == Activation::relu;
}

/// The columns that one pass over all rows computes.
struct Columns {
  std::int64_t first, count;
  bool last_block;  ///< the sum ends with it: bias and functions follow
  bool functions;   ///< some of them run over the finished tile
};

/// The prefetches that go with each tile, so that all lines come while the product runs.
struct Asking {
  const float* next;
  std::int64_t lines_of_tile, lines;

  void ask() {
    constexpr std::int64_t kLine = 16;  // floats
    const std::int64_t count = lines < lines_of_tile ? lines : lines_of_tile;
    for (std::int64_t i = 0; i < count; ++i) asm volatile("prefetcht1 %0" : : "m"(next[i * kLine]));
    next += count * kLine;
    lines -= count;
  }
};

/// The tiles of one group of rows. `tile` holds the block's place in a and b, and what does not depend on the row.
inline void run_rows(const GemmView& view, Tile tile, const Columns& columns, std::int64_t group, Asking& asking) {
  const std::int64_t tiles = (view.m + kTileRows - 1) / kTileRows;
  const std::int64_t vectors = (columns.count + kWidth - 1) / kWidth;
  const bool masks = columns.last_block && view.derivative == Activation::relu;
  const float* const a = tile.a + group * view.a_group;
  const std::int64_t corner = group * view.c_group + columns.first;  // saved lies as c does
  std::int64_t row = 0;
  for (std::int64_t i = 0; i < tiles; ++i) {
    const std::int64_t rows = divide_up(view.m - row, tiles - i);  // even heights
    tile.a = a + row * view.a_row;
    tile.c = view.c + corner + row * view.c_row;
    asking.ask();
    tile.saved = masks ? view.saved + corner + row * view.saved_row : nullptr;
    tile_kernel(rows, vectors, tile.last_columns != kWidth)(tile);
    if (columns.functions) apply_functions(view, tile.c, row, corner, rows, columns.count);
    row += rows;
  }
}

/// All tiles of one block of the sum. `tile` holds the block's place in a and b.
inline void run_block(const GemmView& view, Tile tile, bool last_block, Asking& asking) {
  const std::int64_t width = (view.m <= kWideTileRows && view.n > kPanel ? 2 : 1) * kPanel;
  const float* const b = tile.b;
  const bool functions = last_block && !(in_registers(view.activation) && in_registers(view.derivative));
  tile.rectify = last_block && view.activation == Activation::relu;
  for (std::int64_t column = 0; column < view.n; column += width) {
    const std::int64_t count = view.n - column < width ? view.n - column : width;
    tile.last_columns = (count - 1) % kWidth + 1;
    tile.b = b + column / kPanel * view.b_panel;
    tile.bias = last_block && view.bias != nullptr ? view.bias + column : nullptr;
    for (std::int64_t group = 0; group < view.groups; ++group) {
      run_rows(view, tile, {column, count, last_block, functions}, group, asking);
    }
  }
}

/// Spread over the tiles of a product whose `blocks` of k serve `group` outer steps each. Most ask for nothing, and
/// small ones would feel a division.
inline Asking asking_for(const GemmView& view, std::int64_t blocks, std::int64_t group) {
  if (view.ahead.lines == 0) return {nullptr, 0, 0};
  const std::int64_t panels = (view.n + kPanel - 1) / kPanel;
  const std::int64_t all_blocks = blocks * ((view.outer + group - 1) / group);
  const std::int64_t tiles = (view.m + kTileRows - 1) / kTileRows * view.groups * panels * all_blocks;
  return {view.ahead.first, (view.ahead.lines + tiles - 1) / tiles, view.ahead.lines};
}

void gemm(const GemmView& view) {
  if (is_short_sum(view)) return short_sums(view);
  Tile tile{};
  tile.a_row = view.a_row;
  tile.a_k = view.a_k;
  tile.a_outer = view.a_outer;
  tile.b_k = view.b_k;
  tile.b_panel = view.b_panel;
  tile.b_outer = view.b_outer;
  tile.c_row = view.c_row;
  tile.saved_row = view.saved_row;
  const std::int64_t deepest = view.depth > 0 ? view.depth : kBlockDepth;
  const std::int64_t blocks = divide_up(view.k, deepest);  // in one outer step
  const std::int64_t depth = divide_up(view.k, blocks);
  // Outer steps of one block.
  const bool all_fit = view.outer_block == 0 && view.outer * view.k <= deepest;
  const std::int64_t filling = view.outer_block > 0 ? view.outer_block
                               : all_fit            ? view.outer
                                                    : divide_up(deepest, view.k);
  const std::int64_t group = blocks > 1 ? 1 : filling;
  Asking asking = asking_for(view, blocks, group);
  for (std::int64_t o = 0; o < view.outer; o += group) {
    tile.outer = view.outer - o < group ? view.outer - o : group;
    for (std::int64_t l = 0; l < view.k; l += depth) {
      tile.k = view.k - l < depth ? view.k - l : depth;
      tile.a = view.a + o * view.a_outer + l * view.a_k;
      tile.b = view.b + o * view.b_outer + l * view.b_k;
      tile.add_to_c = view.add_to_c || o + l > 0;
      run_block(view, tile, view.finish && o + group >= view.outer && l + depth >= view.k, asking);
    }
  }
}

/// Rows [row, end_row) of one panel, whose columns are contiguous in b: four by four elements at a time.
inline void pack_transposed(const float* from, std::int64_t stride, std::int64_t columns, std::int64_t row,
                            std::int64_t end_row, float* to) {
  using Four = float __attribute__((vector_size(16)));
  const auto four = [](const float* at) {
    Four values;
    __builtin_memcpy(&values, at, sizeof values);
    return values;
  };
  const auto put = [to](std::int64_t at, Four values) { __builtin_memcpy(to + at, &values, sizeof values); };
  for (std::int64_t j = 0; j < columns; j += 4) {
    const float* const b = from + j * stride;
    for (std::int64_t l = row; l < end_row; l += 4) {
      const Four p = four(b + l), q = four(b + stride + l), r = four(b + 2 * stride + l), s = four(b + 3 * stride + l);
      const Four low = __builtin_shufflevector(p, q, 0, 4, 1, 5), high = __builtin_shufflevector(p, q, 2, 6, 3, 7);
      const Four low2 = __builtin_shufflevector(r, s, 0, 4, 1, 5), high2 = __builtin_shufflevector(r, s, 2, 6, 3, 7);
      put(l * kPanel + j, __builtin_shufflevector(low, low2, 0, 1, 4, 5));
      put((l + 1) * kPanel + j, __builtin_shufflevector(low, low2, 2, 3, 6, 7));
      put((l + 2) * kPanel + j, __builtin_shufflevector(high, high2, 0, 1, 4, 5));
      put((l + 3) * kPanel + j, __builtin_shufflevector(high, high2, 2, 3, 6, 7));
    }
  }
}

/// Rows [row, end_row) of one panel.
inline void pack_rows(const PackView& view, std::int64_t panel, std::int64_t row, std::int64_t end_row) {
  const std::int64_t column = panel * kPanel;
  const std::int64_t columns = view.n - column < kPanel ? view.n - column : kPanel;
  const float* const from = view.b + column * view.column_stride;
  float* const to = view.panels + panel * view.k * kPanel;
  if (view.column_stride == 1 && columns == kPanel) {
    for (std::int64_t l = row; l < end_row; ++l) {
      for (int v = 0; v < kTileVectors; ++v) {
        store(to + l * kPanel + v * kWidth, load(from + l * view.row_stride + v * kWidth));
      }
    }
    return;
  }
  if (view.row_stride == 1 && columns == kPanel && (end_row - row) % 4 == 0) {
    return pack_transposed(from, view.column_stride, columns, row, end_row, to);
  }
  for (std::int64_t l = row; l < end_row; ++l) {
    for (std::int64_t j = 0; j < kPanel; ++j) {
      to[l * kPanel + j] = j < columns ? from[l * view.row_stride + j * view.column_stride] : 0.0F;
    }
  }
}

/// A few rows of all panels, then the next: reads run along the rows of b, and few pages are open at a time.
void pack(const PackView& view) {
  constexpr std::int64_t kRows = 16;
  for (std::int64_t row = 0; row < view.k; row += kRows) {
    const std::int64_t end_row = row + kRows < view.k ? row + kRows : view.k;
    for (std::int64_t panel = view.first_panel; panel < view.end_panel; ++panel) {
      pack_rows(view, panel, row, end_row);
    }
  }
}

/// The lanes whose sums are `rows` rows of a times b; which terms a lane adds depends on k only.
template <int rows>
inline void row_lanes(const GemmView& view, const float* a, Lanes (&lanes)[rows]) {
  for (Lanes& each : lanes) each = no_terms();
  for_lanes(view.k, [&](int part, std::int64_t l, const auto& access) {
    const Vector right = access.get(view.b + l);
    REGATTA_UNROLL
    for (int r = 0; r < rows; ++r) {
      Vector& sums = lanes[r].parts[part];
      sums = multiply_add(access.get(a + r * view.a_row + l), right, sums);
    }
  });
}

/// Products of rows with one vector: the sum of lanes, whose order depends on k only.
void dots(const GemmView& whole) {
  const GemmView view = whole;  // nothing that is stored can change it
  constexpr int kAtOnce = 4;
  const float bias = view.bias != nullptr ? *view.bias : 0;
  const auto finish = [&](std::int64_t row, float total) {
    view.c[row * view.c_row] = view.bias != nullptr ? total + bias : total;
  };
  std::int64_t i = 0;
  for (; i + kAtOnce <= view.m; i += kAtOnce) {
    Lanes lanes[kAtOnce];
    float totals[kAtOnce];
    row_lanes(view, view.a + i * view.a_row, lanes);
    sum_each(lanes, totals);
    for (int r = 0; r < kAtOnce; ++r) finish(i + r, totals[r]);
  }
  for (; i < view.m; ++i) {
    Lanes lanes[1];
    row_lanes(view, view.a + i * view.a_row, lanes);
    finish(i, sum(lanes[0]));
  }
  if (view.activation == Activation::none && view.derivative == Activation::none) return;
  for (i = 0; i < view.m; ++i) {
    activate(view.activation, view.c + i * view.c_row, 1);
    if (view.derivative == Activation::none) continue;
    activate_gradient(view.derivative, view.c + i * view.c_row, view.saved + i * view.saved_row, 1);
  }
}

/// A vector of columns at most of one row's product: terms join several chains by turns, so that none waits for itself.
/// The terms of a chain depend on k only.
inline Vector vector_of_columns(const GemmView& view, const float* b, std::int64_t columns) {
  constexpr int kChains = 8;
  Vector sums[kChains];
  for (Vector& each : sums) each = zero();
  const auto add_term = [&](Vector& chain, std::int64_t l) {
    chain = multiply_add(broadcast(view.a[l]), load_first(b + l * view.b_k, columns), chain);
  };
  std::int64_t l = 0;
  for (; l + kChains <= view.k; l += kChains) {
    REGATTA_UNROLL
    for (int i = 0; i < kChains; ++i) add_term(sums[i], l + i);
  }
  for (int i = 0; l < view.k; ++l, ++i) add_term(sums[i], l);
  for (int apart = kChains / 2; apart > 0; apart /= 2) {
    for (int i = 0; i < apart; ++i) sums[i] = add(sums[i], sums[i + apart]);
  }
  return sums[0];
}

void few_columns(const GemmView& view) {
  constexpr bool one_vector = kFewColumns <= kWidth;
  std::int64_t column = 0;
  do {
    const std::int64_t columns = one_vector || view.n - column < kWidth ? view.n - column : kWidth;
    Vector total = vector_of_columns(view, view.b + column, columns);
    if (view.bias != nullptr) total = add(total, load_first(view.bias + column, columns));
    store_first(view.c + column, columns, total);
    column += kWidth;
  } while (!one_vector && column < view.n);
  if (view.activation != Activation::none) activate(view.activation, view.c, view.n);
}

}  // namespace
}  // namespace regatta::engine::cpu

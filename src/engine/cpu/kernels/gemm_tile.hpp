// The register tile of the matrix product, for whichever vector header was included first: kTileRows x
// kTileVectors sums, each one chain of multiply-adds over a block of k.
#pragma once

#include "engine/cpu/kernels/kernel_table.hpp"
#include "engine/cpu/vectors/activation_kernel.hpp"

namespace regatta::engine::cpu {
namespace {

constexpr std::int64_t kPanel = kTileVectors * kWidth;
constexpr int kWideVectors = 2 * kTileVectors;

/// One register tile: c(rows, vectors * kWidth) (+)= a(rows, depth) b(depth, ...).
struct Tile {
  const float* a;
  std::int64_t a_row, a_k, a_outer;
  const float* b;
  std::int64_t b_k, b_panel, b_outer;
  float* c;
  std::int64_t c_row;
  std::int64_t outer, k;
  std::int64_t last_columns;  ///< columns in the last vector
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

/// `terms` terms of the sums; `left` of (row, term).
template <int terms, int rows, int vectors, bool partial, class Left>
inline void add_terms(const Tile& t, const float*& b, Vector (&sums)[rows][vectors], const Left& left) {
  REGATTA_UNROLL
  for (int l = 0; l < terms; ++l) {
    Vector right[vectors];
    REGATTA_UNROLL
    for (int v = 0; v < vectors; ++v) right[v] = load_b<partial, vectors>(t, b, v);
    REGATTA_UNROLL
    for (int r = 0; r < rows; ++r) {
      const Vector x = broadcast(left(r, l));
      REGATTA_UNROLL
      for (int v = 0; v < vectors; ++v) sums[r][v] = multiply_add(x, right[v], sums[r][v]);
    }
    b += t.b_k;
  }
}

/// Rows of a whose terms lie side by side: some terms at a time, because counting takes slots from multiplying.
template <int rows, int vectors, bool partial>
inline void accumulate_rows(const Tile& t, const float* from, const float* b, Vector (&sums)[rows][vectors]) {
  constexpr int kTerms = 4;
  const std::int64_t stride = t.a_row;
  const float* a[(rows + 2) / 3];  // each third row: the others are one or two strides away
  REGATTA_UNROLL
  for (int r = 0; r < rows; r += 3) a[r / 3] = from + r * stride;
  const auto left = [&](int r, int l) { return a[r / 3][(r % 3) * stride + l]; };
  const auto advance = [&](int terms) {
    REGATTA_UNROLL
    for (int r = 0; r < rows; r += 3) a[r / 3] += terms;
  };
  std::int64_t l = 0;
  for (; l + kTerms <= t.k; l += kTerms) {
    add_terms<kTerms, rows, vectors, partial>(t, b, sums, left);
    advance(kTerms);
  }
  for (; l < t.k; ++l) {
    add_terms<1, rows, vectors, partial>(t, b, sums, left);
    advance(1);
  }
}

/// Rows of a that lie side by side.
template <int rows, int vectors, bool partial>
inline void accumulate_columns(const Tile& t, const float* a, const float* b, Vector (&sums)[rows][vectors]) {
  for (std::int64_t l = 0; l < t.k; ++l) {
    add_terms<1, rows, vectors, partial>(t, b, sums, [&](int r, int) { return a[r]; });
    a += t.a_k;
  }
}

template <int rows, int vectors, bool partial>
inline void accumulate(const Tile& t, Vector (&sums)[rows][vectors]) {
  for (std::int64_t o = 0; o < t.outer; ++o) {
    const float* const a = t.a + o * t.a_outer;
    const float* const b = t.b + o * t.b_outer;
    if (t.a_k == 1) {
      accumulate_rows<rows, vectors, partial>(t, a, b, sums);
    } else {
      accumulate_columns<rows, vectors, partial>(t, a, b, sums);
    }
  }
}

/// The work that remains on a sum. Most tiles are stored, or added to the blocks before them, and no more. Tiles of a
/// dense layer get their bias, and relu perhaps.
enum class Ending { stored, added, biased, rectified, whole };

template <bool partial, Ending ending>
inline void finish(const Tile& t, int row, int v, Vector total) {
  float* const c = t.c + row * t.c_row + v * kWidth;
  if (ending == Ending::added || (ending == Ending::whole && t.add_to_c)) {
    total = add(load_last<partial>(c, t.last_columns), total);
  }
  constexpr bool biased = ending == Ending::biased || ending == Ending::rectified;
  if (biased || (ending == Ending::whole && t.bias != nullptr)) {
    total = add(total, load_last<partial>(t.bias + v * kWidth, t.last_columns));
  }
  if (ending == Ending::rectified || (ending == Ending::whole && t.rectify)) total = rectify(total);
  if (ending == Ending::whole && t.saved != nullptr) {
    const Vector y = load_last<partial>(t.saved + row * t.saved_row + v * kWidth, t.last_columns);
    total = through_derivative<Activation::relu>(total, y);
  }
  if constexpr (partial) {
    store_first(c, t.last_columns, total);
  } else {
    store(c, total);
  }
}

template <Ending ending, bool partial, int rows, int vectors>
inline void finish_all(const Tile& t, const Vector (&sums)[rows][vectors]) {
  REGATTA_UNROLL
  for (int r = 0; r < rows; ++r) {
    REGATTA_UNROLL
    for (int v = 0; v < vectors - 1; ++v) finish<false, ending>(t, r, v, sums[r][v]);
    finish<partial, ending>(t, r, vectors - 1, sums[r][vectors - 1]);
  }
}

/// Asks for the part of c that a long sum ends in: it would wait for it otherwise. (As assembly: GCC 12 takes a
/// function of __builtin_prefetch for one without effects and drops its calls.)
template <int rows, int vectors>
inline void fetch_ahead(const Tile& t) {
  constexpr std::int64_t kLong = 64;  // terms: a tile of fewer ends before the memory comes
  if (t.outer * t.k < kLong) return;
  for (int r = 0; r < rows; ++r) {
    const float* const c = t.c + r * t.c_row;
    for (int v = 0; v < vectors; ++v) asm volatile("prefetcht0 %0" : : "m"(c[v * kWidth]));
  }
}

template <int rows, int vectors, bool partial>
void run_tile(const Tile& tile) {
  const Tile t = tile;  // nothing that is stored can change it
  fetch_ahead<rows, vectors>(t);
  Vector sums[rows][vectors];
  REGATTA_UNROLL
  for (int r = 0; r < rows; ++r) {
    REGATTA_UNROLL
    for (int v = 0; v < vectors; ++v) sums[r][v] = zero();
  }
  accumulate<rows, vectors, partial>(t, sums);
  if (t.bias == nullptr && !t.rectify && t.saved == nullptr) {
    if (t.add_to_c) return finish_all<Ending::added, partial>(t, sums);
    return finish_all<Ending::stored, partial>(t, sums);
  }
  if (t.bias == nullptr || t.add_to_c || t.saved != nullptr) return finish_all<Ending::whole, partial>(t, sums);
  if (t.rectify) return finish_all<Ending::rectified, partial>(t, sums);
  finish_all<Ending::biased, partial>(t, sums);
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

}  // namespace
}  // namespace regatta::engine::cpu

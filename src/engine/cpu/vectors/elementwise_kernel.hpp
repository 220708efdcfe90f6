// Loops over arrays and columns, for whichever vector header was included first.
#pragma once

#include "engine/cpu/vectors/activation_kernel.hpp"

namespace regatta::engine::cpu {
namespace {

/// Calls body(offset, load, store) for whole vectors and once for what is left.
template <class Whole, class Rest>
inline void for_vectors(std::int64_t count, const Whole& whole, const Rest& rest) {
  std::int64_t i = 0;
  for (; i + kWidth <= count; i += kWidth) whole(i);
  if (i < count) rest(i, count - i);
}

/// A vector of memory: whole, or its first elements.
struct WholeAccess {
  static Vector get(const float* p) { return load(p); }
  static void put(float* p, Vector v) { store(p, v); }
  static Vector only(Vector v) { return v; }
};
struct FirstAccess {
  std::int64_t count;
  [[nodiscard]] Vector get(const float* p) const { return load_first(p, count); }
  void put(float* p, Vector v) const { store_first(p, count, v); }
  [[nodiscard]] Vector only(Vector v) const { return keep_first(count, v); }
};

/// body(i, access) for all columns of a row.
template <class Body>
inline void for_columns(std::int64_t columns, const Body& body) {
  for_vectors(
      columns, [&](std::int64_t i) { body(i, WholeAccess{}); },
      [&](std::int64_t i, std::int64_t n) { body(i, FirstAccess{n}); });
}

/// out[i] = function(a[i], b[i])
template <class Function>
inline void combine(const float* a, const float* b, float* out, std::int64_t count, const Function& function) {
  for_vectors(
      count, [&](std::int64_t i) { store(out + i, function(load(a + i), load(b + i))); },
      [&](std::int64_t i, std::int64_t n) {
        store_first(out + i, n, function(load_first(a + i, n), load_first(b + i, n)));
      });
}

void multiply(const float* a, const float* b, float* c, std::int64_t count) {
  combine(a, b, c, count, [](Vector x, Vector y) { return mul(x, y); });
}

void add_bias(float* x, const float* bias, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t row = 0; row < rows; ++row) {
    combine(x + row * columns, bias, x + row * columns, columns, [](Vector a, Vector b) { return add(a, b); });
  }
}

void scaled_difference(const float* a, const float* b, float factor, float* c, std::int64_t count) {
  combine(a, b, c, count, [factor](Vector x, Vector y) { return mul(broadcast(factor), sub(x, y)); });
}

/// Sums of `vectors` vectors of columns, the last of which has `last` of them; each column one chain over the rows.
template <int vectors, bool onto>
inline void sum_columns(const float* x, std::int64_t rows, std::int64_t columns, std::int64_t last, float* sums) {
  Vector s[vectors];
  REGATTA_UNROLL
  for (int v = 0; v < vectors; ++v) {
    s[v] = zero();
    if constexpr (onto) s[v] = load_first(sums + v * kWidth, v < vectors - 1 ? kWidth : last);
  }
  const float* p = x;
  for (std::int64_t row = 0; row < rows; ++row, p += columns) {
    REGATTA_UNROLL
    for (int v = 0; v < vectors - 1; ++v) s[v] = add(s[v], load(p + v * kWidth));
    s[vectors - 1] = add(s[vectors - 1], load_first(p + (vectors - 1) * kWidth, last));
  }
  REGATTA_UNROLL
  for (int v = 0; v < vectors; ++v) store_first(sums + v * kWidth, v < vectors - 1 ? kWidth : last, s[v]);
}

/// Sums of columns [begin, end), each one chain over the rows; several chains at a time, which hide its latency.
template <bool onto>
inline void sum_all_columns(const float* x, std::int64_t rows, std::int64_t columns, std::int64_t begin,
                            std::int64_t end, float* sums) {
  constexpr std::int64_t kAtOnce = 4;
  for (std::int64_t j = begin; j < end; j += kAtOnce * kWidth) {
    const std::int64_t left = end - j < kAtOnce * kWidth ? end - j : kAtOnce * kWidth;
    const std::int64_t last = (left - 1) % kWidth + 1;
    switch ((left + kWidth - 1) / kWidth) {
      case 1:
        sum_columns<1, onto>(x + j, rows, columns, last, sums + j);
        break;
      case 2:
        sum_columns<2, onto>(x + j, rows, columns, last, sums + j);
        break;
      case 3:
        sum_columns<3, onto>(x + j, rows, columns, last, sums + j);
        break;
      default:
        sum_columns<4, onto>(x + j, rows, columns, last, sums + j);
    }
  }
}

void column_sum(const float* x, std::int64_t rows, std::int64_t columns, std::int64_t begin, std::int64_t end,
                float* sums) {
  sum_all_columns<false>(x, rows, columns, begin, end, sums);
}

void add_column_sum(const float* x, std::int64_t rows, std::int64_t columns, std::int64_t begin, std::int64_t end,
                    float* sums) {
  sum_all_columns<true>(x, rows, columns, begin, end, sums);
}

void average(const float* x, std::int64_t rows, std::int64_t columns, float factor, float* y) {
  column_sum(x, rows, columns, 0, columns, y);
  combine(y, y, y, columns, [factor](Vector s, Vector) { return mul(s, broadcast(factor)); });
}

void spread(const float* y, std::int64_t rows, std::int64_t columns, float factor, float* x) {
  for (std::int64_t row = 0; row < rows; ++row) {
    combine(y, y, x + row * columns, columns, [factor](Vector s, Vector) { return mul(s, broadcast(factor)); });
  }
}

void exponential_of_all(float* x, std::int64_t count) {
  combine(x, x, x, count, [](Vector v, Vector) { return exponential(v); });
}

void logarithm_of_all(float* x, std::int64_t count) {
  combine(x, x, x, count, [](Vector v, Vector) { return logarithm(v); });
}

}  // namespace
}  // namespace regatta::engine::cpu

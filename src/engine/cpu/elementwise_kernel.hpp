// Loops over arrays and columns, for whichever vector header was included first.
#pragma once

#include "engine/cpu/activation_kernel.hpp"

namespace regatta::engine::cpu {
namespace {

/// Calls body(offset, load, store) for whole vectors and once for what is left.
template <class Whole, class Rest>
inline void for_vectors(std::int64_t count, const Whole& whole, const Rest& rest) {
  std::int64_t i = 0;
  for (; i + kWidth <= count; i += kWidth) whole(i);
  if (i < count) rest(i, count - i);
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

/// Sums of columns [begin, end), each one chain over the rows.
void column_sum(const float* x, std::int64_t rows, std::int64_t columns, std::int64_t begin, std::int64_t end,
                float* sums) {
  std::int64_t j = begin;
  for (; j + 4 * kWidth <= end; j += 4 * kWidth) {
    Vector s0 = zero(), s1 = zero(), s2 = zero(), s3 = zero();
    for (const float* p = x + j; p < x + rows * columns; p += columns) {
      s0 = add(s0, load(p));
      s1 = add(s1, load(p + kWidth));
      s2 = add(s2, load(p + 2 * kWidth));
      s3 = add(s3, load(p + 3 * kWidth));
    }
    store(sums + j, s0);
    store(sums + j + kWidth, s1);
    store(sums + j + 2 * kWidth, s2);
    store(sums + j + 3 * kWidth, s3);
  }
  for (; j < end; j += kWidth) {
    const std::int64_t n = end - j < kWidth ? end - j : kWidth;
    Vector s = zero();
    for (const float* p = x + j; p < x + rows * columns; p += columns) s = add(s, load_first(p, n));
    store_first(sums + j, n, s);
  }
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

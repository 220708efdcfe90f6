// 4 floats with what every x86-64 has (SSE2; no fused multiply-add), for kernels_baseline.cpp only.
#pragma once

#include <emmintrin.h>

#include <cstdint>

namespace regatta::engine::cpu {
namespace {

using Vector = __m128;
using Mask = __m128;

constexpr int kWidth = 4;
constexpr int kTileRows = 5;  // 5 x 2 sums, 2 of b, 1 of a and 1 product: 14 of 16 registers
constexpr int kTileVectors = 2;
constexpr int kWideTileRows = 2;
constexpr bool kMaskedLoads = false;

inline Vector zero() { return _mm_setzero_ps(); }
inline Vector broadcast(float x) { return _mm_set1_ps(x); }
inline Vector load(const float* p) { return _mm_loadu_ps(p); }
inline Vector load_first(const float* p, std::int64_t n) {
  if (n == kWidth) return load(p);
  return _mm_setr_ps(p[0], n > 1 ? p[1] : 0.0F, n > 2 ? p[2] : 0.0F, 0.0F);
}
inline void store(float* p, Vector v) { _mm_storeu_ps(p, v); }
inline void store_first(float* p, std::int64_t n, Vector v) {
  alignas(16) float lanes[kWidth];
  _mm_store_ps(lanes, v);
  for (std::int64_t i = 0; i < n; ++i) p[i] = lanes[i];
}
/// v with zeros behind its first n.
inline Vector keep_first(std::int64_t n, Vector v) {
  const __m128i kept = _mm_cmplt_epi32(_mm_setr_epi32(0, 1, 2, 3), _mm_set1_epi32(static_cast<int>(n)));
  return _mm_and_ps(v, _mm_castsi128_ps(kept));
}

inline Vector add(Vector a, Vector b) { return _mm_add_ps(a, b); }
inline Vector sub(Vector a, Vector b) { return _mm_sub_ps(a, b); }
inline Vector mul(Vector a, Vector b) { return _mm_mul_ps(a, b); }
inline Vector div(Vector a, Vector b) { return _mm_div_ps(a, b); }
inline Vector multiply_add(Vector a, Vector b, Vector c) { return _mm_add_ps(_mm_mul_ps(a, b), c); }
inline Vector square_root(Vector a) { return _mm_sqrt_ps(a); }
inline Vector maximum(Vector a, Vector b) { return _mm_max_ps(a, b); }
inline Vector minimum(Vector a, Vector b) { return _mm_min_ps(a, b); }

inline Mask less(Vector a, Vector b) { return _mm_cmplt_ps(a, b); }
inline Mask less_equal(Vector a, Vector b) { return _mm_cmple_ps(a, b); }
inline Mask equal(Vector a, Vector b) { return _mm_cmpeq_ps(a, b); }
inline Vector select(Mask mask, Vector a, Vector b) { return _mm_or_ps(_mm_and_ps(mask, a), _mm_andnot_ps(mask, b)); }

inline Vector absolute(Vector a) { return _mm_andnot_ps(_mm_set1_ps(-0.0F), a); }
inline Vector with_sign(Vector magnitude, Vector sign) {
  return _mm_or_ps(magnitude, _mm_and_ps(_mm_set1_ps(-0.0F), sign));
}
/// For |a| < 2^31; the conversion rounds to nearest even.
inline Vector round_nearest(Vector a) { return _mm_cvtepi32_ps(_mm_cvtps_epi32(a)); }
inline Vector power_of_two(__m128i n) {
  return _mm_castsi128_ps(_mm_slli_epi32(_mm_add_epi32(n, _mm_set1_epi32(127)), 23));
}
/// In two steps, so that results below the normal range and above the largest number come out right.
inline Vector scale(Vector a, Vector power) {
  const __m128i n = _mm_cvtps_epi32(power);
  const __m128i half = _mm_srai_epi32(n, 1);
  return _mm_mul_ps(_mm_mul_ps(a, power_of_two(half)), power_of_two(_mm_sub_epi32(n, half)));
}
inline Vector exponent(Vector a) {
  const __m128i biased = _mm_srli_epi32(_mm_castps_si128(a), 23);
  return _mm_cvtepi32_ps(_mm_sub_epi32(biased, _mm_set1_epi32(127)));
}
inline Vector significand(Vector a) {
  const __m128i fraction = _mm_and_si128(_mm_castps_si128(a), _mm_set1_epi32(0x007fffff));
  return _mm_castsi128_ps(_mm_or_si128(fraction, _mm_set1_epi32(0x3f800000)));
}

inline float sum(Vector a) {
  const __m128 pair = _mm_add_ps(a, _mm_movehl_ps(a, a));
  return _mm_cvtss_f32(_mm_add_ss(pair, _mm_shuffle_ps(pair, pair, 1)));
}
inline void sum_each(const Vector (&a)[4], float (&sums)[4]) {
  for (int i = 0; i < 4; ++i) sums[i] = sum(a[i]);
}
inline float largest(Vector a) {
  const __m128 pair = _mm_max_ps(a, _mm_movehl_ps(a, a));
  return _mm_cvtss_f32(_mm_max_ss(pair, _mm_shuffle_ps(pair, pair, 1)));
}

}  // namespace
}  // namespace regatta::engine::cpu

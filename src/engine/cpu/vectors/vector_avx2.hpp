// 8 floats with FMA, for kernels_avx2.cpp only.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace regatta::engine::cpu {
namespace {

using Vector = __m256;
using Mask = __m256;

constexpr int kWidth = 8;
constexpr int kTileRows = 6;  // 6 x 2 sums, 2 of b and 1 of a: 15 of 16 registers
constexpr int kTileVectors = 2;
constexpr int kWideTileRows = 2;
constexpr bool kMaskedLoads = true;

inline __m256i first(std::int64_t n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

inline Vector zero() { return _mm256_setzero_ps(); }
inline Vector broadcast(float x) { return _mm256_set1_ps(x); }
inline Vector load(const float* p) { return _mm256_loadu_ps(p); }
inline Vector load_first(const float* p, std::int64_t n) { return _mm256_maskload_ps(p, first(n)); }
inline void store(float* p, Vector v) { _mm256_storeu_ps(p, v); }
inline void store_first(float* p, std::int64_t n, Vector v) { _mm256_maskstore_ps(p, first(n), v); }
/// v with zeros behind its first n.
inline Vector keep_first(std::int64_t n, Vector v) { return _mm256_and_ps(v, _mm256_castsi256_ps(first(n))); }

inline Vector add(Vector a, Vector b) { return _mm256_add_ps(a, b); }
inline Vector sub(Vector a, Vector b) { return _mm256_sub_ps(a, b); }
inline Vector mul(Vector a, Vector b) { return _mm256_mul_ps(a, b); }
inline Vector div(Vector a, Vector b) { return _mm256_div_ps(a, b); }
inline Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
inline Vector square_root(Vector a) { return _mm256_sqrt_ps(a); }
inline Vector maximum(Vector a, Vector b) { return _mm256_max_ps(a, b); }
inline Vector minimum(Vector a, Vector b) { return _mm256_min_ps(a, b); }

inline Mask less(Vector a, Vector b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
inline Mask less_equal(Vector a, Vector b) { return _mm256_cmp_ps(a, b, _CMP_LE_OQ); }
inline Mask equal(Vector a, Vector b) { return _mm256_cmp_ps(a, b, _CMP_EQ_OQ); }
inline Vector select(Mask mask, Vector a, Vector b) { return _mm256_blendv_ps(b, a, mask); }

inline Vector absolute(Vector a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), a); }
inline Vector with_sign(Vector magnitude, Vector sign) {
  return _mm256_or_ps(magnitude, _mm256_and_ps(_mm256_set1_ps(-0.0F), sign));
}
inline Vector round_nearest(Vector a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
inline Vector power_of_two(__m256i n) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(n, _mm256_set1_epi32(127)), 23));
}
/// In two steps, so that results below the normal range and above the largest number come out right.
inline Vector scale(Vector a, Vector power) {
  const __m256i n = _mm256_cvtps_epi32(power);
  const __m256i half = _mm256_srai_epi32(n, 1);
  return _mm256_mul_ps(_mm256_mul_ps(a, power_of_two(half)), power_of_two(_mm256_sub_epi32(n, half)));
}
inline Vector exponent(Vector a) {
  const __m256i biased = _mm256_srli_epi32(_mm256_castps_si256(a), 23);
  return _mm256_cvtepi32_ps(_mm256_sub_epi32(biased, _mm256_set1_epi32(127)));
}
inline Vector significand(Vector a) {
  const __m256i fraction = _mm256_and_si256(_mm256_castps_si256(a), _mm256_set1_epi32(0x007fffff));
  return _mm256_castsi256_ps(_mm256_or_si256(fraction, _mm256_set1_epi32(0x3f800000)));
}

inline float sum(Vector a) {
  const __m128 half = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  const __m128 pair = _mm_add_ps(half, _mm_movehl_ps(half, half));
  return _mm_cvtss_f32(_mm_add_ss(pair, _mm_shuffle_ps(pair, pair, 1)));
}
/// The sums of four vectors, each in the order of the sum above: two vectors' halves, then four vectors' quarters.
inline void sum_each(const Vector (&a)[4], float (&sums)[4]) {
  const auto halves = [](Vector x, Vector y) {
    return add(_mm256_permute2f128_ps(x, y, 0x20), _mm256_permute2f128_ps(x, y, 0x31));
  };
  const __m256d x = _mm256_castps_pd(halves(a[0], a[1])), y = _mm256_castps_pd(halves(a[2], a[3]));
  const Vector pairs = add(_mm256_castpd_ps(_mm256_unpacklo_pd(x, y)), _mm256_castpd_ps(_mm256_unpackhi_pd(x, y)));
  const Vector totals = add(pairs, _mm256_movehdup_ps(pairs));  // the sums 0, -, 2, - and 1, -, 3, -
  const __m128 even = _mm256_castps256_ps128(totals), odd = _mm256_extractf128_ps(totals, 1);
  _mm_storeu_ps(sums, _mm_blend_ps(even, _mm_moveldup_ps(odd), 0b1010));
}
inline float largest(Vector a) {
  const __m128 half = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  const __m128 pair = _mm_max_ps(half, _mm_movehl_ps(half, half));
  return _mm_cvtss_f32(_mm_max_ss(pair, _mm_shuffle_ps(pair, pair, 1)));
}

}  // namespace
}  // namespace regatta::engine::cpu

// 16 floats, for kernels_avx512.cpp only.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace regatta::engine::cpu {
namespace {

using Vector = __m512;
using Mask = __mmask16;

constexpr int kWidth = 16;
constexpr int kTileRows = 13;  // 13 x 2 sums, 2 of b and 1 of a: 29 of 32 registers
constexpr int kTileVectors = 2;
constexpr int kWideTileRows = 6;  // 6 x 4 sums: for few rows, so that the sums hide the latency
constexpr bool kMaskedLoads = true;

inline __mmask16 first(std::int64_t n) { return static_cast<__mmask16>((1U << n) - 1U); }

inline Vector zero() { return _mm512_setzero_ps(); }
inline Vector broadcast(float x) { return _mm512_set1_ps(x); }
inline Vector load(const float* p) { return _mm512_loadu_ps(p); }
inline Vector load_first(const float* p, std::int64_t n) { return _mm512_maskz_loadu_ps(first(n), p); }
inline void store(float* p, Vector v) { _mm512_storeu_ps(p, v); }
inline void store_first(float* p, std::int64_t n, Vector v) { _mm512_mask_storeu_ps(p, first(n), v); }
/// v with zeros behind its first n.
inline Vector keep_first(std::int64_t n, Vector v) { return _mm512_maskz_mov_ps(first(n), v); }

inline Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }
inline Vector sub(Vector a, Vector b) { return _mm512_sub_ps(a, b); }
inline Vector mul(Vector a, Vector b) { return _mm512_mul_ps(a, b); }
inline Vector div(Vector a, Vector b) { return _mm512_div_ps(a, b); }
inline Vector multiply_add(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
inline Vector square_root(Vector a) { return _mm512_maskz_sqrt_ps(0xffff, a); }
inline Vector maximum(Vector a, Vector b) { return _mm512_maskz_max_ps(0xffff, a, b); }
inline Vector minimum(Vector a, Vector b) { return _mm512_maskz_min_ps(0xffff, a, b); }

inline Mask less(Vector a, Vector b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
inline Mask less_equal(Vector a, Vector b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
inline Mask equal(Vector a, Vector b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
inline Vector select(Mask mask, Vector a, Vector b) { return _mm512_mask_blend_ps(mask, b, a); }

inline Vector absolute(Vector a) {
  return _mm512_castsi512_ps(_mm512_and_epi32(_mm512_castps_si512(a), _mm512_set1_epi32(0x7fffffff)));
}
inline Vector with_sign(Vector magnitude, Vector sign) {
  const __m512i bit = _mm512_and_epi32(_mm512_castps_si512(sign), _mm512_set1_epi32(INT32_MIN));
  return _mm512_castsi512_ps(_mm512_or_epi32(_mm512_castps_si512(magnitude), bit));
}
inline Vector round_nearest(Vector a) {
  return _mm512_maskz_roundscale_ps(0xffff, a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline Vector scale(Vector a, Vector power) { return _mm512_maskz_scalef_ps(0xffff, a, power); }
inline Vector exponent(Vector a) {
  const __m512i biased = _mm512_maskz_srli_epi32(0xffff, _mm512_castps_si512(a), 23);
  return _mm512_maskz_cvtepi32_ps(0xffff, _mm512_sub_epi32(biased, _mm512_set1_epi32(127)));
}
inline Vector significand(Vector a) {
  const __m512i fraction = _mm512_and_epi32(_mm512_castps_si512(a), _mm512_set1_epi32(0x007fffff));
  return _mm512_castsi512_ps(_mm512_or_epi32(fraction, _mm512_set1_epi32(0x3f800000)));
}

// With a mask, though all lanes are kept: GCC 12 warns of its own headers otherwise.
inline __m256 lower_half(Vector a) { return _mm512_maskz_extractf32x8_ps(0xff, a, 0); }
inline __m256 upper_half(Vector a) { return _mm512_maskz_extractf32x8_ps(0xff, a, 1); }
inline float sum(Vector a) {
  const __m256 half = _mm256_add_ps(lower_half(a), upper_half(a));
  const __m128 quarter = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
  const __m128 pair = _mm_add_ps(quarter, _mm_movehl_ps(quarter, quarter));
  return _mm_cvtss_f32(_mm_add_ss(pair, _mm_shuffle_ps(pair, pair, 1)));
}
/// The sums of four vectors, each in the order of the sum above: two vectors' halves, then four vectors' quarters.
inline void sum_each(const Vector (&a)[4], float (&sums)[4]) {
  const auto halves = [](Vector x, Vector y) {
    return add(_mm512_maskz_shuffle_f32x4(0xffff, x, y, 0x44), _mm512_maskz_shuffle_f32x4(0xffff, x, y, 0xee));
  };
  const Vector x = halves(a[0], a[1]), y = halves(a[2], a[3]);
  const Vector quarters =
      add(_mm512_maskz_shuffle_f32x4(0xffff, x, y, 0x88), _mm512_maskz_shuffle_f32x4(0xffff, x, y, 0xdd));
  const Vector pairs = add(quarters, _mm512_maskz_permute_ps(0xffff, quarters, 0x0e));
  const Vector totals = add(pairs, _mm512_maskz_permute_ps(0xffff, pairs, 0x01));
  const __m512 packed = _mm512_maskz_compress_ps(0x1111, totals);
  _mm512_mask_storeu_ps(sums, 0x000f, packed);
}
inline float largest(Vector a) {
  const __m256 half = _mm256_max_ps(lower_half(a), upper_half(a));
  const __m128 quarter = _mm_max_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
  const __m128 pair = _mm_max_ps(quarter, _mm_movehl_ps(quarter, quarter));
  return _mm_cvtss_f32(_mm_max_ss(pair, _mm_shuffle_ps(pair, pair, 1)));
}

}  // namespace
}  // namespace regatta::engine::cpu

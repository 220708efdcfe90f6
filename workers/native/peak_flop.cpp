#include "native.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace regatta::worker {
namespace {

#if defined(__x86_64__)
// Two units with a latency of 4 or 5 cycles need 8 to 10 sums under way; 12 and two constants fit into 16 registers.
constexpr int sums = 12;
constexpr float factor = 0.999999F;  // the sums stay near 1
constexpr float term = 0.000001F;

__attribute__((target("avx512f"))) float run_avx512(std::int64_t turns) {
  __m512 sum[sums];
  for (__m512& each : sum) {
    each = _mm512_set1_ps(1);
    asm volatile("" : "+v"(each));  // a value nobody knows: known or equal ones would be computed before, or once
  }
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    for (__m512& each : sum) each = _mm512_fmadd_ps(each, _mm512_set1_ps(factor), _mm512_set1_ps(term));
  }
  for (int i = 1; i < sums; ++i) sum[0] = _mm512_add_ps(sum[0], sum[i]);
  return _mm512_cvtss_f32(sum[0]);
}

__attribute__((target("avx2,fma"))) float run_avx2(std::int64_t turns) {
  __m256 sum[sums];
  for (__m256& each : sum) {
    each = _mm256_set1_ps(1);
    asm volatile("" : "+x"(each));  // a value nobody knows: known or equal ones would be computed before, or once
  }
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    for (__m256& each : sum) each = _mm256_fmadd_ps(each, _mm256_set1_ps(factor), _mm256_set1_ps(term));
  }
  for (int i = 1; i < sums; ++i) sum[0] = _mm256_add_ps(sum[0], sum[i]);
  return _mm256_cvtss_f32(sum[0]);
}

constexpr double flop_per_fma = 2;
#endif

}  // namespace

std::optional<FmaLoop> widest_fma_loop() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return FmaLoop{"avx512", sums * 16 * flop_per_fma, run_avx512};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return FmaLoop{"avx2", sums * 8 * flop_per_fma, run_avx2};
#endif
  return std::nullopt;
}

}  // namespace regatta::worker

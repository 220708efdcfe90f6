// The masks of dropout, for whichever vector header was included first: integer arithmetic, the same for every
// instruction set.
#pragma once

#include "engine/cpu/kernels/layer_kernels.hpp"
#include "regatta/base/random.hpp"

namespace regatta::engine::cpu {
namespace {

void dropout_mask(const DropoutMaskView& view) {
  constexpr int kLanes = kWidth / 2;
  using Bits = std::uint64_t __attribute__((vector_size(kLanes * sizeof(std::uint64_t))));
  using Words = std::int32_t __attribute__((vector_size(kLanes * sizeof(std::int32_t))));
  const Words kept = Words{} + __builtin_bit_cast(std::int32_t, view.kept);
  const std::uint64_t base = view.base + view.first * kCounterFactor;
  Bits counters{};
  for (int lane = 0; lane < kLanes; ++lane)
    counters[lane] = base + static_cast<std::uint64_t>(lane + 1) * kCounterFactor;
  std::int64_t i = 0;
  for (; i + kLanes <= view.count; i += kLanes, counters += kLanes * kCounterFactor) {
    const auto dropped = (mixed(counters) >> 40) < view.bound;
    const Words lanes = ~__builtin_convertvector(dropped, Words) & kept;
    __builtin_memcpy(view.mask + i, &lanes, sizeof lanes);
  }
  for (; i < view.count; ++i) {
    const std::uint64_t counter = base + static_cast<std::uint64_t>(i + 1) * kCounterFactor;
    view.mask[i] = (mixed(counter) >> 40) < view.bound ? 0.0F : view.kept;
  }
}

}  // namespace
}  // namespace regatta::engine::cpu

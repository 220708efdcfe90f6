// Operations that compute each element from those in its place, for whichever vector header was included first. Units
// are chunks of elements. Beside them the masks of dropout: integer arithmetic, the same for every instruction set.
#pragma once

#include "engine/cpu/kernels/kernel_table.hpp"
#include "engine/cpu/vectors/elementwise_kernel.hpp"
#include "regatta/base/random.hpp"

namespace regatta::engine::cpu {
namespace {

// compute(call, op, first, count): elements [first, first + count) of one kind of operation.

void compute(const Call& call, const DropoutGradient& /*op*/, std::int64_t first, std::int64_t count) {
  multiply(in(call, 0) + first, in(call, 1) + first, out(call, 2) + first, count);
}

void compute(const Call& call, const Add& /*op*/, std::int64_t first, std::int64_t count) {
  float* const x = out(call, 0) + first;
  combine(x, in(call, 1) + first, x, count, [](Vector a, Vector b) { return add(a, b); });
}

constexpr std::int64_t kElements = 1024;  ///< elements in a unit

constexpr void enter_element_ops(OpKernel* kernels) {
  enter_kernels<DropoutGradient, Add>(
      kernels,
      [](const Call& call, const auto& op, std::int64_t begin, std::int64_t end) {
        const std::int64_t first = begin * kElements;
        compute(call, op, first, (end * kElements < op.count ? end * kElements : op.count) - first);
      },
      [](const auto& op) -> Split {
        constexpr double kStreaming = 4;  // an element, in operations of kWorthSplitting
        return {(op.count + kElements - 1) / kElements, kStreaming * static_cast<double>(kElements)};
      });
}

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

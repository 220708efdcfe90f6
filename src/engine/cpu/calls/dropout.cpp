#include <cmath>

#include "engine/cpu/calls/calls.hpp"
#include "regatta/base/random.hpp"

namespace regatta::engine::cpu {

void fill_dropout_mask(const KernelTable& kernels, const Dropout& op, const StepState& state, std::int64_t begin,
                       std::int64_t end, float* mask) {
  const std::uint64_t key = random_bits(op.key, static_cast<std::uint64_t>(state.step));
  const double rate = static_cast<float>(op.rate);  // compared with random_unit, a float of 24 bits
  const std::int64_t first = op.first_sample + state.first_sample + begin;
  kernels.layers.dropout_mask({.base = counters_of(key),
                               .first = static_cast<std::uint64_t>(first * op.units),
                               .count = (end - begin) * op.units,
                               .bound = static_cast<std::uint64_t>(std::ceil(rate * 0x1p24)),
                               .kept = static_cast<float>(1 / (1 - op.rate)),
                               .mask = mask + begin * op.units});
}

}  // namespace regatta::engine::cpu

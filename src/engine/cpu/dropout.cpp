#include "engine/cpu/dropout.hpp"

#include "regatta/base/random.hpp"

namespace regatta::engine::cpu {

void fill_dropout_mask(const Dropout& op, const StepState& state, std::int64_t begin, std::int64_t end, float* mask) {
  const std::uint64_t key = random_bits(op.key, static_cast<std::uint64_t>(state.step));
  const auto rate = static_cast<float>(op.rate);
  const auto kept = static_cast<float>(1 / (1 - op.rate));
  const auto first = static_cast<std::uint64_t>(op.first_sample * op.units);
  for (std::int64_t i = begin * op.units; i < end * op.units; ++i) {
    mask[i] = random_unit(key, first + static_cast<std::uint64_t>(i)) < rate ? 0.0F : kept;
  }
}

}  // namespace regatta::engine::cpu

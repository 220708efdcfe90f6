// Division of indices by a number that the host knows: a multiplication and a shift in place of some twenty
// instructions. Granlund and Montgomery, Division by invariant integers using multiplication, PLDI 1994, section 4.
#pragma once

#include <bit>
#include <cstdint>

#include "regatta/base/error.hpp"

namespace regatta::engine::cuda {

inline constexpr std::int64_t kIndices = std::int64_t{1} << 31;  ///< indices below this can be divided

/// A divisor of numbers in [0, 2^31).
struct Divider {
  std::uint32_t divisor = 1, multiplier = 1, shift = 0;
};

inline Divider divider_of(std::int64_t divisor) {
  expect(divisor >= 1 && divisor < kIndices, "a divisor of indices lies in [1, 2^31)");
  const auto d = static_cast<std::uint64_t>(divisor);
  const auto shift = static_cast<std::uint32_t>(std::bit_width(d - 1));
  const std::uint64_t multiplier = ((((std::uint64_t{1} << shift) - d) << 32) / d) + 1;
  return {static_cast<std::uint32_t>(d), static_cast<std::uint32_t>(multiplier), shift};
}

}  // namespace regatta::engine::cuda

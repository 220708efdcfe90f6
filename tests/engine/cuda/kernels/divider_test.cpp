// Division by multiplication, against division.
#include "engine/cuda/kernels/divider.hpp"

#include <gtest/gtest.h>

#include "engine/support.hpp"

namespace regatta::engine::cuda {
namespace {

/// As divider.cuh has it for the device.
std::uint32_t quotient(std::uint32_t number, const Divider& by) {
  return (static_cast<std::uint32_t>((std::uint64_t{number} * by.multiplier) >> 32) + number) >> by.shift;
}

TEST(CudaDivider, DividesEveryIndexAsDivisionDoes) {
  Random random(test_seed());
  for (int i = 0; i < 20'000; ++i) {
    const std::int64_t divisor = i < 70 ? i + 1 : uniform(random, 1, i % 2 == 0 ? 5000 : kIndices - 1);
    const Divider by = divider_of(divisor);
    const std::int64_t multiple = uniform(random, 0, (kIndices - 1) / divisor) * divisor;
    for (const std::int64_t number : {std::int64_t{0}, divisor - 1, multiple, std::max<std::int64_t>(multiple - 1, 0),
                                      kIndices - 1, uniform(random, 0, kIndices - 1)}) {
      ASSERT_EQ(quotient(static_cast<std::uint32_t>(number), by), number / divisor) << number << " by " << divisor;
    }
  }
  EXPECT_THROW(divider_of(0), InternalError);
  EXPECT_THROW(divider_of(kIndices), InternalError);
}

}  // namespace
}  // namespace regatta::engine::cuda

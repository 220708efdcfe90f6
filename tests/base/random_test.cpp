#include "regatta/base/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <set>

namespace regatta {
namespace {

// The sequence of SplitMix64 from state 0, as its published reference code gives it.
TEST(RandomBits, GiveTheReferenceSequenceForSeedZero) {
  EXPECT_EQ(random_bits(0, 0), 0xe220a8397b1dcdafULL);
  EXPECT_EQ(random_bits(0, 1), 0x6e789e6aa1b965f4ULL);
  EXPECT_EQ(random_bits(0, 2), 0x06c45d188009454fULL);
}

TEST(RandomBits, AreAPureFunction) {
  static_assert(random_bits(7, 1) == 0xbcf3bb3dfd956cc3ULL);
  EXPECT_EQ(random_bits(7, 0), 0xd4d9683927fb3323ULL);
}

TEST(RandomBits, DifferBetweenSeedsAndCounters) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    for (std::uint64_t counter = 0; counter < 64; ++counter) seen.insert(random_bits(seed, counter));
  }
  EXPECT_EQ(seen.size(), 64U * 64U);
}

TEST(RandomUnit, LiesInTheHalfOpenIntervalAndIsUniform) {
  constexpr int draws = 100000;
  std::array<int, 10> counts{};
  for (std::uint64_t i = 0; i < draws; ++i) {
    const float value = random_unit(3, i);
    ASSERT_GE(value, 0.0F);
    ASSERT_LT(value, 1.0F);
    ++counts[static_cast<std::size_t>(value * 10)];
  }
  // Each count is binomial with a standard deviation of 95.
  for (int count : counts) EXPECT_NEAR(count, draws / 10, 500);
}

TEST(RandomUnit, HasTwentyFourBits) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const float scaled = random_unit(5, i) * 0x1p24F;
    EXPECT_EQ(scaled, std::floor(scaled));
  }
}

}  // namespace
}  // namespace regatta

#include "regatta/stats/order_effects.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "regatta/base/random.hpp"
#include "regatta/stats/slices.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::stats {
namespace {

/// `squares` squares of `arms` arms of different speed; the first place of a round takes `first` times as long.
std::vector<std::vector<SliceValue>> block(std::size_t arms, std::uint32_t squares, double first) {
  std::vector<std::vector<SliceValue>> slices(arms);
  const std::uint64_t rounds = rounds_per_square(arms);
  for (std::uint64_t round = 0; round < squares * rounds; ++round) {
    const auto order = round_order(arms, round, 1);
    for (std::uint32_t place = 0; place < arms; ++place) {
      const double seconds = (order[place] + 1.0) * (place == 0 ? first : 1);
      const auto square = static_cast<std::uint32_t>(round / rounds);
      slices[order[place]].push_back({.seconds = seconds, .process = square, .square = square, .position = place});
    }
  }
  return slices;
}

std::vector<Estimate> effects_of(const std::vector<std::vector<SliceValue>>& slices) {
  const std::vector<std::span<const SliceValue>> arms(slices.begin(), slices.end());
  return position_effects(arms, 0.05);
}

TEST(PositionEffects, AreRelativeToTheMirroredPlaceOfTheSameArm) {
  const auto effects = effects_of(block(2, 7, 1.2));
  ASSERT_EQ(effects.size(), 2U);
  EXPECT_NEAR(effects[0].value, std::log(1.2) / 2, 1e-12);
  EXPECT_NEAR(effects[1].value, -std::log(1.2) / 2, 1e-12);
  EXPECT_NEAR(effects[0].range.low, std::log(1.2) / 2, 1e-12);
  const auto of_four = effects_of(block(4, 7, 1.2));
  ASSERT_EQ(of_four.size(), 4U);
  EXPECT_NEAR(of_four[0].value, std::log(1.2) / 2, 1e-12);
  EXPECT_NEAR(of_four[1].value, 0, 1e-12) << "an arm that stands there stands third in the mirror image";
  EXPECT_NEAR(of_four[3].value, -std::log(1.2) / 2, 1e-12);
}

TEST(PositionEffects, AreUnknownBelowSevenSquaresAndNoneForOneArm) {
  EXPECT_FALSE(effects_of(block(2, 6, 1.2))[0].range.finite());
  EXPECT_TRUE(effects_of(block(1, 7, 1.2)).empty());
  EXPECT_TRUE(effects_of({}).empty());
}

TEST(PositionMatters, BeyondTheLimitOnly) {
  const auto effects = effects_of(block(3, 7, 1.03));
  EXPECT_TRUE(position_matters(effects, 0.01)) << "1.5 % more than at the last place";
  EXPECT_FALSE(position_matters(effects, 0.02));
}

/// Squares of two arms, A B B A and B A A B in turn, whose first slice takes `first` times as long.
bool first_slice_is_flagged(std::uint32_t squares, double first) {
  std::vector<std::vector<SliceValue>> slices(2);
  for (std::uint32_t square = 0; square < squares; ++square) {
    const std::size_t leader = square % 2;
    const auto add = [&](std::size_t arm, std::uint32_t position, double seconds) {
      slices[arm].push_back({.seconds = seconds, .process = square, .square = square, .position = position});
    };
    add(leader, 0, first);
    add(1 - leader, 1, 1);
    add(1 - leader, 0, 1);
    add(leader, 1, 1);
  }
  const std::vector<std::span<const SliceValue>> arms(slices.begin(), slices.end());
  return first_slice_matters(arms, 0.01);
}

TEST(FirstSliceMatters, InFourSquaresAtLeastAndBeyondTheLimit) {
  EXPECT_TRUE(first_slice_is_flagged(4, 1.2));
  EXPECT_TRUE(first_slice_is_flagged(9, 0.9));
  EXPECT_FALSE(first_slice_is_flagged(3, 1.2));
  EXPECT_FALSE(first_slice_is_flagged(9, 1.009));
}

TEST(Judge, FlagsAPositionEffectAndIsNotBiasedByIt) {
  const auto slices = block(4, 16, 1.5);  // four Williams squares
  const auto judgement = judge({slices[3], slices[1]}, {});
  EXPECT_NEAR(judgement.totals_estimate, std::log(2), 1e-12);
  EXPECT_TRUE(judgement.has(Flag::position));
  const auto flagged = [](double first) {
    const auto four = block(4, 16, first);
    return judge({four[3], four[1]}, {}).has(Flag::position);
  };
  EXPECT_TRUE(flagged(1.012)) << "0.6 % at the first place, half the margin is 0.5 %";
  EXPECT_FALSE(flagged(1.008));
}

std::vector<SliceValue> quarters(std::size_t n, double first, double last) {
  return std::vector<SliceValue>(n, {.first_quarter = first, .last_quarter = last});
}

TEST(QuartersInterval, IsOfTheLogOfFirstOverLast) {
  const auto range = quarters_interval(quarters(7, 1.2, 1.0), 0.05);
  EXPECT_NEAR(range.low, std::log(1.2), 1e-12);
  EXPECT_NEAR(range.high, std::log(1.2), 1e-12);
  EXPECT_FALSE(quarters_interval(quarters(6, 1.2, 1.0), 0.05).finite());
  EXPECT_FALSE(quarters_interval(quarters(9, 0, 0), 0.05).finite()) << "unknown";
}

TEST(CarriesOver, NeedsTheWholeIntervalBeyondDelta) {
  EXPECT_TRUE(carries_over(quarters(8, 1.05, 1), 0.01, 0.05));
  EXPECT_TRUE(carries_over(quarters(8, 1, 1.05), 0.01, 0.05)) << "a filled queue makes the beginning faster";
  EXPECT_FALSE(carries_over(quarters(8, 1.005, 1), 0.01, 0.05));
  auto mixed = quarters(8, 1.05, 1);
  mixed[3].first_quarter = 1;
  EXPECT_FALSE(carries_over(mixed, 0.01, 0.05));
}

TEST(Judge, FlagsCarryOverOfEitherArm) {
  ContrastSlices contrast;
  for (std::uint32_t square = 0; square < 8; ++square) {
    contrast.a.push_back({.seconds = 1, .process = square, .square = square, .first_quarter = 1, .last_quarter = 1});
  }
  contrast.b = contrast.a;
  EXPECT_FALSE(judge(contrast, {}).has(Flag::carry_over));
  for (SliceValue& slice : contrast.b) slice.first_quarter = 1.1;
  EXPECT_TRUE(judge(contrast, {}).has(Flag::carry_over));
}

constexpr double delta = 0.01;

/// Six slices of 16 samples around 1 that scatter by `spread`, the first `unlike` of them `factor` times as long.
std::vector<std::vector<double>> resumed(std::size_t unlike, double factor, double spread) {
  std::vector<std::vector<double>> made(6, std::vector<double>(16));
  for (std::size_t s = 0; s < made.size(); ++s) {
    for (std::size_t i = 0; i < made[s].size(); ++i) {
      const double noise = std::exp(spread * 2 * (static_cast<double>(random_unit(s, i)) - 0.5));
      made[s][i] = (i < unlike ? factor : 1) * noise * static_cast<double>(s + 1);
    }
  }
  return made;
}

TEST(ReEntry, HoldsStepsThatWerePrefetched) {
  EXPECT_EQ(unsettled_samples(resumed(8, 1e-4, 0.05), delta), 8U);
  EXPECT_EQ(unsettled_samples(resumed(5, 0.5, 0.05), delta), 5U);
}

TEST(ReEntry, HoldsStepsThatColdCachesSlow) { EXPECT_EQ(unsettled_samples(resumed(3, 1.3, 0.005), delta), 3U); }

TEST(ReEntry, IsEmptyWhereNothingDiffers) {
  EXPECT_EQ(unsettled_samples(resumed(0, 1, 0.001), delta), 0U);
  EXPECT_LE(unsettled_samples(resumed(0, 1, 0.3), delta), 1U);
}

TEST(ReEntry, IgnoresDifferencesBelowDelta) { EXPECT_EQ(unsettled_samples(resumed(8, 1.005, 0), delta), 0U); }

TEST(ReEntry, GoesOverOneSettledSampleButNotOverTwo) {
  auto made = resumed(6, 2, 0.01);
  for (auto& slice : made) slice[2] /= 2;
  EXPECT_EQ(unsettled_samples(made, delta), 6U);
  for (auto& slice : made) slice[3] /= 2;
  EXPECT_EQ(unsettled_samples(made, delta), 2U);
}

TEST(ReEntry, ReachesTheMiddleOfSlicesThatGetFasterToTheirEnd) {
  std::vector<std::vector<double>> falling(6);
  for (auto& slice : falling) {
    for (int i = 0; i < 10; ++i) slice.push_back(std::exp(-i));
  }
  EXPECT_GE(unsettled_samples(falling, delta), 5U);
}

TEST(ReEntry, LooksAtPositionsThatAllSlicesHave) {
  EXPECT_EQ(unsettled_samples({}, delta), 0U);
  EXPECT_EQ(unsettled_samples(std::vector<std::vector<double>>{{1}, {1, 2, 3}}, delta), 0U);
}

}  // namespace
}  // namespace regatta::stats

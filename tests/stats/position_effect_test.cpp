#include "regatta/stats/position_effect.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "regatta/stats/slices.hpp"

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

TEST(PositionEffects, AreRelativeToTheMeanOfPlaces) {
  const auto effects = effects_of(block(2, 7, 1.2));
  ASSERT_EQ(effects.size(), 2U);
  EXPECT_NEAR(effects[0].value, std::log(1.2) / 2, 1e-12);
  EXPECT_NEAR(effects[1].value, -std::log(1.2) / 2, 1e-12);
  EXPECT_NEAR(effects[0].range.low, std::log(1.2) / 2, 1e-12);
  const auto of_four = effects_of(block(4, 7, 1.2));
  ASSERT_EQ(of_four.size(), 4U);
  EXPECT_NEAR(of_four[0].value, std::log(1.2) * 3 / 4, 1e-12);
  EXPECT_NEAR(of_four[3].value, -std::log(1.2) / 4, 1e-12);
}

TEST(PositionEffects, AreUnknownBelowSevenSquaresAndNoneForOneArm) {
  EXPECT_FALSE(effects_of(block(2, 6, 1.2))[0].range.finite());
  EXPECT_TRUE(effects_of(block(1, 7, 1.2)).empty());
  EXPECT_TRUE(effects_of({}).empty());
}

TEST(PositionMatters, BeyondTheLimitOnly) {
  const auto effects = effects_of(block(3, 7, 1.02));
  EXPECT_TRUE(position_matters(effects, 0.01));
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
  const auto slices = block(4, 7, 1.5);
  const auto judgement = judge({slices[3], slices[1]}, {});
  EXPECT_NEAR(judgement.estimate, std::log(2), 1e-12);
  EXPECT_TRUE(judgement.has(JudgementFlag::position));
  const auto flagged = [](double first) {
    const auto four = block(4, 7, first);
    return judge({four[3], four[1]}, {}).has(JudgementFlag::position);
  };
  EXPECT_TRUE(flagged(1.01)) << "0.75 % at the first place, half the margin is 0.5 %";
  EXPECT_FALSE(flagged(1.005));
}

}  // namespace
}  // namespace regatta::stats

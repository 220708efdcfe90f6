#include "regatta/stats/coarsen.hpp"

#include <gtest/gtest.h>

namespace regatta::stats {
namespace {

Sample sample(std::uint32_t slice, Phase phase, std::uint32_t steps, double seconds, std::uint8_t flags = 0) {
  return {.slice = slice, .phase = phase, .flags = flags, .steps = steps, .seconds = seconds};
}

TEST(JoinNeighbours, HalvesASliceAndKeepsItsTotals) {
  std::vector<Sample> samples = {sample(1, Phase::steady, 3, 0.5, 1), sample(1, Phase::steady, 3, 0.25, 4),
                                 sample(1, Phase::steady, 2, 0.125)};
  join_neighbours(samples);
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].steps, 6U);
  EXPECT_DOUBLE_EQ(samples[0].seconds, 0.75);
  EXPECT_EQ(samples[0].flags, 5);
  EXPECT_EQ(samples[1].steps, 2U);
}

TEST(JoinNeighbours, JoinsNothingAcrossSlicesPhasesOrFirstSteps) {
  std::vector<Sample> samples = {sample(1, Phase::first, 1, 1), sample(1, Phase::first, 1, 1),
                                 sample(2, Phase::reentry, 1, 1), sample(2, Phase::steady, 1, 1),
                                 sample(3, Phase::steady, 1, 1)};
  join_neighbours(samples);
  EXPECT_EQ(samples.size(), 5U);
}

TEST(JoinNeighbours, DoesNotOverflowTheNumberOfSteps) {
  std::vector<Sample> samples = {sample(1, Phase::steady, 0xffffffffU, 1), sample(1, Phase::steady, 1, 1)};
  join_neighbours(samples);
  EXPECT_EQ(samples.size(), 2U);
}

}  // namespace
}  // namespace regatta::stats

#include "regatta/stats/cold_starts.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace regatta::stats {
namespace {

Sample part(std::uint32_t slice, Phase phase, double seconds, std::uint16_t arm = 0) {
  return {.slice = slice, .arm = arm, .phase = phase, .steps = has_steps(phase) ? 1U : 0U, .seconds = seconds};
}

TEST(ColdStarts, GoFromTheStartOfAProcessToTheEndOfItsFirstStep) {
  const std::vector<Sample> block = {part(0, Phase::start, 2),    part(0, Phase::prepare, 0.5),
                                     part(1, Phase::start, 9, 1), part(1, Phase::prepare, 9, 1),
                                     part(2, Phase::first, 0.25), part(3, Phase::warmup, 7),
                                     part(4, Phase::steady, 7)};
  const auto found = cold_starts(block, 2);
  ASSERT_EQ(found.at(0).size(), 1U);
  EXPECT_EQ(found[0][0].start, 2);
  EXPECT_EQ(found[0][0].prepare, 0.5);
  EXPECT_EQ(found[0][0].first_step, 0.25);
  EXPECT_EQ(found[0][0].seconds(), 2.75);
  EXPECT_TRUE(found.at(1).empty()) << "it never made a step";
}

TEST(ColdStarts, AreNotThoseOfProcessesThatWereWarm) {
  const std::vector<Sample> block = {part(0, Phase::prepare, 0.5), part(1, Phase::first, 0.25),
                                     part(2, Phase::start, 1),     part(2, Phase::prepare, 1),
                                     part(3, Phase::first, 1),     part(3, Phase::first, 5)};
  const auto found = cold_starts(block, 1).front();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].process, 1U) << "as slice values count them";
  EXPECT_EQ(found[0].seconds(), 3) << "the first of the samples of its first slice";
}

TEST(ColdStarts, AreUnknownInFilesThatDoNotHoldThem) {
  EXPECT_TRUE(cold_starts(std::vector<Sample>{part(0, Phase::first, 1)}, 1).front().empty());
  EXPECT_TRUE(std::isnan(cold_start({}).value));
}

TEST(ColdStarts, HaveAnIntervalFromSevenProcessesOn) {
  std::vector<ColdStart> starts;
  for (const double seconds : {7, 2, 3, 4, 5, 6}) starts.push_back({0, seconds, 0, 0});
  EXPECT_FALSE(cold_start(starts).range.finite());
  starts.push_back({6, 0, 0, 1});
  EXPECT_EQ(cold_start(starts).value, 4);
  EXPECT_EQ(cold_start(starts).range, (Range{1, 7}));
}

}  // namespace
}  // namespace regatta::stats

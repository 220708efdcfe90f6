#include "analysis/slice_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sample_results.hpp"

namespace regatta::analysis {
namespace {

using testing::ElementsAre;
using testing_support::ResultsBuilder;

constexpr TrialIndex first{0};
constexpr TrialIndex second{1};
constexpr BlockIndex block{0};

TEST(SliceValues, DivideElapsedByStepsAndLeaveOutReentry) {
  ResultsBuilder made;
  made.slices(block, first, {2, 3});  // each after a re-entry a hundred times slower
  EXPECT_THAT(SliceValues(made.results.samples).of(block, first).seconds_per_step, ElementsAre(2, 3));
}

TEST(SliceValues, StandInOrderOfTimeWhateverTheOrderOfSamples) {
  ResultsBuilder made;
  made.slices(block, first, {2, 3, 5});
  std::reverse(made.results.samples.begin(), made.results.samples.end());
  EXPECT_THAT(SliceValues(made.results.samples).of(block, first).seconds_per_step, ElementsAre(2, 3, 5));
}

TEST(SliceValues, KeepTrialsAndBlocksApart) {
  ResultsBuilder made;
  made.slices(block, first, {2});
  made.slices(block, second, {3});
  made.slices(BlockIndex{1}, first, {5});
  const SliceValues values(made.results.samples);
  EXPECT_THAT(values.of(block, first).seconds_per_step, ElementsAre(2));
  EXPECT_THAT(values.of(block, second).seconds_per_step, ElementsAre(3));
  EXPECT_THAT(values.of(BlockIndex{1}, first).seconds_per_step, ElementsAre(5));
  EXPECT_TRUE(values.of(BlockIndex{1}, second).seconds_per_step.empty());
}

TEST(SliceValues, RememberDisturbedSamples) {
  ResultsBuilder made;
  made.slices(block, first, {2});
  EXPECT_FALSE(SliceValues(made.results.samples).of(block, first).disturbed);
  made.results.samples.back().sample.flags = 2;
  EXPECT_TRUE(SliceValues(made.results.samples).of(block, first).disturbed);
}

}  // namespace
}  // namespace regatta::analysis

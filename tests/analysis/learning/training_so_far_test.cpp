#include "regatta/analysis/training_so_far.hpp"

#include <gtest/gtest.h>

#include "analysis/learning/trained.hpp"

namespace regatta::analysis {
namespace {

using testing_support::falling;
using testing_support::trained;
using testing_support::TrainedSweep;

/// The state after the first legs of a search among eighteen configurations.
TrainingSoFar after_legs(std::size_t legs, TrainedSweep made = {.configurations = 18, .quality = falling(0.9, 0.01)}) {
  made.most_legs = legs;
  const auto results = trained(made);
  return training_so_far(results, *learning_of(results), 3);
}

std::vector<std::uint32_t> trials_of(const TrainingSoFar& so_far) {
  std::vector<std::uint32_t> trials;
  for (const Frontrunner& runner : so_far.ahead) trials.push_back(runner.trial.value);
  return trials;
}

TEST(TrainingSoFar, KnowsTheRungAndWhoIsLeft) {
  const TrainingSoFar nothing = after_legs(0);
  EXPECT_EQ(nothing.stage, TrainingStage::rung);
  EXPECT_EQ(nothing.left, 18U);
  EXPECT_EQ(nothing.recorded, 0U);
  EXPECT_EQ(nothing.asked, nothing.legs_due);
  EXPECT_TRUE(nothing.ahead.empty());

  const TrainingSoFar some = after_legs(5);
  EXPECT_EQ(some.recorded, 5U);
  EXPECT_EQ(some.asked, nothing.asked);
  EXPECT_EQ(some.rung, 0U);

  const TrainingSoFar second = after_legs(nothing.asked + 2);
  EXPECT_EQ(second.stage, TrainingStage::rung);
  EXPECT_EQ(second.rung, 1U);
  EXPECT_EQ(second.recorded, 2U);
  EXPECT_LT(second.left, 18U);
  EXPECT_GE(second.asked, second.left);
  EXPECT_LT(second.asked, nothing.asked);
  EXPECT_GT(second.legs_due, second.asked - second.recorded) << "stopped ones are trained on";
}

TEST(TrainingSoFar, ShowsWhoGotFurtherFirstThenTheBest) {
  const auto first = after_legs(0).asked;
  const TrainingSoFar all_of_first = after_legs(first);
  EXPECT_EQ(trials_of(all_of_first), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(all_of_first.ahead.front().points.size(), 4U);

  const auto forgets = [](std::uint32_t configuration, std::int64_t, double to) {
    return std::optional(to < 0.2 ? 0.5 + 0.01 * configuration : 0.1);
  };
  const TrainingSoFar second = after_legs(first + 1, {.configurations = 18, .quality = forgets});
  ASSERT_EQ(second.recorded, 1U);
  EXPECT_EQ(second.ahead.front().best, 0.1) << "though others are better at the end of the first rung";
  EXPECT_EQ(second.ahead.front().points.size(), 8U) << "both legs of its run";
  EXPECT_GT(second.ahead[1].best, 0.6);
  EXPECT_EQ(second.ahead[1].points.size(), 4U);
}

TEST(TrainingSoFar, ShowsFinalistsUnderFreshSeedsWithTheirMedian) {
  const auto whole = trained({.configurations = 18, .quality = falling(0.9, 0.01)});
  std::size_t before = 0;
  for (const auto& leg : whole.legs)
    before += leg.leg.purpose == sweep::Purpose::search || leg.leg.purpose == sweep::Purpose::clone;
  const TrainingSoFar finals = after_legs(before + 20);
  EXPECT_EQ(finals.stage, TrainingStage::fresh);
  EXPECT_EQ(finals.asked, finals.left * 12);
  EXPECT_GT(finals.recorded, 0U);
  EXPECT_EQ(trials_of(finals).front(), 0U);
  EXPECT_GT(finals.ahead.front().runs, 1U);
  EXPECT_NEAR(finals.ahead.front().best, 0.9, 0.01);

  const TrainingSoFar begun = after_legs(before + 1);
  EXPECT_GT(begun.left, 1U);
  EXPECT_EQ(begun.ahead.size(), begun.left) << "those that have no such run yet stand behind, as the search saw them";
  EXPECT_EQ(begun.ahead.back().points.size(), 12U);

  const TrainingSoFar again = after_legs(whole.legs.size() - 1);
  EXPECT_EQ(again.stage, TrainingStage::again);
  EXPECT_EQ(again.left, 1U);
  EXPECT_EQ(again.asked, 1U);

  const TrainingSoFar tested = after_legs(whole.legs.size() - 2);
  EXPECT_EQ(tested.stage, TrainingStage::test);
  EXPECT_EQ(tested.legs_due, 1U);
  EXPECT_EQ(after_legs(whole.legs.size()).stage, TrainingStage::over);
  EXPECT_EQ(after_legs(whole.legs.size()).legs_due, 0U);
}

TEST(TrainingSoFar, CountsSeedsWithoutASearch) {
  const TrainedSweep whole{.configurations = 3, .searches = false, .quality = falling(0.9, 0.01)};
  const TrainingSoFar so_far = after_legs(20, whole);
  EXPECT_EQ(so_far.stage, TrainingStage::seeds);
  EXPECT_EQ(so_far.recorded, 20U);
  EXPECT_EQ(so_far.asked, 36U);
  EXPECT_EQ(so_far.trainings, 20);
  EXPECT_EQ(trials_of(so_far).front(), 0U);
}

TEST(TrainingSoFar, PutsTheLowestLossFirst) {
  const auto rising = [](std::uint32_t configuration, std::int64_t, double) {
    return std::optional(0.1 + 0.03 * configuration);
  };
  const TrainingSoFar so_far = after_legs(9, {.metric = "validation_loss", .quality = rising});
  EXPECT_EQ(trials_of(so_far), (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(TrainingSoFar, LeavesOutWhatDiverged) {
  const auto diverges = [](std::uint32_t configuration, std::int64_t, double) {
    return configuration == 0 ? std::nullopt : std::optional(0.9 - 0.01 * configuration);
  };
  EXPECT_EQ(trials_of(after_legs(9, {.quality = diverges})), (std::vector<std::uint32_t>{1, 2, 3}));
}

}  // namespace
}  // namespace regatta::analysis

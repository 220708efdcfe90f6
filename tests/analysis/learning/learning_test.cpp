#include "regatta/analysis/learning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/learning/trained.hpp"

namespace regatta::analysis {
namespace {

using testing_support::falling;
using testing_support::trained;
using testing_support::TrainedSweep;

TEST(Learning, IsNothingForABenchmark) { EXPECT_FALSE(learning_of(testing_support::sample_results())); }

TEST(Learning, NamesTheTrialsOfAFinishedSearch) {
  const auto found = learning_of(trained({.quality = falling(0.95, 0.004)}));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->over);
  EXPECT_EQ(found->leader, TrialIndex{0});
  ASSERT_FALSE(found->ranking.empty());
  const Ranked& leader = found->ranking.front();
  EXPECT_EQ(leader.trial, TrialIndex{0});
  EXPECT_EQ(leader.validation.by_seed.size(), 12U);
  EXPECT_EQ(leader.test.by_seed.size(), 12U);
  EXPECT_NEAR(leader.test.mean.value, 0.90, 0.005);
  EXPECT_NEAR(leader.test_loss.mean.value, 0.3, 1e-9);
  EXPECT_EQ(found->stopped.size() + found->ranking.size(), 9U) << "all of the last rung are near enough";
  EXPECT_EQ(found->axes, std::vector<sweep::Param>{sweep::Param::learning_rate});
  ASSERT_GT(found->ranking.size(), 1U);
  EXPECT_GT(found->ranking[1].correlation.value_or(0), 0.9) << "a seed moves all of them alike";
}

TEST(Learning, IsNotOverWhereLegsAreDue) {
  const auto found = learning_of(trained({.quality = falling(0.95, 0.004), .most_legs = 20}));
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->over);
  EXPECT_FALSE(found->leader);
  EXPECT_THAT(found->warnings, testing::Contains(search::Warning::unfinished));
}

TEST(Learning, TakesTheLowestOfALoss) {
  const auto rising = [](std::uint32_t configuration, std::int64_t seed, double to) {
    return std::optional(0.1 + 0.03 * configuration + 0.05 * (1 - to) + testing_support::noise_of(configuration, seed));
  };
  const auto found =
      learning_of(trained({.configurations = 3, .searches = false, .metric = "validation_loss", .quality = rising}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->leader, TrialIndex{0});
  ASSERT_EQ(found->ranking.size(), 3U);
  EXPECT_NEAR(found->ranking[1].behind.value, 0.03, 0.002);
  EXPECT_FALSE(found->ranking[1].in_set);
  EXPECT_FALSE(found->ranking[1].new_samples) << "a loss is no part of samples";
}

TEST(Learning, HasOneConfigurationThatLeads) {
  const auto found = learning_of(trained({.configurations = 1, .searches = false, .quality = falling(0.95, 0)}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->leader, TrialIndex{0});
  EXPECT_EQ(found->ranking.size(), 1U);
  EXPECT_TRUE(found->ranking.front().in_set);
}

TEST(Learning, HasNoLeaderWhereAllDiverge) {
  for (const bool searches : {true, false}) {
    const auto found = learning_of(
        trained({.configurations = 4, .searches = searches, .quality = [](auto, auto, auto) { return std::nullopt; }}));
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->leader);
    EXPECT_THAT(found->warnings, testing::Contains(search::Warning::all_diverged)) << searches;
    EXPECT_EQ(found->tally.diverged, found->tally.runs);
  }
}

TEST(Learning, FlagsADifferenceThatTheTestPartIsTooSmallFor) {
  const auto with_step = [](double step) {
    const auto quality = [step](std::uint32_t configuration, std::int64_t seed, double to) {
      const bool is_fresh = seed >= sweep::first_fresh_seed;  // the search is deceived
      return falling(0.95, is_fresh ? step : 0)(configuration, seed, to);
    };
    return learning_of(trained({.configurations = 2, .halves = false, .quality = quality}));
  };
  const auto small = with_step(0.02);
  ASSERT_TRUE(small && small->ranking.size() == 2);
  EXPECT_FALSE(small->ranking[1].in_set);
  EXPECT_TRUE(small->ranking[1].few_test_samples) << "360 samples tell an accuracy of 90 % to 3 points";
  const auto large = with_step(0.2);
  ASSERT_TRUE(large && large->ranking.size() == 2);
  EXPECT_FALSE(large->ranking[1].in_set);
  for (const Ranked& row : large->ranking) EXPECT_FALSE(row.few_test_samples);
}

TEST(Learning, KeepsTheMessagesOfLegsThatFailed) {
  auto results = trained({.configurations = 2, .searches = false, .quality = falling(0.9, 0)});
  results.legs[3].outcome = sweep::Failed{sweep::FailureKind::reported, "no such layer"};
  const auto found = learning_of(results);
  ASSERT_TRUE(found && found->failures.size() == 1);
  EXPECT_THAT(found->failures.front().message, testing::HasSubstr("no such layer"));
}

}  // namespace
}  // namespace regatta::analysis

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/learning/learning.hpp"
#include "analysis/learning/trained.hpp"

namespace regatta::analysis {
namespace {

using testing_support::falling;
using testing_support::trained;

TEST(PlainTraining, TellsWorseFromAsGoodWithTwelveSeeds) {
  const auto quality = [](std::uint32_t configuration, std::int64_t seed, double to) -> std::optional<double> {
    const double shaky = configuration == 1 ? (seed % 2 == 0 ? 0.02 : -0.02) : 0;
    return *falling(0.95, 0.015)(configuration, seed, to) + shaky;
  };
  const auto found = learning_of(trained({.configurations = 3, .searches = false, .quality = quality}));
  ASSERT_TRUE(found && found->ranking.size() == 3);
  EXPECT_EQ(found->leader, TrialIndex{0});
  EXPECT_EQ(found->ranking[1].trial, TrialIndex{1});
  EXPECT_GT(found->ranking[1].behind.value, 0.01);
  EXPECT_TRUE(found->ranking[1].in_set) << "1.5 points, but not surely more than the margin of one";
  EXPECT_FALSE(found->ranking[2].in_set);
  EXPECT_NEAR(found->ranking[2].behind.value, 0.03, 0.001);
  EXPECT_EQ(found->ranking[2].pairs, 12U);
}

TEST(PlainTraining, HasNoVerdictWithThreeSeeds) {
  const auto found =
      learning_of(trained({.configurations = 3, .seeds = 3, .searches = false, .quality = falling(0.95, 0.1)}));
  ASSERT_TRUE(found && found->ranking.size() == 3);
  EXPECT_TRUE(found->ranking[1].in_set);
  EXPECT_TRUE(found->ranking[2].in_set);
  EXPECT_THAT(found->warnings, testing::Contains(search::Warning::few_seeds));
}

TEST(PlainTraining, PutsLastWhatDivergesUnderMostSeeds) {
  const auto quality = [](std::uint32_t configuration, std::int64_t seed, double) -> std::optional<double> {
    if (configuration == 0 && seed > 0) return std::nullopt;
    return 0.99 - 0.05 * configuration + testing_support::noise_of(configuration, seed);
  };
  const auto found = learning_of(trained({.configurations = 2, .searches = false, .quality = quality}));
  ASSERT_TRUE(found && found->ranking.size() == 2);
  EXPECT_EQ(found->leader, TrialIndex{1}) << "one run of 99 % is no evidence beside eleven that diverged";
  EXPECT_EQ(found->ranking[1].diverged, 11U);
  EXPECT_FALSE(found->ranking[1].in_set);
}

}  // namespace
}  // namespace regatta::analysis

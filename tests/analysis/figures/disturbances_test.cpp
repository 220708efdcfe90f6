#include "regatta/analysis/disturbances.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/full_results.hpp"

namespace regatta::analysis {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Disturbances, CountScoredSlicesOnceHoweverManySamplesTheyHave) {
  const auto found = disturbances_of(testing_support::full_results());
  EXPECT_EQ(found.slices, 8 * (4 * 4 + 3 * 3 + 3 * 3));  // squares x (arms x rounds) of the three blocks
  EXPECT_EQ(found.disturbed, 2);
  EXPECT_THAT(found.by_kind, ElementsAre(Pair("preempted", 2)));
  EXPECT_EQ(found.of("preempted"), 2);
  EXPECT_EQ(found.of("throttled"), 0);
  ASSERT_EQ(found.by_trial.size(), 10U);
  EXPECT_EQ(found.by_trial[4].disturbed, 2) << "native eager at batch 32";
  EXPECT_EQ(found.by_trial[4].slices, 8 * 3);
  EXPECT_EQ(found.by_trial[0].slices, 2 * 8 * 4) << "with its clone";
  EXPECT_EQ(found.by_trial[0].disturbed, 0);
}

TEST(Disturbances, AreNoneOfNothing) {
  const auto found = disturbances_of({});
  EXPECT_EQ(found.slices, 0);
  EXPECT_TRUE(found.by_kind.empty());
}

}  // namespace
}  // namespace regatta::analysis

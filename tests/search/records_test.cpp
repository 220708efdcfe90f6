#include <gtest/gtest.h>

#include <limits>

#include "regatta/base/error.hpp"
#include "search/search.hpp"

namespace regatta::search {
namespace {

constexpr sweep::Leg leg{.purpose = sweep::Purpose::fresh, .seed = 1001, .rung = 0, .from = 0, .to = 1};

TEST(Records, FindALegByWhatItIs) {
  const std::vector<Done> runs = {{.configuration = 2, .leg = leg, .score = 0.5, .test = {}}};
  const Records records = records_of(runs);
  ASSERT_NE(recorded(records, {2, leg}), nullptr);
  EXPECT_EQ(recorded(records, {2, leg})->score, 0.5);
  EXPECT_EQ(recorded(records, {1, leg}), nullptr);
  sweep::Leg other = leg;
  other.purpose = sweep::Purpose::test;
  EXPECT_EQ(recorded(records, {2, other}), nullptr);
}

TEST(Records, RefuseALegTwice) {
  const std::vector<Done> runs(2, {.configuration = 2, .leg = leg, .score = 0.5, .test = {}});
  EXPECT_THROW(records_of(runs), InternalError);
}

TEST(Records, TurnScoresSoThatMoreIsBetter) {
  sweep::Objective objective;
  EXPECT_EQ(goodness_of(objective, 0.5), 0.5);
  objective.maximizes = false;
  EXPECT_EQ(goodness_of(objective, 0.5), -0.5);
  EXPECT_EQ(score_of(objective, -0.5), 0.5);
}

TEST(Records, CountWhatIsNotFiniteAsNoScore) {
  EXPECT_FALSE(goodness_of({}, std::nullopt));
  EXPECT_FALSE(goodness_of({}, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(
      goodness_of({.metric = "loss", .maximizes = false, .margin = 0}, std::numeric_limits<double>::infinity()));
}

}  // namespace
}  // namespace regatta::search

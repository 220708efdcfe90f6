#include <gtest/gtest.h>

#include "analysis/learning/learning.hpp"
#include "analysis/learning/trained.hpp"

namespace regatta::analysis {
namespace {

using testing_support::falling;
using testing_support::trained;

TEST(Tally, CountsTheClockOfARunOnceOverItsRungs) {
  auto results = trained({.configurations = 9, .quality = falling(0.95, 0.05)});
  std::erase_if(results.legs, [](const auto& leg) { return leg.leg.purpose == sweep::Purpose::again; });
  const Tally tally = tally_of(results);
  EXPECT_EQ(tally.configurations, 9U);
  EXPECT_EQ(tally.legs, results.legs.size());
  double trained_parts = 0;
  for (const auto& leg : results.legs) trained_parts += leg.leg.to - leg.leg.from;
  EXPECT_NEAR(tally.train_seconds, trained_parts, 0.01 * trained_parts) << "a run from begin to end takes a second";
  EXPECT_NEAR(tally.evaluate_seconds, 0.1 * trained_parts, 0.01 * trained_parts);
}

TEST(Tally, KnowsTheSizesOfTheParts) {
  const Parts parts = parts_of(trained({.configurations = 1, .searches = false, .quality = falling(0.9, 0)}).legs);
  EXPECT_EQ(parts.training, 800);
  EXPECT_EQ(parts.validation, 200);
  EXPECT_EQ(parts.test, 360);
}

}  // namespace
}  // namespace regatta::analysis

#include "same_work.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::launcher {
namespace {

TEST(SameWork, AcceptsRoundingAndRefusesMore) {
  EXPECT_EQ(difference({{1.0, 2.0}}, {{1.0005, 2.0}}), "");
  EXPECT_EQ(difference({{1.0, 2.0}, {1.0, 4.0}}, {{1.0, 2.0}, {1.0, 3.0}}),
            "step 2, row 1: 4 and 3 differ by 0.25 (relative; tolerance 0.001)");
}

TEST(SameWork, ComparesSmallLossesAbsolutely) {
  EXPECT_EQ(difference({{1e-7}}, {{3e-7}}), "");
  EXPECT_NE(difference({{1e-3}}, {{3e-3}}), "");
}

TEST(SameWork, NanIsADifference) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(difference({{nan}}, {{nan}}), "");
}

TEST(SameWork, RefusesLossesThatAreMissing) {
  EXPECT_NE(difference({}, {}), "");
  EXPECT_NE(difference({{1.0}}, {{1.0}, {1.0}}), "");
  EXPECT_NE(difference({{1.0}}, {{1.0, 1.0}}), "");
  EXPECT_NE(difference({{}}, {{}}), "");
}

sweep::Parameters parameters_of(const std::string& engine, const std::string& more) {
  const auto sweep = sweep::parse_sweep(
      R"({"regatta": 1, "name": "s", "axes": {"engine": ")" + engine + "\", " + more + "}}", "s.json");
  return sweep::make_plan(sweep).trials.at(0).parameters;
}

bool comparable_engines(const std::string& more) {
  return comparable(parameters_of("native", more), parameters_of("numpy", more));
}

TEST(SameWork, MustBeDoneByTrialsThatDifferInHowTheyCompute) {
  EXPECT_TRUE(comparable_engines(R"("model": "mlp-10")"));
  EXPECT_TRUE(comparable_engines(R"("model": "mlp-10", "work": "infer")"));
  EXPECT_TRUE(comparable_engines(R"("model": "matmul-1000")"));
}

TEST(SameWork, IsNotAskedOfDifferentTrials) {
  const auto trial = parameters_of("native", R"("model": "mlp-10")");
  for (const char* other : {R"("model": "mlp-10", "batch": 64)", R"("model": "mlp-10", "seed": 1)",
                            R"("model": "mlp-10", "work": "infer")", R"("model": "mlp-784")"}) {
    EXPECT_FALSE(comparable(trial, parameters_of("native", other))) << other;
  }
}

TEST(SameWork, IsNotAskedWhereNothingIsComputed) {
  EXPECT_FALSE(comparable_engines(R"("model": "noop")"));
  EXPECT_FALSE(comparable_engines(R"("model": {"name": "mine", "noop": true})"));
}

}  // namespace
}  // namespace regatta::launcher

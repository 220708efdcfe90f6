#include "regatta/analysis/call_costs.hpp"

#include <gtest/gtest.h>

#include "regatta/stats/rules.hpp"

namespace regatta::analysis {
namespace {

/// A curve of T = a + b batch, in seconds per sample.
Curve line(const char* name, double a, double b) {
  Curve curve{name, {}, {}};
  for (const double batch : {1.0, 10.0, 100.0}) curve.seconds[batch] = a / batch + b;
  return curve;
}

Growth growth_with(std::vector<Curve> curves) {
  Growth growth;
  growth.per_sample = true;
  growth.panels = {{"mlp-10", std::move(curves), {}}};
  return growth;
}

TEST(CallCosts, AreTheLineThroughTheBatches) {
  const auto found = call_costs(growth_with({line("native", 1e-6, 1e-7), line("numpy", 60e-6, 1e-6)}));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].arm, "numpy");  // calls cost it most
  EXPECT_NEAR(found[0].calls_seconds, 60e-6, 1e-12);
  EXPECT_NEAR(found[0].seconds_per_row, 1e-6, 1e-12);
  EXPECT_EQ(found[0].where, "mlp-10");
  EXPECT_EQ(found[0].smallest_batch, 1);
  EXPECT_EQ(found[0].largest_batch, 100);
}

TEST(CallCosts, KnowABentLine) {
  Curve bent = line("numpy", 60e-6, 1e-6);
  bent.seconds[10] *= 2;
  const auto found = call_costs(growth_with({bent}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_GT(found[0].misfit, stats::rules::most_misfit);
}

TEST(CallCosts, NeedThreeBatchesAndTheBatchAsAxis) {
  Curve two{"numpy", {{1, 60e-6}, {2, 31e-6}}, {}};
  EXPECT_TRUE(call_costs(growth_with({two})).empty());
  Growth lengths = growth_with({line("numpy", 60e-6, 1e-6)});
  lengths.axis = sweep::Param::length;
  EXPECT_TRUE(call_costs(lengths).empty());
}

TEST(CallCosts, SayNothingWhereCallsCostNothing) {
  EXPECT_TRUE(call_costs(growth_with({line("native", 0, 1e-6)})).empty());
}

}  // namespace
}  // namespace regatta::analysis

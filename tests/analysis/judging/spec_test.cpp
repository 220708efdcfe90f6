#include <gtest/gtest.h>

#include "analysis/judging/judging.hpp"

namespace regatta::analysis {
namespace {

results::Results results_of(const std::string& engine) {
  results::Results results;
  results.provenance.sweep_json =
      R"({"regatta": 1, "name": "s", "axes": {"model": "mlp-10", "engine": ")" + engine + "\"}}";
  return results;
}

TEST(SpecOf, ReadsASweepWhoseEnvironmentsAreNotHere) {
  const auto sweep = spec_of(results_of("numpy@gone"));
  ASSERT_TRUE(sweep.has_value());
  EXPECT_EQ(sweep->axes.size(), 2U);
}

TEST(SpecOf, IsNothingForAnotherGrammar) { EXPECT_FALSE(spec_of(results_of("engine-to-come")).has_value()); }

}  // namespace
}  // namespace regatta::analysis

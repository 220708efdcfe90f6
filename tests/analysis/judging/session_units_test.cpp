// How sessions are compared by them is seen in tests/analysis/sessions.
#include "analysis/judging/session_units.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "report/sample_results.hpp"

namespace regatta::analysis {
namespace {

using testing_support::arm;

TEST(SessionUnits, OfACellThatWasMeasuredAgainAreThoseOfTheFinal) {
  testing_support::ResultsBuilder made;
  const TrialIndex baseline = made.trial(arm("native", "graph", 1)), eager = made.trial(arm("native", "eager", 1));
  for (const double seconds : {1.0, 2.0}) {
    const BlockIndex block = made.block({baseline, eager});
    made.results.blocks[block.value].measured_again = seconds > 1;
    for (const TrialIndex trial : {baseline, eager}) made.slices(block, trial, {seconds, seconds});
  }
  const auto units = session_units(made.results, {});
  EXPECT_EQ(units[eager.value].log_values, std::vector<double>(2, std::log(2)));
  EXPECT_EQ(units[baseline.value].log_values.size(), 4U) << "the baseline counts wherever it stands";
}

}  // namespace
}  // namespace regatta::analysis

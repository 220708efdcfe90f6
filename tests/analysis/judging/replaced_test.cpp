#include <gtest/gtest.h>

#include "analysis/judging/judging.hpp"
#include "report/sample_results.hpp"

namespace regatta::analysis {
namespace {

using testing_support::arm;

TEST(Replaced, IsWhatWasMeasuredAgainBesideTheSameBaseline) {
  testing_support::ResultsBuilder made;
  const TrialIndex baseline = made.trial(arm("native", "graph", 1)), other = made.trial(arm("native", "graph", 8));
  const TrialIndex eager = made.trial(arm("native", "eager", 1)), numpy = made.trial(arm("numpy", nullptr, 1));
  const BlockIndex first = made.block({baseline, eager, numpy});
  const BlockIndex beside_other = made.block({other, eager});
  const BlockIndex final = made.block({baseline, eager, numpy});
  made.results.blocks[final.value].measured_again = true;
  made.slices(final, baseline, {1});
  made.slices(final, eager, {1});  // numpy failed this time
  const Replaced replaced(made.results);
  const auto contains = [&](BlockIndex block, std::size_t at) {
    return replaced.contains(made.results.blocks[block.value], at);
  };
  EXPECT_TRUE(contains(first, 1));
  EXPECT_FALSE(contains(first, 0)) << "the baseline stands in all of them";
  EXPECT_FALSE(contains(first, 2));
  EXPECT_FALSE(contains(beside_other, 1));
  EXPECT_FALSE(contains(final, 1));
}

}  // namespace
}  // namespace regatta::analysis

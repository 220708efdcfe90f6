#include "report/findings/view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sample_results.hpp"

namespace regatta::report {
namespace {

using testing::ElementsAre;
using testing_support::sample_results;

TEST(View, GroupsTrialsThatAreCompared) {
  const auto results = sample_results();
  const auto findings = analysis::findings_of(results);
  const View view = view_of(results, findings);
  ASSERT_EQ(view.groups.size(), 2U);
  EXPECT_EQ(view.groups[0].label, "batch 1");
  EXPECT_THAT(view.groups[0].trials, ElementsAre(TrialIndex{0}, TrialIndex{1}, TrialIndex{2}, TrialIndex{6}));
  EXPECT_THAT(view.groups[1].trials, ElementsAre(TrialIndex{3}, TrialIndex{4}, TrialIndex{5}));
}

TEST(View, KnowsEachTrialsRatioAndTheBaselines) {
  const auto results = sample_results();
  const auto findings = analysis::findings_of(results);
  const View view = view_of(results, findings);
  EXPECT_EQ(view.ratio[1], &findings.contrasts.contrasts[0]);
  EXPECT_EQ(view.ratio[0], nullptr);
  EXPECT_EQ(view.ratio[5], nullptr);
  EXPECT_THAT(view.is_baseline, ElementsAre(true, false, false, true, false, false, false));
}

TEST(View, ShowsReplicatesAsOneRowAndTheirTrialsWithTheirOwnNames) {
  const auto results = testing_support::repeated_results({2, 2, 2});
  const auto findings = analysis::findings_of(results);
  const View view = view_of(results, findings);
  ASSERT_EQ(findings.contrasts.contrasts.size(), 1U);
  const analysis::Contrast& contrast = findings.contrasts.contrasts[0];
  EXPECT_EQ(view.groups.size(), 1U);
  for (const std::size_t other : {1, 3, 5}) EXPECT_EQ(view.ratio[other], &contrast) << other;
  EXPECT_THAT(view.is_baseline, ElementsAre(true, false, true, false, true, false));
  EXPECT_THAT(table_axes(view), ElementsAre(sweep::Param::threads, sweep::Param::repeat));
  EXPECT_THAT(arm_axes(view), ElementsAre(sweep::Param::threads, sweep::Param::repeat));
  EXPECT_EQ(trial_label(results.trials[3].parameters, view.axes), "threads 2 repeat 1");
  const auto typical = typical_trial(view, &contrast, contrast.a, &analysis::Contrast::Replicate::a);
  EXPECT_DOUBLE_EQ(typical.metrics.at("step_time"), 4e-6) << "the median of 2, 4 and 6 us";
}

}  // namespace
}  // namespace regatta::report

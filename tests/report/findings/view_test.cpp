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

}  // namespace
}  // namespace regatta::report

// All comparisons with one baseline: settings, arms, and the sentences that go with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/analysis/findings.hpp"
#include "report/findings/findings.hpp"
#include "report/full_results.hpp"

namespace regatta::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::sample_results;

struct Made {
  results::Results results = sample_results();
  analysis::Findings findings = analysis::findings_of(results);
  [[nodiscard]] View view() const { return view_of(results, findings); }
  [[nodiscard]] ComparisonMatrix matrix() const { return comparison_matrix(view()).value(); }
};

TEST(ComparisonMatrix, HasTheBaselineFirstAndACellForEachArmOfEachSetting) {
  const ComparisonMatrix matrix = Made().matrix();
  EXPECT_THAT(matrix.arms, ElementsAre("native graph", "native eager", "numpy"));
  ASSERT_EQ(matrix.settings.size(), 2U);
  EXPECT_EQ(setting_name(matrix.settings[0]), "batch 1");
  EXPECT_EQ(cell_text(matrix.settings[0].cells[0]), "2.00 us");
  EXPECT_EQ(cell_text(matrix.settings[0].cells[2]), "30.0x [28.8, 31.2]");
  EXPECT_EQ(cell_text(matrix.settings[1].cells[2]), "failed");
  EXPECT_TRUE(matrix.settings[1].cells[2].is_bad);
}

TEST(ComparisonMatrix, SaysOverWhichRangeEachArmIsSlower) {
  const Made made;
  EXPECT_EQ(ranges_sentence(made.view(), made.matrix()),
            "numpy takes 30.0 times as long as native graph, native eager 1.49 to 1.98 times.");
}

TEST(ComparisonMatrix, ExplainsItsFiguresAndEarlyAnswersInItsLegend) {
  Made made;
  EXPECT_THAT(matrix_legend(made.view(), made.matrix()),
              ElementsAre("native graph: median time of a step.",
                          HasSubstr("takes 1.98 times as long as native graph; 95 % interval.")));
  for (auto& contrast : made.findings.contrasts.contrasts) contrast.confirmed = false;
  EXPECT_THAT(matrix_legend(made.view(), made.matrix()).back(), HasSubstr("early: likely"));
}

TEST(ComparisonMatrix, IsNoneWithoutOneBaseline) {
  Made made;
  std::swap(made.findings.contrasts.contrasts.front().a, made.findings.contrasts.contrasts.front().b);
  EXPECT_FALSE(comparison_matrix(made.view()));
  made.findings.contrasts.contrasts.clear();
  EXPECT_FALSE(comparison_matrix(made.view()));
}

}  // namespace
}  // namespace regatta::report

#include "regatta/analysis/findings.hpp"

#include <gtest/gtest.h>

#include "regatta/analysis/contrasts.hpp"
#include "report/full_results.hpp"

namespace regatta::analysis {
namespace {

TEST(Findings, HoldTheContrastsThatAreFoundAlone) {
  const auto results = testing_support::full_results();
  const Findings found = findings_of(results);
  const Contrasts alone = contrasts(results);
  ASSERT_EQ(found.contrasts.contrasts.size(), alone.contrasts.size());
  for (std::size_t i = 0; i < alone.contrasts.size(); ++i) {
    EXPECT_EQ(found.contrasts.contrasts[i].a, alone.contrasts[i].a);
    EXPECT_EQ(found.contrasts.contrasts[i].ratio, alone.contrasts[i].ratio);
    EXPECT_EQ(found.contrasts.contrasts[i].verdict, alone.contrasts[i].verdict);
  }
  EXPECT_EQ(found.contrasts.clones.size(), alone.clones.size());
  EXPECT_EQ(found.effects.effects.size(), 2U) << "eager and numpy against graph";
  EXPECT_EQ(found.fastest.size(), 3U) << "one for each batch";
  EXPECT_EQ(label(results.trials[1].parameters, found.contrasts.axes.arm), "native eager");
}

TEST(Findings, ExplainCells) {
  EXPECT_EQ(findings_of(testing_support::explained_results()).explanations.size(), 1U);
  EXPECT_TRUE(findings_of(testing_support::sample_results()).explanations.empty());
}

}  // namespace
}  // namespace regatta::analysis

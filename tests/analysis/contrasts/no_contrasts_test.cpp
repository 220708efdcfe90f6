// Through contrasts(), whose second half it is.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/contrasts/contrasts.hpp"
#include "regatta/analysis/contrasts.hpp"
#include "report/sample_results.hpp"

namespace regatta::analysis {
namespace {

using testing_support::sample_results;

TEST(NoContrasts, SayWhyAnArmHasNone) {
  const auto missing = contrasts(sample_results()).missing;
  ASSERT_EQ(missing.size(), 2U);
  EXPECT_EQ(missing[0].trial, TrialIndex{5});
  EXPECT_EQ(missing[0].of, TrialIndex{5});
  EXPECT_EQ(missing[0].why, NoContrastReason::not_finished);
  EXPECT_EQ(missing[1].why, NoContrastReason::not_finished) << "it was skipped";
}

TEST(NoContrasts, NameABaselineThatIsMissing) {
  auto results = sample_results();
  results.trials[0].outcome = sweep::Skipped{"not today"};  // native graph at batch 1
  results.blocks[0].has_baseline = false;
  const auto found = contrasts(results);
  EXPECT_EQ(found.contrasts.size(), 1U);
  ASSERT_EQ(found.missing.size(), 4U);
  for (const std::uint32_t trial : {1U, 2U}) {
    const NoContrast& missing = found.missing[trial - 1];
    EXPECT_EQ(missing.trial, TrialIndex{trial});
    EXPECT_EQ(missing.why, NoContrastReason::baseline_not_finished);
    EXPECT_EQ(missing.of, TrialIndex{0});
  }
}

TEST(NoContrasts, KnowABaselineThatReadsLessThanTheArm) {
  auto results = sample_results();
  results.blocks.clear();
  results.samples.clear();
  const auto second = [&] {
    const auto missing = contrasts(results).missing;
    return *std::ranges::find(missing, TrialIndex{1}, &NoContrast::trial);
  };
  results.trials[0].parameters[sweep::Param::batch] = {};  // native graph, in the setting of batch 1
  EXPECT_EQ(second().why, NoContrastReason::no_square);
  std::string& text = results.provenance.sweep_json;
  text.insert(text.find("\"compare\""), R"("measure": {"slices": 2, "steps": 1}, )");
  EXPECT_EQ(second().why, NoContrastReason::few_slices);
  EXPECT_EQ(second().slices, 2);
  results.trials[0].parameters[sweep::Param::batch] = std::int64_t{7};
  EXPECT_EQ(second().why, NoContrastReason::no_baseline);
}

TEST(NoContrasts, NameABaselineThatFailed) {
  auto results = sample_results();
  results.trials[3].outcome = sweep::Failed{sweep::FailureKind::timed_out, "no answer in 300 s"};
  const auto found = contrasts(results);
  EXPECT_EQ(found.contrasts.size(), 2U);
  EXPECT_EQ(found.missing[0].why, NoContrastReason::baseline_not_finished);
  EXPECT_EQ(found.missing[0].of, TrialIndex{3});
}

TEST(NoContrasts, OfPairsAnArmIsInOneOnEitherSide) {
  auto results = sample_results();
  const auto first_is_missing = [&](const std::string& pairs) {
    results.provenance.sweep_json = R"({"regatta": 1, "name": "s", "axes": {"model": "mlp-10"}, "compare":
      {"over": ["engine", "mode"], "baseline": {"engine": "numpy"}, "pairs": ")" +
                                    pairs + "\"}}";
    return std::ranges::any_of(contrasts(results).missing,
                               [](const NoContrast& missing) { return missing.trial == TrialIndex{0}; });
  };
  EXPECT_TRUE(first_is_missing("baseline")) << "others are compared with it, but the sweep calls another its baseline";
  EXPECT_FALSE(first_is_missing("one-factor"));
}

TEST(NoContrasts, AreNothingInASweepThatComparesNothing) {
  auto results = sample_results();
  results.blocks.clear();
  results.samples.clear();
  results.provenance.sweep_json = R"({"regatta": 1, "name": "s", "axes": {"model": ["mlp-10"]}})";
  EXPECT_TRUE(contrasts(results).missing.empty());
}

}  // namespace
}  // namespace regatta::analysis

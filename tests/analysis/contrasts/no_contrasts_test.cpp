// Through contrasts(), whose second half it is.
#include "analysis/contrasts/no_contrasts.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "regatta/analysis/contrasts.hpp"
#include "report/sample_results.hpp"

namespace regatta::analysis {
namespace {

using testing_support::sample_results;

TEST(NoContrasts, SayWhyAnArmHasNone) {
  const auto missing = contrasts(sample_results()).missing;
  ASSERT_EQ(missing.size(), 2U);
  EXPECT_EQ(missing[0].reason, "failed: crashed: signal 11 (segmentation fault)");
  EXPECT_EQ(missing[0].trials, std::vector{TrialIndex{5}});
  EXPECT_EQ(missing[1].reason, "skipped: engine torch is not installed here");
}

TEST(NoContrasts, NameABaselineThatIsMissing) {
  auto results = sample_results();
  results.trials[0].outcome = sweep::Skipped{"not today"};  // native graph at batch 1
  results.blocks[0].has_baseline = false;
  const auto found = contrasts(results);
  EXPECT_EQ(found.contrasts.size(), 1U);
  ASSERT_EQ(found.missing.size(), 3U);
  EXPECT_EQ(found.missing[0].reason, "no baseline here: native graph batch 1 skipped: not today");
  EXPECT_EQ(found.missing[0].trials, (std::vector{TrialIndex{1}, TrialIndex{2}}));
}

TEST(NoContrasts, KnowABaselineThatReadsLessThanTheArmBesideIt) {
  auto results = sample_results();
  results.blocks.clear();
  results.samples.clear();
  const auto reason_of_second = [&] {
    for (const NoContrast& line : contrasts(results).missing)
      if (std::ranges::find(line.trials, TrialIndex{1}) != line.trials.end()) return line.reason;
    return std::string();
  };
  results.trials[0].parameters[sweep::Param::batch] = {};  // native graph, in the setting of batch 1
  EXPECT_EQ(reason_of_second(), "no complete square of slices beside the baseline");
  std::string& text = results.provenance.sweep_json;
  text.insert(text.find("\"compare\""), R"("measure": {"slices": 2, "steps": 1}, )");
  EXPECT_EQ(reason_of_second(),
            "no complete square of slices beside the baseline: \"slices\" in \"measure\" is 2, and a square takes two "
            "of each "
            "arm; raise it, or leave it out");
  results.trials[0].parameters[sweep::Param::batch] = std::int64_t{7};
  EXPECT_EQ(reason_of_second(), "no baseline here: no trial of the sweep matches it with these values");
}

TEST(NoContrasts, NameABaselineThatFailed) {
  auto results = sample_results();
  results.trials[3].outcome = sweep::Failed{sweep::FailureKind::timed_out, "no answer in 300 s"};
  const auto found = contrasts(results);
  EXPECT_EQ(found.contrasts.size(), 2U);
  EXPECT_EQ(found.missing[0].reason, "no baseline here: native graph batch 32 failed: timed_out: no answer in 300 s");
}

TEST(NoContrasts, OfPairsAnArmIsInOneOnEitherSide) {
  auto results = sample_results();
  const auto first_is_missing = [&](const std::string& pairs) {
    results.provenance.sweep_json = R"({"regatta": 1, "name": "s", "axes": {"model": "mlp-10"}, "compare":
      {"over": ["engine", "mode"], "baseline": {"engine": "numpy"}, "pairs": ")" +
                                    pairs + "\"}}";
    return std::ranges::any_of(contrasts(results).missing, [](const NoContrast& line) {
      return std::ranges::find(line.trials, TrialIndex{0}) != line.trials.end();
    });
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

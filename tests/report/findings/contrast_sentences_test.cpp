#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/hand_made.hpp"
#include "regatta/analysis/contrasts.hpp"
#include "regatta/report/report.hpp"
#include "report/findings/findings.hpp"
#include "report/sample_results.hpp"

namespace regatta::report {
namespace {

using analysis::Contrast;
using stats::Verdict;
using sweep::Param;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using testing_support::arm;
using testing_support::HandMade;
using testing_support::ResultsBuilder;

/// eager against graph at batch 1, which is confirmed.
struct One : HandMade {
  Contrast& contrast;

  explicit One(double ratio, double factor = 1.01) : contrast(HandMade::contrast(1, ratio, factor)) {
    contrast.confirmed = true;
  }

  [[nodiscard]] std::string sentence() {
    contrasts.axes = analysis::axes_of(made.results);
    return contrast_sentence(made.results, contrasts, contrasts.contrasts.back());
  }
};

TEST(ContrastSentence, OfTheSampleNamesArmsSettingAndRatio) {
  const auto results = testing_support::sample_results();
  const auto sentences = contrast_sentences(results, analysis::contrasts(results));
  ASSERT_EQ(sentences.size(), 3U);
  EXPECT_EQ(sentences[0], "native eager is 1.98x slower [1.94, 2.06] than native graph at batch 1");
  EXPECT_EQ(sentences[1], "numpy is 30.0x slower [28.8, 31.2] than native graph at batch 1");
}

TEST(ContrastSentence, WithoutAVerdictGivesTheIntervalAlone) {
  One one(100);
  one.contrast.verdict = Verdict::undecided;
  EXPECT_EQ(one.sentence(), "eager against graph: not known yet [99.0x slower, 101x slower]");
}

TEST(ContrastSentence, SaysThatAVerdictIsEarly) {
  One one(100);
  one.contrast.confirmed = false;
  EXPECT_EQ(one.sentence(), "eager is 100x slower [99.0, 101] than graph, early");
}

TEST(ContrastSentence, OfTheSameGivesTheMargin) {
  One one(1.001);
  one.contrast.verdict = Verdict::same;
  one.contrast.margin = 0.01;
  EXPECT_EQ(one.sentence(), "eager and graph: 1.001x, same [1.009x faster, 1.011x slower], margin 1 %");
}

TEST(ContrastSentence, SaysHowFarTheLengthOfCallsChangesIt) {
  One one(5);
  one.contrast.over_calls = Contrast::OverCalls{4.5, 5.5, 10, 33};
  EXPECT_EQ(one.sentence(),
            "eager is 5.00x slower [4.95, 5.05] than graph; 4.50x slower to 5.50x slower over calls of 10 to 33 steps");
}

TEST(ContrastSentence, OfDifferentBatchesIsPerSample) {
  ResultsBuilder made;
  const auto baseline = made.trial(arm("native", "graph", 1));
  const auto other = made.trial(arm("native", "graph", 32));
  const auto block = made.block({baseline, other});
  made.slices(block, baseline, std::vector<double>(7, 1));
  made.slices(block, other, std::vector<double>(7, 16));
  EXPECT_THAT(contrast_sentences(made.results, analysis::contrasts(made.results)),
              ElementsAre("batch 32 is 2.00x faster [1.99, 2.01] per sample than batch 1"));
}

TEST(ContrastSentence, NamesTheRatioWithoutDisturbedSlicesWhereItChangesTheVerdict) {
  One one(1.2);
  one.contrast.undisturbed = Contrast::Undisturbed{1.19, 1.18, 1.2, 9, Verdict::slower};
  EXPECT_EQ(one.sentence(), "eager is 1.20x slower [1.19, 1.21] than graph") << "another interval, the same verdict";
  one.contrast.undisturbed = Contrast::Undisturbed{1, 0.999, 1.001, 5, Verdict::same};
  EXPECT_THAT(one.sentence(), EndsWith("; without the disturbed slices 1.000x [1.001x faster, 1.001x slower]"));
}

TEST(ContrastSentence, SaysWhereStallsDecideIt) {
  One one(1.2);
  one.contrast.verdict = Verdict::undecided;
  one.contrast.without_stalls = Contrast::WithoutStalls{0.9, 0.85, 0.95};
  EXPECT_THAT(one.sentence(),
              EndsWith("; stalls decide it: 1.20x slower with them, 1.11x faster [1.053, 1.18] without"));
}

TEST(ContrastSentence, SaysThatAnArmHasNoLastingSpeed) {
  One one(2);
  one.contrast.flags = {stats::Flag::no_steady_state};
  EXPECT_THAT(one.sentence(), EndsWith("than graph over the time measured, in which its speed did not settle"));
  one.contrast.flags = {stats::Flag::slow_down};
  EXPECT_THAT(one.sentence(), EndsWith("than graph over the time measured, in which steps grew slower"));
}

TEST(ContrastSentence, NamesTheMetric) {
  One one(3);
  one.contrast.metric = sweep::Metric::latency_p95;
  EXPECT_EQ(one.sentence(), "eager is 3.00x slower [2.97, 3.03] in p95 call time than graph");
  one.contrast.metric = sweep::Metric::time_to_n;
  one.contrast.steps_from_start = 1000;
  EXPECT_THAT(one.sentence(), HasSubstr(" in time to 1000 steps than graph"));
}

TEST(ContrastSentence, OfMemoryCountsTheSteps) {
  One one(3);
  one.contrast.metric = sweep::Metric::peak_memory;
  EXPECT_EQ(one.sentence(), "eager is 3.00x larger [2.97, 3.03] in peak memory than graph");
  for (results::TrialRow& row : one.made.results.trials) row.metrics["memory_steps"] = 12;
  EXPECT_EQ(one.sentence(), "eager is 3.00x larger [2.97, 3.03] in peak memory than graph (after 12 steps)");
  one.made.results.trials[one.contrast.b.value].metrics["memory_steps"] = 40;
  EXPECT_THAT(one.sentence(), EndsWith("(after 12 and 40 steps)"));
}

TEST(ContrastSentence, OfAResultSaysWhichIsTheBetterOne) {
  One one(3);
  one.contrast.metric = sweep::Metric::result;
  one.contrast.result = "gain";
  one.contrasts.result = sweep::ComparedResult{"gain", sweep::Better::higher};
  EXPECT_EQ(one.sentence(), "eager is 3.00x higher [2.97, 3.03] in gain than graph: better");
  one.contrasts.result->better = sweep::Better::lower;
  EXPECT_EQ(one.sentence(), "eager is 3.00x higher [2.97, 3.03] in gain than graph: worse");
}

TEST(ContrastSentence, OfADifferenceHasTheUnitOfTheResult) {
  One one(1);
  one.contrast.metric = sweep::Metric::result;
  one.contrast.result = "reward";
  one.contrasts.result = sweep::ComparedResult{"reward", sweep::Better::higher};
  one.contrast.difference =
      analysis::Difference{.value = 0.101, .low = 0.0805, .high = 0.1215, .margin = 0.01, .unit = 1};
  EXPECT_EQ(one.sentence(), "eager is 0.10 higher [0.08, 0.12] in reward than graph: better");
  one.contrast.verdict = Verdict::same;
  EXPECT_THAT(one.sentence(), StartsWith("eager and graph in reward: the same within 0.01"));
  EXPECT_EQ(margin_text(one.contrast), "0.01");
}

TEST(ContrastSentence, CountsReplicates) {
  One one(1.05, 1.02);
  one.contrast.metric = sweep::Metric::result;
  one.contrast.result = "score";
  one.contrast.replicates.resize(10);
  one.contrast.replicate_axes = {Param::repeat};
  one.contrasts.result = sweep::ComparedResult{"score", sweep::Better::higher};
  EXPECT_EQ(one.sentence(), "eager is 1.050x higher [1.029, 1.071] in score than graph, over 10 repeats: better");
  one.contrast.confirmed = false;
  EXPECT_THAT(one.sentence(), EndsWith(", over 10 repeats, early: better"));
  Contrast at_32 = one.contrast;
  at_32.b = TrialIndex{2};
  at_32.a = TrialIndex{3};
  one.HandMade::contrast(32, 1.05, 1.02);
  one.contrasts.contrasts.back() = at_32;
  EXPECT_THAT(one.sentence(), HasSubstr("in score than graph at batch 32, over 10 repeats"));
}

TEST(ContrastSentence, NamesARepeatThatIsNoReplicate) {
  HandMade made;
  for (const std::int64_t repeat : {0, 1}) {
    made.contrast(1, 2, 1.1);
    for (const std::size_t back : {1U, 2U})
      made.made.results.trials[made.made.results.trials.size() - back].parameters[Param::repeat] = repeat;
  }
  made.contrasts.axes = analysis::axes_of(made.made.results);
  EXPECT_THAT(contrast_sentences(made.made.results, made.contrasts).at(1), HasSubstr("than graph at repeat 1"));
}

TEST(ReplicatesText, NamesTheAxes) {
  Contrast contrast;
  EXPECT_EQ(replicates_text(contrast), "");
  contrast.replicates.resize(12);
  contrast.replicate_axes = {Param::seed};
  EXPECT_EQ(replicates_text(contrast), "12 seeds");
  contrast.replicate_axes.emplace_back(Param::repeat);
  EXPECT_EQ(replicates_text(contrast), "12 replicates (seed, repeat)");
}

TEST(EvidenceText, CountsProcessesOfEachArmAndSquaresInEach) {
  Contrast contrast;
  contrast.processes = 14;
  contrast.fewest_squares = contrast.most_squares = 2;
  EXPECT_EQ(evidence_text(contrast), "7 x 2");
  contrast.most_squares = 33;
  EXPECT_EQ(evidence_text(contrast), "7 x 2 to 33");
  contrast.processes = 20;
  contrast.fewest_squares = contrast.most_squares = 1;
  EXPECT_EQ(evidence_text(contrast), "10 x 1");
}

TEST(MarginText, IsAFractionOfARatioOrInTheUnitOfADifference) {
  Contrast contrast;
  contrast.margin = 0.01;
  EXPECT_EQ(margin_text(contrast), "1 %");
  contrast.difference = analysis::Difference{.margin = 0.5};
  EXPECT_EQ(margin_text(contrast), "0.5");
}

}  // namespace
}  // namespace regatta::report

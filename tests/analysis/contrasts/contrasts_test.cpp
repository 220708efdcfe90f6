#include "regatta/analysis/contrasts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "regatta/stats/disturbance_flags.hpp"
#include "regatta/sweep/arm_outcome.hpp"
#include "regatta/sweep/program_results.hpp"
#include "report/sample_results.hpp"

namespace regatta::analysis {
namespace {

using sweep::Param;
using testing_support::arm;
using testing_support::ResultsBuilder;
using testing_support::sample_results;

/// Two arms, baseline first, in one block.
struct Pair {
  ResultsBuilder made;
  TrialIndex baseline = made.trial(arm("native", "graph", 1));
  TrialIndex other = made.trial(arm("native", "eager", 1));
  BlockIndex block = made.block({baseline, other});
};

/// Nine squares of a pair whose baseline takes 1 s a step.
Contrast contrast_of_ratios(const std::vector<double>& ratios) {
  Pair pair;
  pair.made.slices(pair.block, pair.baseline, std::vector<double>(ratios.size(), 1));
  pair.made.slices(pair.block, pair.other, ratios);
  return contrasts(pair.made.results).contrasts.at(0);
}

TEST(Contrasts, PairsArmsBySquare) {
  // Both arms drift by a factor of 256, the ratio stays 2: an unpaired interval would be wide.
  Pair pair;
  pair.made.slices(pair.block, pair.baseline, {1, 2, 4, 8, 16, 32, 64, 128, 256});
  pair.made.slices(pair.block, pair.other, {2, 4, 8, 16, 32, 64, 128, 256, 512});
  const auto found = contrasts(pair.made.results).contrasts;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].a, pair.other);
  EXPECT_EQ(found[0].b, pair.baseline);
  EXPECT_EQ(found[0].squares, 9);
  EXPECT_DOUBLE_EQ(found[0].ratio, 2);
  EXPECT_EQ(found[0].verdict, stats::Verdict::slower);
}

/// Two pairs of arms, each at five batches and in three pairs of processes: native eager, which takes `ratio_of_eager`
/// times as long as its baseline, and numpy, which takes as long but at batch 4, where it scatters about `ratio`.
std::vector<Contrast> of_two_pairs(double ratio_of_eager, double ratio) {
  ResultsBuilder made;
  for (const std::int64_t batch : {1, 2, 4, 8, 16}) {
    const TrialIndex baseline = made.trial(arm("native", "graph", batch));
    const TrialIndex eager = made.trial(arm("native", "eager", batch));
    const TrialIndex other = made.trial(arm("numpy", nullptr, batch));
    const BlockIndex block = made.block({baseline, eager, other});
    made.slices(block, baseline, {1, 1, 1});
    made.slices(block, eager, {ratio_of_eager, ratio_of_eager, ratio_of_eager});
    made.slices(block, other, batch == 4 ? std::vector{ratio, 1.02 * ratio, ratio / 1.02} : std::vector{1.0, 1.0, 1.0});
  }
  return contrasts(made.results).contrasts;
}

/// Whatever the difference of the one at batch 4: it is told where it has the evidence that one of so many needs. Some
/// have the evidence that does for a single comparison, and not that.
void expect_told_from(double needed, double ratio_of_eager) {
  int too_little = 0, enough = 0;
  for (double ratio = 1.02; ratio < 1.5; ratio += 0.01) {
    const std::vector<Contrast> found = of_two_pairs(ratio_of_eager, ratio);
    ASSERT_EQ(found.size(), 10U);
    const Contrast& one = found[5];
    const bool is_told_alone = *one.low > 1.01 && one.e_value >= 20;
    EXPECT_EQ(one.one_of_many, is_told_alone && one.e_value < needed) << ratio;
    EXPECT_EQ(verdict_text(one), is_told_alone && one.e_value >= needed ? "slower" : "undecided") << ratio;
    EXPECT_FALSE(one.confirmed) << "three pairs";
    too_little += one.one_of_many ? 1 : 0;
    enough += one.verdict == stats::Verdict::slower ? 1 : 0;
  }
  EXPECT_GT(too_little, 0);
  EXPECT_GT(enough, 0);
}

TEST(Contrasts, AreToldAmongThoseOfTheirPairOfArms) {
  // Over the sweep six of ten are differences, which ask for 33 each; the only one of five of its pair needs 100.
  expect_told_from(100, 3);
}

TEST(Contrasts, AreToldAmongThoseOfTheWholeSweep) {
  expect_told_from(200, 1);  // the only one of ten
}

TEST(Contrasts, HaveAnIntervalFromOnePairOfProcessesAndAVerdictFromTwo) {
  const Contrast one = contrast_of_ratios({100});
  ASSERT_TRUE(one.low);
  EXPECT_GT(*one.low, 1 + one.margin) << "its interval alone would tell";
  EXPECT_EQ(one.verdict, stats::Verdict::undecided);
  const Contrast two = contrast_of_ratios({100, 100});
  EXPECT_EQ(two.verdict, stats::Verdict::slower);
  EXPECT_FALSE(two.confirmed);
}

TEST(Contrasts, AreConfirmedFromSevenPairsOfProcesses) {
  EXPECT_FALSE(contrast_of_ratios(std::vector<double>(6, 2)).confirmed);
  EXPECT_TRUE(contrast_of_ratios(std::vector<double>(7, 2)).confirmed);
}

TEST(Contrasts, CarryHowPairsScatterAndWhatTheyCouldHaveTold) {
  const Contrast found = contrast_of_ratios({2, 2.02, 1.98, 2, 2.02});
  EXPECT_EQ(found.pairs.n, 5);
  EXPECT_NEAR(found.pairs.mean, std::log(2), 0.01);
  ASSERT_TRUE(found.resolution);
  EXPECT_GT(*found.resolution, found.margin);
}

TEST(Contrasts, WithinTheMarginAreTheSame) {
  const Contrast found = contrast_of_ratios({1.001, 0.999, 1.002, 1.0, 1.001, 0.998, 1.0, 1.001, 1.0});
  EXPECT_EQ(verdict_text(found), "same");
  EXPECT_EQ(found.margin, 0.01);
}

TEST(Contrasts, CountStallsInsideASlice) {
  // A slice is elapsed over steps: ten steps at 1 s and ten at 3 s are 2 s a step, not a median.
  Pair pair;
  pair.made.slices(pair.block, pair.baseline, {1});
  for (const std::uint32_t slice : {3U, 4U}) {
    pair.made.sample(pair.block, {1, 0, slice, stats::Phase::steady, 10});
    pair.made.sample(pair.block, {1, 0, slice, stats::Phase::steady, 30});
  }
  EXPECT_DOUBLE_EQ(contrasts(pair.made.results).contrasts.at(0).ratio, 2);
}

/// Nine squares of an arm that takes `ratio` times as long as its baseline, whose calls end on a grid of doublings.
Contrast beside_calls_on_a_grid(double ratio) {
  Pair pair;
  auto& samples = pair.made.results.samples;
  std::uint32_t slice = 1000;
  for (int pass = 0; pass < 3; ++pass) {
    for (const std::uint32_t steps : {10U, 15U, 22U, 33U}) {
      const double seconds = std::exp2(std::ceil(std::log2(steps)));
      samples.push_back({pair.baseline,
                         pair.block,
                         {.slice = slice++, .phase = stats::Phase::warmup, .steps = steps, .seconds = seconds}});
    }
  }
  pair.made.slices(pair.block, pair.baseline, std::vector<double>(9, 1));
  pair.made.slices(pair.block, pair.other, std::vector<double>(9, ratio));
  return contrasts(pair.made.results).contrasts.at(0);
}

TEST(Contrasts, AllowForWhatCallLengthsChange) {
  const Contrast clear = beside_calls_on_a_grid(5);
  EXPECT_EQ(clear.verdict, stats::Verdict::slower);
  EXPECT_TRUE(clear.flags.has(stats::Flag::call_length));
  ASSERT_TRUE(clear.over_calls);
  EXPECT_EQ(clear.over_calls->shortest_steps, 10);
  EXPECT_EQ(clear.over_calls->longest_steps, 33);
  EXPECT_LT(clear.over_calls->low, 4.6);
  EXPECT_GT(clear.over_calls->high, 5.4);
  EXPECT_EQ(beside_calls_on_a_grid(1.05).verdict, stats::Verdict::undecided) << "less than calls differ by";
  EXPECT_FALSE(contrast_of_ratios(std::vector<double>(9, 5)).over_calls) << "no call lengths were tried";
}

TEST(Contrasts, AreJudgedByTheMarginWhateverClonesShow) {
  Pair pair;
  pair.made.results.blocks[0].arms.push_back(pair.baseline);
  pair.made.results.blocks[0].has_clone = true;
  const std::vector<double> ones(9, 1);
  pair.made.slices(pair.block, pair.baseline, ones);
  pair.made.slices(pair.block, pair.other, std::vector<double>(9, 1.04));
  pair.made.slices_of_arm(pair.block, 2, std::vector<double>(9, 1.05));
  const Contrasts found = contrasts(pair.made.results);
  ASSERT_EQ(found.contrasts.size(), 1U) << "a clone is no contrast of its own";
  EXPECT_EQ(found.contrasts[0].verdict, stats::Verdict::slower) << "the report names what contradicts it";
  EXPECT_EQ(found.identical.wrong, 1);
}

TEST(Contrasts, OfArmsThatDoNotTheSameWorkAreRefused) {
  results::Results results = sample_results();
  const TrialIndex eager = results.blocks[0].arms[1];
  results.trials[eager.value].verified = sweep::Verified::no;
  const Contrasts found = contrasts(results);
  for (const auto& contrast : found.contrasts) EXPECT_NE(contrast.a, eager);
  ASSERT_FALSE(found.missing.empty());
  EXPECT_EQ(found.missing.front().why, NoContrastReason::other_work);
  EXPECT_EQ(found.missing.front().of, eager);
}

stats::Flags flags_of(const sweep::Value& precision, const sweep::Value& other) {
  Pair pair;
  pair.made.slices(pair.block, pair.baseline, std::vector<double>(9, 1));
  pair.made.slices(pair.block, pair.other, std::vector<double>(9, 2));
  results::Results& results = pair.made.results;
  results.trials[pair.baseline.value].parameters[Param::precision] = precision;
  results.trials[pair.other.value].parameters[Param::precision] = other;
  return contrasts(results).contrasts.at(0).flags;
}

TEST(Contrasts, OfTwoPrecisionsAreFlaggedAndThoseOfACommandAreNot) {
  const sweep::Value fp32 = std::string("fp32"), bf16 = std::string("bf16"), none;
  EXPECT_TRUE(flags_of(fp32, bf16).has(stats::Flag::different_arithmetic));
  EXPECT_FALSE(flags_of(fp32, fp32).has(stats::Flag::different_arithmetic));
  EXPECT_FALSE(flags_of(fp32, none).has(stats::Flag::different_arithmetic));
  EXPECT_FALSE(flags_of(none, bf16).has(stats::Flag::different_arithmetic));
}

TEST(Contrasts, OfWorkThatIsCloseHaveARatioAndAFlag) {
  Pair pair;
  pair.made.slices(pair.block, pair.baseline, std::vector<double>(9, 1));
  pair.made.slices(pair.block, pair.other, std::vector<double>(9, 2));
  pair.made.results.trials[pair.other.value].verified = sweep::Verified::close;
  const auto found = contrasts(pair.made.results).contrasts;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_DOUBLE_EQ(found[0].ratio, 2);
  EXPECT_TRUE(found[0].flags.has(stats::Flag::close_work));
}

TEST(Contrasts, OnSharedCoresStayUndecided) {
  Pair pair;
  pair.made.slices(pair.block, pair.baseline, std::vector<double>(9, 1));
  pair.made.slices(pair.block, pair.other, std::vector<double>(9, 2));
  pair.made.results.devices = {{0, "cpu", "cores 0-1", {stats::Flag::cores_shared}}};
  for (auto& trial : pair.made.results.trials) trial.device = 0;
  EXPECT_EQ(contrasts(pair.made.results).contrasts.at(0).verdict, stats::Verdict::undecided);
}

TEST(Contrasts, OfDifferentBatchesArePerSample) {
  ResultsBuilder made;
  const auto baseline = made.trial(arm("native", "graph", 1));
  const auto other = made.trial(arm("native", "graph", 32));
  const auto block = made.block({baseline, other});
  made.slices(block, baseline, std::vector<double>(7, 1));
  made.slices(block, other, std::vector<double>(7, 16));
  const auto found = contrasts(made.results).contrasts.at(0);
  EXPECT_EQ(found.metric, sweep::Metric::time_per_sample);
  EXPECT_DOUBLE_EQ(found.ratio, 0.5);
}

TEST(Contrasts, OfDifferentBatchesArePerStepWhereTheSweepSaysSo) {
  ResultsBuilder made;
  const TrialIndex small = made.trial(arm("native", "graph", 1));
  const TrialIndex large = made.trial(arm("native", "graph", 32));
  const BlockIndex block = made.block({small, large});
  made.slices(block, small, std::vector<double>(9, 1));
  made.slices(block, large, std::vector<double>(9, 16));
  made.results.provenance.sweep_json = R"({"regatta": 1, "name": "s", "axes": {"model": "mlp-10", "batch": [1, 32]},
    "compare": {"over": "batch", "baseline": {"batch": 1}}, "measure": {"metric": "time_per_step"}})";
  const Contrast found = contrasts(made.results).contrasts.at(0);
  EXPECT_EQ(found.metric, sweep::Metric::time_per_step);
  EXPECT_DOUBLE_EQ(found.ratio, 16);
}

TEST(Contrasts, SameTrialInTwoBlocksKeepsThemApart) {
  // The baseline is measured again in the second block, where everything runs at half the speed.
  ResultsBuilder made;
  const auto baseline = made.trial(arm("native", "graph", 1));
  const auto eager = made.trial(arm("native", "eager", 1));
  const auto numpy = made.trial(arm("numpy", nullptr, 1));
  const auto first = made.block({baseline, eager});
  const auto second = made.block({baseline, numpy});
  made.slices(first, baseline, {1, 1, 1});
  made.slices(first, eager, {2, 2, 2});
  made.slices(second, baseline, {2, 2, 2});
  made.slices(second, numpy, {20, 20, 20});
  const auto found = contrasts(made.results).contrasts;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_DOUBLE_EQ(found[0].ratio, 2);
  EXPECT_DOUBLE_EQ(found[1].ratio, 10);
}

TEST(Contrasts, CarryTheFlagsOfBlockDeviceAndSamples) {
  Pair pair;
  pair.made.slices(pair.block, pair.baseline, std::vector<double>(9, 1));
  pair.made.slices(pair.block, pair.other, std::vector<double>(9, 2));
  pair.made.results.devices = {{0, "cpu", "cores 0-1", {stats::Flag::neighbours, stats::Flag::cores_shared}}};
  pair.made.results.trials[pair.other.value].device = 0;
  pair.made.results.blocks[0].flags = {stats::Flag::neighbours};
  for (auto& row : pair.made.results.samples) row.sample.flags = row.sample.square == 0 ? 1 : 0;
  EXPECT_EQ(contrasts(pair.made.results).contrasts.at(0).flags,
            (stats::Flags{stats::Flag::neighbours, stats::Flag::cores_shared, stats::Flag::disturbed}));
}

TEST(Contrasts, AreAlsoGivenWithoutDisturbedSlices) {
  Pair pair;
  pair.made.slices(pair.block, pair.baseline, std::vector<double>(12, 1));
  pair.made.slices(pair.block, pair.other, std::vector<double>(12, 2));
  for (auto& row : pair.made.results.samples) row.sample.flags = row.sample.square < 3 ? stats::preempted : 0;
  const Contrast found = contrasts(pair.made.results).contrasts.at(0);
  ASSERT_TRUE(found.undisturbed);
  EXPECT_DOUBLE_EQ(found.undisturbed->ratio, 2);
  EXPECT_EQ(found.undisturbed->squares, 9);
  EXPECT_EQ(found.undisturbed->verdict, stats::Verdict::slower);
  EXPECT_DOUBLE_EQ(*found.undisturbed->low, 2);
  EXPECT_FALSE(hangs_on_disturbed(found));
  EXPECT_FALSE(contrast_of_ratios({2, 2, 2, 2, 2, 2, 2, 2, 2}).undisturbed) << "no slice was disturbed";
}

TEST(Contrasts, KnowWhereTheVerdictHangsOnDisturbedSlices) {
  Pair pair;
  std::vector<double> ratios(30, 1.2);
  for (std::size_t square = 5; square < 30; square += 6) ratios[square] = 1;
  pair.made.slices(pair.block, pair.baseline, std::vector<double>(30, 1));
  pair.made.slices(pair.block, pair.other, ratios);
  for (auto& row : pair.made.results.samples) row.sample.flags = row.sample.square % 6 == 5 ? 0 : stats::preempted;
  const Contrast found = contrasts(pair.made.results).contrasts.at(0);
  ASSERT_TRUE(hangs_on_disturbed(found));
  EXPECT_NEAR(found.ratio, 1.2, 0.01);
  EXPECT_DOUBLE_EQ(found.undisturbed->ratio, 1);
}

TEST(Contrasts, OfTheSampleAreSlower) {
  const auto found = contrasts(sample_results());
  ASSERT_EQ(found.contrasts.size(), 3U);
  for (const auto& contrast : found.contrasts) EXPECT_EQ(contrast.verdict, stats::Verdict::slower);
}

/// Two modes of a sweep that compares by this metric.
Pair compared_by(const std::string& metric) {  // a name, or an object
  Pair pair;
  pair.made.results.provenance.sweep_json = R"({"regatta": 1, "name": "s",
    "axes": {"engine": "native", "mode": ["graph", "eager"], "model": "mlp-10", "batch": 1},
    "compare": {"over": "mode", "baseline": {"mode": "graph"}}, "measure": {"metric": )" +
                                            (metric.starts_with('{') ? metric : '"' + metric + '"') + "}}";
  return pair;
}

TEST(Contrasts, OfLatencyAreRatiosOfQuantilesOfSingleCalls) {
  Pair pair = compared_by("latency_p95");
  for (std::uint32_t square = 0; square < 8; ++square) {
    const std::uint32_t first = 6 * square;
    for (const std::uint32_t arm : {0U, 1U})
      pair.made.sample(pair.block, {arm, square, first + arm, stats::Phase::first, 1});
    for (std::uint32_t slice = 0; slice < 4; ++slice) {
      const std::uint32_t arm = slice == 0 || slice == 3 ? 0 : 1;
      for (int call = 0; call < 20; ++call) {  // every tenth of the other arm takes 3 s
        pair.made.sample(
            pair.block, {arm, square, first + 2 + slice, stats::Phase::steady, arm == 1 && call % 10 == 0 ? 3.0 : 1.0});
        pair.made.results.samples.back().sample.steps = 1;
      }
    }
  }
  const Contrasts found = contrasts(pair.made.results);
  EXPECT_EQ(found.metric, sweep::Metric::latency_p95);
  const Contrast& contrast = found.contrasts.at(0);
  EXPECT_DOUBLE_EQ(contrast.ratio, 3) << "of all time it is 1.2";
  EXPECT_EQ(contrast.margin, 0.05) << "the metric's own";
  EXPECT_EQ(metric_name(found, contrast.metric), "latency_p95");
  EXPECT_EQ(metric_unit(found, contrast.metric), "s");
}

TEST(Contrasts, OfLatencyNeedSingleCalls) {
  Pair pair = compared_by("latency_p95");
  pair.made.slices(pair.block, pair.baseline, std::vector<double>(9, 1));  // samples of ten steps
  pair.made.slices(pair.block, pair.other, std::vector<double>(9, 2));
  const Contrasts found = contrasts(pair.made.results);
  EXPECT_TRUE(found.contrasts.empty());
  EXPECT_EQ(found.missing.at(0).why, NoContrastReason::no_value);
}

TEST(Contrasts, OfPeakMemoryAreJudgedOverProcesses) {
  Pair pair = compared_by("peak_memory");
  pair.made.slices(pair.block, pair.baseline, {1});
  pair.made.slices(pair.block, pair.other, {1});
  const auto peaks_of = [&](TrialIndex trial, std::size_t processes, std::int64_t bytes) {
    auto& facts = pair.made.results.trials[trial.value].facts;
    sweep::set(facts, sweep::Fact::process_peaks, sweep::ProcessPeaks(processes, bytes));
  };
  peaks_of(pair.baseline, 7, 10'000'000);
  peaks_of(pair.other, 7, 30'000'000);
  const Contrast found = contrasts(pair.made.results).contrasts.at(0);
  EXPECT_EQ(verdict_text(found), "larger");
  EXPECT_EQ(found.processes, 14);
  EXPECT_NEAR(found.ratio, 3, 1e-6);
  peaks_of(pair.other, 6, 30'000'000);
  const Contrast few = contrasts(pair.made.results).contrasts.at(0);
  EXPECT_EQ(verdict_text(few), "larger");
  EXPECT_FALSE(few.confirmed) << "six pairs";
}

/// Seven runs of each arm that told a number.
Pair compared_by_result(const std::string& goal, double baseline, double other) {
  Pair pair = compared_by(R"({"result": "gain", "goal": ")" + goal + "\"}");
  const auto tell = [&](TrialIndex trial, double value) {
    pair.made.slices(pair.block, trial, {1});
    sweep::ProgramResults told;
    for (std::size_t run = 0; run < 7; ++run) sweep::note(told, run, "gain", {value, "dB"});
    sweep::set(pair.made.results.trials[trial.value].facts, sweep::Fact::results, told);
  };
  tell(pair.baseline, baseline);
  tell(pair.other, other);
  return pair;
}

TEST(Contrasts, OfAResultKnowWhichIsTheBetterOne) {
  const Contrasts higher = contrasts(compared_by_result("higher", 1, 3).made.results);
  EXPECT_EQ(verdict_text(higher.contrasts.at(0)), "higher");
  ASSERT_TRUE(higher.result);
  EXPECT_EQ(higher.result->better, sweep::Better::higher);
  EXPECT_EQ(contrasts(compared_by_result("lower", 1, 3).made.results).result->better, sweep::Better::lower);
  EXPECT_EQ(metric_name(higher, sweep::Metric::result), "gain");
  EXPECT_EQ(metric_unit(higher, sweep::Metric::result), "dB");
}

TEST(Contrasts, OfAResultNeedNumbers) {
  const Contrasts found = contrasts(compared_by_result("lower", 1, std::nan("")).made.results);
  EXPECT_TRUE(found.contrasts.empty());
  EXPECT_EQ(found.missing.at(0).why, NoContrastReason::no_result);
}

TEST(Contrasts, OfCellsThatWereMeasuredAgainAreThoseOfTheFinal) {
  ResultsBuilder made;
  const TrialIndex baseline = made.trial(arm("native", "graph", 1));
  const TrialIndex eager = made.trial(arm("native", "eager", 1));
  const TrialIndex other = made.trial(arm("numpy", nullptr, 1));
  const auto add = [&](const std::vector<TrialIndex>& arms, double seconds) {
    const BlockIndex block = made.block(arms);
    for (const TrialIndex each : arms) made.slices(block, each, std::vector<double>(9, each == baseline ? 1 : seconds));
    return block;
  };
  const BlockIndex first = add({baseline, eager, other}, 2);
  const BlockIndex final = add({baseline, eager}, 3);
  made.results.blocks[final.value].measured_again = true;
  const Contrasts found = contrasts(made.results);
  ASSERT_EQ(found.contrasts.size(), 2U);
  EXPECT_EQ(found.contrasts[0].a, eager) << "in the place of its first one";
  EXPECT_EQ(found.contrasts[0].block, final);
  EXPECT_DOUBLE_EQ(found.contrasts[0].ratio, 3);
  EXPECT_EQ(found.contrasts[1].block, first);
  ASSERT_EQ(found.replaced.size(), 1U);
  EXPECT_EQ(found.replaced[0].block, first);
  EXPECT_DOUBLE_EQ(found.replaced[0].ratio, 2);
  EXPECT_EQ(found.replaced[0].verdict, stats::Verdict::slower);
}

}  // namespace
}  // namespace regatta::analysis

#include "regatta/stats/verdict.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace regatta::stats {
namespace {

const double margin = indifference({});

/// ABBA squares: arm a takes `log_ratios[i]` longer in square i; every square has processes of its own.
ContrastSlices abba(const std::vector<double>& log_ratios, std::uint32_t squares_per_process = 1) {
  ContrastSlices contrast;
  for (std::uint32_t square = 0; square < log_ratios.size(); ++square) {
    for (const std::uint32_t round : {0U, 1U}) {
      SliceValue slice{.seconds = 1, .work = 4, .process = square / squares_per_process, .square = square};
      slice.position = round;
      slice.seconds = std::exp(log_ratios[square]);
      contrast.a.push_back(slice);
      slice.position = 1 - round;
      slice.seconds = 1;
      contrast.b.push_back(slice);
    }
  }
  return contrast;
}

/// n values around `centre`, `spread` apart.
std::vector<double> around(double centre, double spread, std::size_t n) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(centre + spread * (static_cast<double>(i) - static_cast<double>(n - 1) / 2));
  }
  return values;
}

TEST(JudgeUnits, ComparesTheIntervalWithTheMargin) {
  EXPECT_EQ(judge_units(around(0, 0.001, 7), {}).verdict, Verdict::same);
  EXPECT_EQ(judge_units(around(0.02, 0.001, 7), {}).verdict, Verdict::slower);
  EXPECT_EQ(judge_units(around(-0.02, 0.001, 7), {}).verdict, Verdict::faster);
  EXPECT_EQ(judge_units(around(0.01, 0.001, 7), {}).verdict, Verdict::undecided);
  EXPECT_EQ(judge_units(around(0, 0.01, 7), {}).verdict, Verdict::undecided);
}

TEST(JudgeUnits, CountsTheMarginItselfAsDifferentNotAsSame) {
  EXPECT_EQ(judge_units(std::vector<double>(7, margin), {}).verdict, Verdict::slower);
  EXPECT_EQ(judge_units(std::vector<double>(7, -margin), {}).verdict, Verdict::faster);
  EXPECT_EQ(judge_units(std::vector<double>(7, std::nextafter(margin, 0)), {}).verdict, Verdict::same);
}

TEST(VerdictOf, IsSameOnlyStrictlyInside) {
  EXPECT_EQ(verdict_of({-0.009, 0.009}, 0.01), Verdict::same);
  EXPECT_EQ(verdict_of({-0.01, 0.009}, 0.01), Verdict::undecided);
  EXPECT_EQ(verdict_of({-0.009, 0.01}, 0.01), Verdict::undecided);
  EXPECT_EQ(verdict_of({-0.02, -0.01}, 0.01), Verdict::faster);
  EXPECT_EQ(verdict_of({0.01, 0.02}, 0.01), Verdict::slower);
  EXPECT_EQ(verdict_of({}, 0.01), Verdict::undecided);
  EXPECT_EQ(verdict_of({0.02, 0.01}, 0.1), Verdict::undecided) << "empty";
}

TEST(JudgeUnits, HasNoIntervalBelowSevenUnits) {
  const auto judgement = judge_units(around(1, 0.001, 6), {});
  EXPECT_EQ(judgement.verdict, Verdict::undecided);
  EXPECT_TRUE(std::isinf(judgement.low) && std::isinf(judgement.high));
  EXPECT_DOUBLE_EQ(judgement.estimate, 1);
  EXPECT_EQ(judgement.units, 6U);
  EXPECT_TRUE(std::isnan(judge_units({}, {}).estimate));
}

TEST(JudgeUnits, IsPreciseByHalfWidthOrATenthOfTheEstimate) {
  EXPECT_TRUE(judge_units(around(0.5, 0.016, 7), {}).precise);   // half width 0.048
  EXPECT_FALSE(judge_units(around(0.5, 0.02, 7), {}).precise);   // 0.06
  EXPECT_TRUE(judge_units(around(0.05, 0.003, 7), {}).precise);  // 0.009
  EXPECT_FALSE(judge_units(around(0.05, 0.004, 7), {}).precise);
  EXPECT_FALSE(judge_units(around(0.01, 0.001, 7), {}).precise) << "undecided";
  JudgeOptions sharp;
  sharp.relative_half_width = 0.05;  // 0.025 of 0.5
  EXPECT_FALSE(judge_units(around(0.5, 0.016, 7), sharp).precise);
  EXPECT_TRUE(judge_units(around(0.5, 0.008, 7), sharp).precise);  // half width 0.024
}

TEST(JudgeUnits, UsesTheFloorWhereItIsLargerThanTheMargin) {
  EXPECT_EQ(judge_units(around(0.013, 0.0001, 7), {}).verdict, Verdict::slower);
  EXPECT_EQ(judge_units(around(0.013, 0.0001, 7), {.floor = 0.018}).verdict, Verdict::same);
}

TEST(JudgeUnits, CallsNothingTheSameWhereIdenticalCodeDiffersByMuchMoreThanTheMargin) {
  const auto same_code = judge_units(around(0.013, 0.0001, 7), {.floor = 0.03});
  EXPECT_EQ(same_code.verdict, Verdict::undecided);
  EXPECT_FALSE(same_code.precise);
  EXPECT_EQ(judge_units(around(0.05, 0.0001, 7), {.floor = 0.03}).verdict, Verdict::slower);
  EXPECT_TRUE(judge_units({}, {.floor = 0.03}).has(JudgementFlag::noisy_device));
  EXPECT_FALSE(judge_units({}, {.floor = 0.015}).has(JudgementFlag::noisy_device));
}

TEST(JudgeUnits, GivesNoVerdictOnADriftingRatio) {
  auto values = around(-0.1, 0.0001, 20);
  for (const double value : around(0.3, 0.0001, 40)) values.push_back(value);
  const auto judgement = judge_units(values, {});
  EXPECT_EQ(judgement.verdict, Verdict::undecided);
  EXPECT_TRUE(judgement.has(JudgementFlag::drifting));
  EXPECT_FALSE(judgement.precise);
  EXPECT_LE(judgement.low, judgement.estimate);
  EXPECT_LE(judgement.estimate, judgement.high);
}

TEST(JudgeUnits, KeepsTheEstimateInsideTheInterval) {
  // The first 7 exclude all above 0.006; the median of all 19 is 1.
  auto values = around(0.003, 0.001, 7);
  values.insert(values.end(), 8, 1.0);
  const auto judgement = judge_units(values, {});
  EXPECT_LE(judgement.estimate, judgement.high);
}

TEST(JudgeUnits, HasEvidenceAgainstTheMarginOnly) {
  EXPECT_NEAR(judge_units(around(0.05, 0.001, 7), {}).e_value, 26.8125, 1e-6);
  EXPECT_LT(judge_units(around(0, 0.0001, 7), {}).e_value, 1);
  EXPECT_EQ(judge_units({}, {}).e_value, 1);
}

TEST(JudgeUnits, IsBoundedButNotSilencedByCallLengths) {
  const JudgeOptions bent = {.call_length_misfit = 0.3};
  const auto clear = judge_units(around(1.5, 0.001, 7), bent);
  EXPECT_EQ(clear.verdict, Verdict::slower);
  EXPECT_TRUE(clear.has(JudgementFlag::call_length));
  EXPECT_NEAR(clear.low, 1.497, 1e-9) << "the interval is that of the lengths that were scored";
  EXPECT_NEAR(clear.over_call_lengths.low, 1.197, 1e-9);
  EXPECT_NEAR(clear.over_call_lengths.high, 1.803, 1e-9);
  EXPECT_EQ(judge_units(around(0.3, 0.001, 7), bent).verdict, Verdict::undecided) << "less than calls differ by";
  EXPECT_EQ(judge_units(around(0, 0.001, 7), bent).verdict, Verdict::undecided) << "and no verdict 'same'";
  EXPECT_LT(judge_units(around(0.3, 0.001, 7), bent).e_value, judge_units(around(0.3, 0.001, 7), {}).e_value);
}

TEST(JudgeUnits, DoesNotAskForMoreThanTheMarginOfCalls) {
  const auto straight = judge_units(around(0, 0.001, 7), {.call_length_misfit = 0.009});
  EXPECT_EQ(straight.verdict, Verdict::same);
  EXPECT_FALSE(straight.has(JudgementFlag::call_length));
}

TEST(Judge, CallsNothingTheSameWhereRareStallsMakeAnotherTotal) {
  auto contrast = abba(std::vector<double>(20, 0.0));
  contrast.a[4].seconds = 10;
  const auto judgement = judge(contrast, {});
  EXPECT_EQ(judgement.verdict, Verdict::undecided);
  EXPECT_TRUE(judgement.has(JudgementFlag::rare_stalls));
  EXPECT_FALSE(judgement.precise);
  contrast.a[4].flags = 1;
  EXPECT_EQ(judge(contrast, {}).verdict, Verdict::same) << "the machine is seen to have caused it";
  EXPECT_EQ(judge(abba(std::vector<double>(20, 0.0)), {}).verdict, Verdict::same);
}

TEST(Judge, TakesStallsThatBothArmsHaveByTurnsForChance) {
  auto contrast = abba(std::vector<double>(40, 0.0));
  for (const std::size_t slice : {2U, 10U, 18U}) contrast.a[slice].seconds = 2;
  contrast.b[7].seconds = 2;
  EXPECT_EQ(judge(contrast, {}).verdict, Verdict::same) << "three of four stalls, and totals 2.5 % apart";
  for (const std::size_t slice : {6U, 14U, 22U, 26U, 30U}) contrast.a[slice].seconds = 2;
  EXPECT_TRUE(judge(contrast, {}).has(JudgementFlag::rare_stalls)) << "eight of nine";
}

TEST(Judge, TakesRatiosOfTotalsPerWork) {
  auto contrast = abba(std::vector<double>(7, 0));
  for (SliceValue& slice : contrast.a) {  // twice the work in 2.4 times the time, in unequal slices
    slice.work = 8;
    slice.seconds = slice.position == 0 ? 1.4 : 3.4;
  }
  const auto judgement = judge(contrast, {});
  EXPECT_NEAR(judgement.estimate, std::log(1.2), 1e-12);
  EXPECT_NEAR(judgement.totals_estimate, std::log(1.2), 1e-12);
  EXPECT_EQ(judgement.verdict, Verdict::slower);
  EXPECT_EQ(judgement.squares, 7U);
}

TEST(Judge, LeavesOutSquaresThatAreNotComplete) {
  auto contrast = abba(std::vector<double>(8, 0.5));
  contrast.a.pop_back();
  EXPECT_EQ(judge(contrast, {}).squares, 7U);
  contrast.b.pop_back();  // one slice each is left: a at 0, b at 1
  EXPECT_EQ(judge(contrast, {}).squares, 7U);
}

TEST(Judge, TreatsFreshProcessesOfEverySquareAsReplicates) {
  const auto judgement = judge(abba(around(0, 0.001, 7)), {.process_effect = 1});
  EXPECT_EQ(judgement.process_pairs, 7U);
  EXPECT_EQ(judgement.verdict, Verdict::same) << "the process effect is among the units already";
  EXPECT_FALSE(judgement.has(JudgementFlag::few_processes));
}

TEST(Judge, WidensByTheProcessEffectBelowSevenPairs) {
  const auto one = judge(abba(std::vector<double>(8, 0.1), 8), {.process_effect = 0.04});
  EXPECT_EQ(one.process_pairs, 1U);
  EXPECT_EQ(one.units, 8U);
  EXPECT_NEAR(one.low, 0.06, 1e-12);
  EXPECT_NEAR(one.high, 0.14, 1e-12);
  EXPECT_TRUE(one.has(JudgementFlag::few_processes));
  EXPECT_GT(one.e_value, 20);
  EXPECT_LT(judge(abba(std::vector<double>(8, 0.1), 8), {.process_effect = 0.2}).e_value, 1);
  const auto four = judge(abba(std::vector<double>(8, 0.1), 2), {.process_effect = 0.04});
  EXPECT_EQ(four.process_pairs, 4U);
  EXPECT_NEAR(four.low, 0.08, 1e-12);  // 0.04 / sqrt(4)
  const auto unequal = judge(abba(std::vector<double>(8, 0.1), 6), {.process_effect = 0.04});
  EXPECT_NEAR(unequal.low, 0.1 - 0.04 * std::sqrt(36.0 + 4) / 8, 1e-12);  // 6 and 2 squares
}

TEST(Judge, TakesAnotherSpeedOfTheNextPairForNoDrift) {
  std::vector<double> values(20, 0.1);
  values.insert(values.end(), 60, 0.13);
  EXPECT_TRUE(judge(abba(values, 80), {.process_effect = 0.01}).has(JudgementFlag::drifting)) << "one pair";
  const auto judgement = judge(abba(values, 20), {.process_effect = 0.01});
  EXPECT_FALSE(judgement.has(JudgementFlag::drifting));
  EXPECT_NEAR(judgement.low, 0.13 - 0.01 / 2, 1e-12) << "four pairs";
  EXPECT_NEAR(judgement.high, 0.13 + 0.01 / 2, 1e-12);
}

TEST(Judge, TakesSevenPairsAsUnits) {
  auto values = around(0, 0.001, 14);
  const auto judgement = judge(abba(values, 2), {.process_effect = 1});
  EXPECT_EQ(judgement.units, 7U);
  EXPECT_NEAR(judgement.low, -0.006, 1e-6);  // mean of -0.0065 and -0.0055
  EXPECT_EQ(judgement.verdict, Verdict::same);
}

TEST(Judge, KeepsTheEvidenceOfSquaresWherePairsBecomeTheUnits) {
  const auto six = judge(abba(std::vector<double>(12, 0.5), 2), {});
  const auto seven = judge(abba(std::vector<double>(14, 0.5), 2), {});
  EXPECT_EQ(six.units, 12U);
  EXPECT_EQ(seven.units, 7U);
  EXPECT_GT(seven.e_value, six.e_value);
}

TEST(Judge, TakesPairsAsUnitsOnlyWhereTheyAreEnoughForItsAlpha) {
  const auto contrast = abba(std::vector<double>(16, 0.5), 2);
  EXPECT_EQ(judge(contrast, {}).units, 8U);
  const auto careful = judge(contrast, {.alpha = 0.05 / 16});
  EXPECT_EQ(careful.units, 16U) << "eight pairs have no interval at this alpha";
  EXPECT_EQ(careful.verdict, Verdict::slower);
}

TEST(Judge, CountsAPairOnceItIsAsLongAsTheOthers) {
  const auto at_thirteen = judge(abba(around(0, 0.001, 13), 2), {.process_effect = 0.5});
  EXPECT_EQ(at_thirteen.units, 13U) << "six pairs and a half: squares, widened";
  EXPECT_GT(at_thirteen.high, 0.15);
  EXPECT_EQ(judge(abba(around(0, 0.001, 15), 2), {}).units, 7U);
  EXPECT_EQ(judge(abba(around(0, 0.001, 16), 2), {}).units, 8U);
}

TEST(Judge, CountsAProcessThatMeetsTwoOthersOnce) {
  auto contrast = abba(around(0, 0.001, 8));
  for (SliceValue& slice : contrast.b) slice.process = 0;
  EXPECT_EQ(judge(contrast, {}).process_pairs, 1U);
}

TEST(Judge, JudgesWithAndWithoutDisturbedSquares) {
  auto contrast = abba({0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.9});
  contrast.a.back().flags = 1;
  const auto judgement = judge(contrast, {});
  EXPECT_EQ(judgement.units, 9U) << "nothing is dropped";
  EXPECT_NEAR(judgement.totals_estimate, std::log((16 + 2 * std::exp(0.9)) / 18), 1e-12);
  EXPECT_EQ(judgement.undisturbed_units, 8U);
  EXPECT_EQ(judgement.undisturbed_high, 0);
  EXPECT_TRUE(judgement.has(JudgementFlag::disturbed));
  EXPECT_FALSE(judgement.has(JudgementFlag::all_disturbed));
}

TEST(Judge, IsUndecidedIfEverySliceOfAnArmIsDisturbed) {
  auto contrast = abba(std::vector<double>(9, 0.5));
  EXPECT_EQ(judge(contrast, {}).verdict, Verdict::slower);
  for (SliceValue& slice : contrast.b) slice.flags = 2;
  const auto judgement = judge(contrast, {});
  EXPECT_EQ(judgement.verdict, Verdict::undecided);
  EXPECT_TRUE(judgement.has(JudgementFlag::all_disturbed));
  EXPECT_NEAR(judgement.estimate, 0.5, 1e-12);
}

TEST(Judge, SaysSoWhenMediansOfStepsTellAnotherRatio) {
  auto contrast = abba(around(std::log(1.95), 0.001, 9));
  for (SliceValue& slice : contrast.b) slice.median_step_seconds = 1;
  for (SliceValue& slice : contrast.a) slice.median_step_seconds = slice.seconds;
  EXPECT_FALSE(judge(contrast, {}).has(JudgementFlag::spikes));
  for (SliceValue& slice : contrast.a) slice.median_step_seconds = 1;
  const auto judgement = judge(contrast, {});
  EXPECT_EQ(judgement.verdict, Verdict::slower);
  EXPECT_TRUE(judgement.has(JudgementFlag::spikes));
  EXPECT_EQ(judgement.median_steps_estimate, 0);
}

TEST(Judge, SaysSoWhenAFewBlocksHoldMostOfTheTime) {
  auto values = std::vector<double>(12, 0.0);
  values[5] = 1.5;
  EXPECT_TRUE(judge(abba(values), {}).has(JudgementFlag::spikes));
  values[5] = 0.1;
  EXPECT_FALSE(judge(abba(values), {}).has(JudgementFlag::spikes));
}

TEST(Judge, IgnoresSquaresBelowTheClock) {
  auto contrast = abba(std::vector<double>(8, 0.5));
  for (std::size_t i = 0; i < 2; ++i) contrast.b[i].seconds = 0;
  EXPECT_EQ(judge(contrast, {}).squares, 7U);
}

TEST(Judge, OfNothingIsUndecided) {
  const auto judgement = judge({}, {});
  EXPECT_EQ(judgement.verdict, Verdict::undecided);
  EXPECT_EQ(judgement.units, 0U);
  EXPECT_EQ(judgement.flags, 0);
}

TEST(JudgementFlagsText, NamesAllThatAreSet) {
  Judgement judgement;
  EXPECT_EQ(judgement_flags_text(judgement.flags), "");
  judgement.raise(JudgementFlag::carry_over);
  judgement.raise(JudgementFlag::drifting);
  EXPECT_EQ(judgement_flags_text(judgement.flags), "drifting,carry-over");
  EXPECT_EQ(verdict_name(Verdict::same), "same");
}

}  // namespace
}  // namespace regatta::stats

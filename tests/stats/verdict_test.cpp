#include "regatta/stats/verdict.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stats/verdict.hpp"

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

/// n values around `centre`, `spread` apart, the outer ones first: they follow no line.
std::vector<double> around(double centre, double spread, std::size_t n) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t rank = i % 2 == 0 ? i / 2 : n - 1 - i / 2;
    values.push_back(centre + spread * (static_cast<double>(rank) - static_cast<double>(n - 1) / 2));
  }
  return values;
}

std::vector<double> rising(double centre, double spread, std::size_t n) {
  std::vector<double> values = around(centre, spread, n);
  std::ranges::sort(values);
  return values;
}

TEST(JudgeUnits, ComparesTheIntervalWithTheMargin) {
  EXPECT_EQ(judge_units(around(0, 0.001, 7), {}).verdict, Verdict::same);
  EXPECT_EQ(judge_units(around(0.02, 0.001, 7), {}).verdict, Verdict::slower);
  EXPECT_EQ(judge_units(around(-0.02, 0.001, 7), {}).verdict, Verdict::faster);
  EXPECT_EQ(judge_units(around(0.01, 0.001, 7), {}).verdict, Verdict::undecided);
  EXPECT_EQ(judge_units(around(0, 0.01, 7), {}).verdict, Verdict::undecided);
}

TEST(JudgeReplicates, JudgesAsUnitsWithoutAnOrder) {
  for (const double centre : {0.0, 0.02, -0.02, 0.3})
    EXPECT_EQ(judge_replicates(around(centre, 0.001, 7), {}).verdict,
              judge_units(around(centre, 0.001, 7), {}).verdict);
  EXPECT_TRUE(judge_replicates(around(1, 0.001, 7), {}).confirmed);
  EXPECT_FALSE(judge_replicates(around(1, 0.001, 6), {}).confirmed);
  EXPECT_EQ(judge_replicates(around(1, 0.001, 1), {}).verdict, Verdict::undecided);
  EXPECT_TRUE(std::isnan(judge_replicates({}, {}).estimate));
}

TEST(JudgeReplicates, KnowsNoDriftAndTakesTheMean) {
  const auto units = judge_units(rising(0.1, 0.02, 10), {});
  const auto replicates = judge_replicates(rising(0.1, 0.02, 10), {});
  EXPECT_TRUE(units.has(Flag::drifting));
  EXPECT_FALSE(replicates.has(Flag::drifting));
  EXPECT_EQ(replicates.verdict, Verdict::slower);
  EXPECT_DOUBLE_EQ(judge_replicates(std::vector{0.0, 0.0, 0.3}, {}).estimate, 0.1);
  const auto shuffled = judge_replicates(around(0.1, 0.02, 10), {});
  EXPECT_DOUBLE_EQ(shuffled.low, replicates.low) << "whatever the order";
  EXPECT_DOUBLE_EQ(shuffled.high, replicates.high);
}

TEST(JudgeUnits, NeverDecidesWhatLiesAtTheMargin) {
  EXPECT_EQ(judge_units(std::vector<double>(7, margin), {}).verdict, Verdict::undecided);
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

TEST(JudgeUnits, HasAnIntervalFromTheFirstPairAndAVerdictFromTheSecond) {
  const auto one = judge_units(around(2, 0.001, 1), {});
  EXPECT_EQ(one.verdict, Verdict::undecided) << "one pair decides nothing";
  EXPECT_LT(one.low, 2);
  EXPECT_GT(one.high, 2);
  EXPECT_GT(one.low, 0.3) << "but it has an interval, which alone would decide";
  const auto two = judge_units(around(1, 0.001, 2), {});
  EXPECT_EQ(two.verdict, Verdict::slower);
  EXPECT_FALSE(two.confirmed);
  EXPECT_EQ(two.units, 2U);
  EXPECT_TRUE(std::isnan(judge_units({}, {}).estimate));
}

TEST(JudgeUnits, IsConfirmedFromSevenPairsBySignsAlone) {
  EXPECT_FALSE(judge_units(around(1, 0.001, 6), {}).confirmed);
  EXPECT_TRUE(judge_units(around(1, 0.001, 7), {}).confirmed);
  auto one_off = around(0.05, 0.001, 9);
  one_off[3] = -0.2;
  EXPECT_FALSE(judge_units(one_off, {}).confirmed) << "signs of nine with one against them reach to it";
}

TEST(JudgeUnits, IsNarrowerWhereSuchPairsScatteredLittleBefore) {
  SpreadHistory quiet, noisy;
  quiet.add(12 * 0.003 * 0.003, 12, 0);
  noisy.add(12 * 0.05 * 0.05, 12, 0);
  const auto width = [](const SpreadHistory& history) {
    const auto judgement = judge_units(std::vector<double>{0.1, 0.102}, {.prior = prior_from(history)});
    return judgement.high - judgement.low;
  };
  EXPECT_LT(width(quiet), width({}));
  EXPECT_GT(width(noisy), width({}));
}

TEST(JudgeUnits, IsPreciseByHalfWidthOrATenthOfTheEstimate) {
  const auto half = [](const Judgement& judgement) { return (judgement.high - judgement.low) / 2; };
  for (const double spread : {0.002, 0.004, 0.008, 0.016, 0.032, 0.064}) {
    const auto large = judge_units(around(0.5, spread, 7), {});
    EXPECT_EQ(large.precise, half(large) <= 0.05) << spread;
    const auto small = judge_units(around(0.05, spread, 7), {});
    EXPECT_EQ(small.precise, small.verdict != Verdict::undecided && half(small) <= 0.01) << spread;
    JudgeOptions sharp;
    sharp.relative_half_width = 0.05;
    EXPECT_EQ(judge_units(around(0.5, spread, 7), sharp).precise, half(large) <= 0.025) << spread;
  }
  EXPECT_FALSE(judge_units(around(0.01, 0.001, 7), {}).precise) << "undecided";
}

TEST(JudgeUnits, GivesNoVerdictOnADriftingRatio) {
  auto values = around(-0.1, 0.0001, 20);
  for (const double value : around(0.3, 0.0001, 40)) values.push_back(value);
  const auto judgement = judge_units(values, {});
  EXPECT_EQ(judgement.verdict, Verdict::undecided);
  EXPECT_TRUE(judgement.has(Flag::drifting));
  EXPECT_FALSE(judgement.precise);
  EXPECT_LE(judgement.low, judgement.estimate);
  EXPECT_LE(judgement.estimate, judgement.high);
}

TEST(JudgeUnits, TakesPairsThatFollowALineOrTheirNeighboursForNoReplicates) {
  EXPECT_TRUE(judge_units(rising(0.05, 0.01, 8), {}).has(Flag::drifting)) << "each is larger than the last";
  EXPECT_FALSE(judge_units(rising(0.05, 0.01, 6), {}).has(Flag::drifting)) << "too few to tell";
  EXPECT_FALSE(judge_units(rising(0.05, 0.0001, 8), {}).has(Flag::drifting)) << "by less than matters";
  std::vector<double> waves;
  for (int i = 0; i < 40; ++i) waves.push_back(0.05 + 0.03 * std::sin(i / 5.0));
  EXPECT_TRUE(judge_units(waves, {}).has(Flag::drifting));
  EXPECT_FALSE(
      judge_units(std::vector<double>{.06, .04, .07, .05, .03, .06, .05, .04, .08, .05}, {}).has(Flag::drifting));
}

TEST(JudgeUnits, KeepsTheVerdictOnPairsThatMoveByLessThanTheyAreBeyondTheMargin) {
  const auto growing = [](double first) {
    std::vector<double> values;
    for (int i = 0; i < 8; ++i) values.push_back(first + 0.01 * i);
    return values;
  };
  for (const double sign : {1.0, -1.0}) {
    std::vector<double> values = growing(0.1);
    for (double& value : values) value *= sign;
    const Judgement judgement = judge_units(values, {});
    EXPECT_EQ(judgement.verdict, sign > 0 ? Verdict::slower : Verdict::faster);
    EXPECT_FALSE(judgement.has(Flag::drifting));
  }
  EXPECT_EQ(judge_units(growing(0.07), {}).verdict, Verdict::undecided) << "it moved as far as it is beyond the margin";
}

TEST(JudgeUnits, KeepsTheEstimateInsideTheInterval) {
  // The first 7 exclude all above 0.006; the median of all 19 is 1.
  auto values = around(0.003, 0.001, 7);
  values.insert(values.end(), 8, 1.0);
  const auto judgement = judge_units(values, {});
  EXPECT_LE(judgement.estimate, judgement.high);
}

TEST(JudgeUnits, HasEvidenceAgainstTheMarginOnly) {
  EXPECT_GT(judge_units(around(0.05, 0.001, 7), {}).e_value, 26.8125 / 2) << "half of it is that of the signs";
  EXPECT_LT(judge_units(around(0, 0.0001, 7), {}).e_value, 1);
  EXPECT_EQ(judge_units({}, {}).e_value, 1);
  EXPECT_GT(judge_units(around(0.7, 0.01, 2), {}).e_value, 20) << "twice the time is found from two pairs";
}

TEST(JudgeUnits, IsBoundedButNotSilencedByCallLengths) {
  const JudgeOptions bent = {.call_length_misfit = 0.3};
  const auto clear = judge_units(around(1.5, 0.001, 7), bent);
  EXPECT_EQ(clear.verdict, Verdict::slower);
  EXPECT_TRUE(clear.has(Flag::call_length));
  EXPECT_EQ(clear.low, judge_units(around(1.5, 0.001, 7), {}).low) << "it is that of the lengths that were scored";
  EXPECT_NEAR(clear.over_call_lengths.low, clear.low - 0.3, 1e-9);
  EXPECT_NEAR(clear.over_call_lengths.high, clear.high + 0.3, 1e-9);
  EXPECT_EQ(judge_units(around(0.3, 0.001, 7), bent).verdict, Verdict::undecided) << "less than calls differ by";
  EXPECT_EQ(judge_units(around(0, 0.001, 7), bent).verdict, Verdict::undecided) << "and no verdict 'same'";
  EXPECT_LT(judge_units(around(0.3, 0.001, 7), bent).e_value, judge_units(around(0.3, 0.001, 7), {}).e_value);
}

TEST(JudgeUnits, DoesNotAskForMoreThanTheMarginOfCalls) {
  const auto straight = judge_units(around(0, 0.001, 7), {.call_length_misfit = 0.009});
  EXPECT_EQ(straight.verdict, Verdict::same);
  EXPECT_FALSE(straight.has(Flag::call_length));
}

TEST(Judge, CallsNothingTheSameWhereRareStallsMakeAnotherTotal) {
  auto contrast = abba(std::vector<double>(20, 0.0));
  contrast.a[4].seconds = 10;
  const auto judgement = judge(contrast, {});
  EXPECT_EQ(judgement.verdict, Verdict::undecided);
  EXPECT_TRUE(judgement.has(Flag::rare_stalls));
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
  EXPECT_TRUE(judge(contrast, {}).has(Flag::rare_stalls)) << "eight of nine";
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

TEST(Judge, TakesTheTotalsOfEachPairAsItsValue) {
  auto contrast = abba(std::vector<double>(8, 0.0), 4);
  contrast.a[2].seconds = 5;  // one of eight slices of the first pair
  const auto judgement = judge(contrast, {});
  EXPECT_EQ(judgement.units, 2U);
  EXPECT_EQ(judgement.process_pairs, 2U);
  EXPECT_NEAR(judgement.pairs.mean, std::log(12.0 / 8) / 2, 1e-12);
}

TEST(Judge, GivesNoVerdictWhereStallsDecideIt) {
  std::vector<double> values;
  for (int square = 0; square < 60; ++square) values.push_back(square % 3 == 0 ? 1.6 : 0.0);
  auto contrast = abba(values, 20);
  const auto judgement = judge(contrast, {});
  EXPECT_TRUE(judgement.has(Flag::stalls));
  EXPECT_EQ(judgement.verdict, Verdict::undecided) << "slower by all time, the same by the typical square";
  EXPECT_NEAR(judgement.without_stalls.estimate, 0, 1e-12);
  EXPECT_GT(judgement.low, indifference({}));
}

TEST(Judge, LearnsFromSquaresHowFarPairsMayBeOffByChance) {
  std::vector<double> rough, smooth;
  for (int square = 0; square < 20; ++square) {
    rough.push_back(0.3 + (square % 2 == 0 ? 0.2 : -0.2));
    smooth.push_back(0.3);
  }
  EXPECT_GT(judge(abba(rough, 10), {}).pairs.within_variance, 0.0);
  EXPECT_EQ(judge(abba(smooth, 10), {}).pairs.within_variance, 0.0);
  EXPECT_EQ(judge(abba(rough, 1), {}).pairs.within_variance, 0.0) << "single squares show it themselves";
  const auto width = [](const Judgement& judgement) { return judgement.high - judgement.low; };
  EXPECT_GT(width(judge(abba(rough, 10), {})), width(judge(abba(smooth, 10), {})));
}

TEST(Judge, CountsAPairOnceItIsAsLongAsTheOthers) {
  EXPECT_EQ(judge(abba(around(0, 0.001, 13), 2), {}).units, 6U) << "six pairs and a half";
  EXPECT_EQ(judge(abba(around(0, 0.001, 15), 2), {}).units, 7U);
  EXPECT_EQ(judge(abba(around(0, 0.001, 16), 2), {}).units, 8U);
  EXPECT_EQ(judge(abba(around(0, 0.001, 1), 2), {}).units, 1U) << "the first one counts from its first square";
}

TEST(JudgeEachPair, SaysAfterEachWhatTheJudgeSaysThere) {
  const auto contrast = abba(around(0.1, 0.0005, 24), 4);
  const auto each = judge_each_pair(contrast, {});
  ASSERT_EQ(each.size(), 6U);
  for (std::size_t pairs = 1; pairs <= each.size(); ++pairs) {
    auto first = contrast;
    first.a.resize(pairs * 8);
    first.b.resize(pairs * 8);
    const auto there = judge(first, {});
    EXPECT_EQ(each[pairs - 1].verdict, there.verdict);
    EXPECT_EQ(each[pairs - 1].low, there.low);
    EXPECT_EQ(each[pairs - 1].e_value, there.e_value);
  }
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
  EXPECT_EQ(judgement.undisturbed.squares, 8U);
  EXPECT_EQ(judgement.undisturbed.verdict, Verdict::same);
  EXPECT_TRUE(judgement.has(Flag::disturbed));
}

TEST(Judge, HasAVerdictThoughEverySliceOfAnArmIsDisturbed) {
  auto contrast = abba(std::vector<double>(9, 0.5));
  for (SliceValue& slice : contrast.b) slice.flags = 2;
  const auto judgement = judge(contrast, {});
  EXPECT_EQ(judgement.verdict, Verdict::slower) << "how much it scatters is in the interval";
  EXPECT_EQ(judgement.undisturbed.squares, 0U);
  EXPECT_EQ(judgement.undisturbed.verdict, Verdict::undecided);
}

TEST(Judge, SaysSoWhenMediansOfStepsTellAnotherRatio) {
  auto contrast = abba(around(std::log(1.95), 0.001, 9));
  for (SliceValue& slice : contrast.b) slice.median_step_seconds = 1;
  for (SliceValue& slice : contrast.a) slice.median_step_seconds = slice.seconds;
  EXPECT_FALSE(judge(contrast, {}).has(Flag::spikes));
  for (SliceValue& slice : contrast.a) slice.median_step_seconds = 1;
  const auto judgement = judge(contrast, {});
  EXPECT_EQ(judgement.verdict, Verdict::slower);
  EXPECT_TRUE(judgement.has(Flag::spikes));
  EXPECT_EQ(judgement.median_steps_estimate, 0);
}

TEST(Judge, SaysSoWhenAFewBlocksHoldMostOfTheTime) {
  auto values = std::vector<double>(12, 0.0);
  values[5] = 1.5;
  EXPECT_TRUE(judge(abba(values), {}).has(Flag::spikes));
  values[5] = 0.1;
  EXPECT_FALSE(judge(abba(values), {}).has(Flag::spikes));
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
  EXPECT_EQ(judgement.flags, Flags());
}

TEST(Judgement, RaisesFlagsThatHaveNames) {
  Judgement judgement;
  EXPECT_EQ(text_of(judgement.flags), "");
  judgement.raise(Flag::carry_over);
  judgement.raise(Flag::drifting);
  EXPECT_EQ(text_of(judgement.flags), "drifting,carry-over");
  EXPECT_EQ(verdict_name(Verdict::same), "same");
}

/// Ten rewards that scatter by 0.01 about this one.
std::vector<double> rewards(double about) {
  std::vector<double> values;
  for (const double off : {0.01, -0.01, 0.005, -0.005, 0.0, 0.012, -0.012, 0.007, -0.007, 0.0})
    values.push_back(about + off);
  return values;
}

const std::vector<double> steady(10, -0.5);

TEST(NeedsDifferences, WhereAValueHasNoRatioOrTheMarginIsInTheirUnit) {
  const std::vector<double> above{1, 2}, zero{1, 0}, below{1, -2};
  EXPECT_FALSE(needs_differences(above, above, {}));
  EXPECT_TRUE(needs_differences(above, zero, {}));
  EXPECT_TRUE(needs_differences(below, above, {}));
  EXPECT_TRUE(needs_differences(above, above, {.absolute_margin = 0.1}));
}

TEST(JudgeDifferences, AreInTheUnitOfTheFirstPair) {
  const JudgedDifferences judged = judge_differences(rewards(-0.4), steady, {}, true);
  EXPECT_DOUBLE_EQ(judged.unit, 0.5);
  EXPECT_EQ(judged.judgement.verdict, Verdict::slower) << "higher";
  EXPECT_TRUE(judged.judgement.confirmed);
  EXPECT_NEAR(judged.judgement.estimate * judged.unit, 0.1, 0.002);
  EXPECT_LT(judged.judgement.low * judged.unit, 0.1);
  EXPECT_GT(judged.judgement.low * judged.unit, 0.08);
  EXPECT_GT(judged.judgement.high * judged.unit, 0.1);
  EXPECT_LT(judged.judgement.high * judged.unit, 0.12);
  EXPECT_EQ(judge_differences(steady, rewards(-0.4), {}, true).judgement.verdict, Verdict::faster);
}

TEST(JudgeDifferences, TakeAPercentageOfTheUnitAndANumberAsItIs) {
  const auto delta = [](const JudgeOptions& options) {
    return indifference(judge_differences(rewards(-0.4), steady, options, true).options);
  };
  EXPECT_NEAR(delta({.margin = 0.1}), 0.1, 1e-12);
  EXPECT_NEAR(delta({.absolute_margin = 0.1}), 0.2, 1e-12) << "half a unit is 0.25";
  const auto verdict = [](const JudgeOptions& options) {
    return judge_differences(rewards(-0.4), steady, options, true).judgement.verdict;
  };
  EXPECT_EQ(verdict({.absolute_margin = 0.05}), Verdict::slower);
  EXPECT_EQ(verdict({.absolute_margin = 0.2}), Verdict::same);
  EXPECT_EQ(verdict({.absolute_margin = 0.1}), Verdict::undecided);
}

TEST(JudgeDifferences, OfZerosAreTheSame) {
  const std::vector<double> zeros(7, 0);
  const JudgedDifferences judged = judge_differences(zeros, zeros, {}, true);
  EXPECT_EQ(judged.unit, 1);
  EXPECT_EQ(judged.judgement.verdict, Verdict::same);
  EXPECT_EQ(judged.judgement.estimate, 0);
  const std::vector<double> late{0, 0, 3};
  EXPECT_EQ(judge_differences(std::vector<double>{0, 0, 0}, late, {}, true).unit, 3) << "the first that is not zero";
}

TEST(JudgeDifferences, AreNotSureOfWhatBeganByChanceNearZero) {
  std::vector<double> values{0.001};
  for (const double value : {0.8, 1.1, -0.4, 0.9, 1.2, 0.3}) values.push_back(value);
  const JudgedDifferences judged = judge_differences(values, std::vector<double>(7, 0.0005), {}, true);
  EXPECT_DOUBLE_EQ(judged.unit, 1.2);
  EXPECT_EQ(judged.judgement.verdict, Verdict::undecided);
}

TEST(JudgeDifferences, PairWhatBothHaveAndKnowNoOrderOfReplicates) {
  const std::vector<double> rising{-1, -0.9, -0.8, -0.7, -0.6, -0.5, -0.4, -0.3, -0.2};
  const std::vector<double> longer(12, -1.1);
  const JudgedDifferences judged = judge_differences(rising, longer, {}, true);
  EXPECT_EQ(judged.judgement.units, 9U);
  EXPECT_TRUE(judged.judgement.has(Flag::drifting));
  EXPECT_EQ(judge_differences(rising, longer, {}, false).judgement.verdict, Verdict::slower);
  EXPECT_TRUE(std::isnan(judge_differences({}, longer, {}, true).judgement.estimate));
}

}  // namespace
}  // namespace regatta::stats

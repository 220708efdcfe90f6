#include "regatta/report/wording.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace regatta::report {
namespace {

using analysis::JudgedRatio;
using stats::Verdict;

TEST(Wording, RatiosAreAtLeastOneWithThreeDigitsAndFourNearOne) {
  EXPECT_EQ(times_text(10.71), "10.7x");
  EXPECT_EQ(times_text(2.134), "2.13x");
  EXPECT_EQ(times_text(1.0034), "1.003x");
  EXPECT_EQ(times_text(0.5), "2.00x");
  EXPECT_EQ(times_text(0.0045), "222x");
  EXPECT_EQ(times_text(1234.5), "1234x");
  EXPECT_EQ(times_text(std::numeric_limits<double>::quiet_NaN()), std::string(dash) + "x");
}

TEST(Wording, RatiosHaveADirectionUnlessTheyReadOne) {
  EXPECT_EQ(directed_text(38.3), "38.3x slower");
  EXPECT_EQ(directed_text(0.5), "2.00x faster");
  EXPECT_EQ(directed_text(1.0001), "1.000x");
  EXPECT_EQ(directed_text(0.9999), "1.000x");
}

TEST(Wording, IntervalsCountAsTheirRatioDoes) {
  EXPECT_EQ(directed_interval(38.3, 37, 39), "[37.0, 39.0]");
  EXPECT_EQ(directed_interval(0.5, 0.4, 0.8), "[1.25, 2.50]");
  EXPECT_EQ(directed_interval(1.01, 0.8, 1.25), "[1.25x faster, 1.25x slower]") << "ends on both sides";
  EXPECT_EQ(directed_interval(0.99, 1.5, 2.0), "[1.50x slower, 2.00x slower]") << "both on the other side";
  EXPECT_EQ(directed_interval(1.5, 1, 2), "[1.000, 2.00]");
  EXPECT_EQ(directed_interval(10.5, 10.1, std::nullopt), "");
}

TEST(Wording, EveryVerdictHasItsWordBesideTheFigure) {
  EXPECT_EQ(ratio_text({0.0045, 0.0038, 0.0053, Verdict::faster}), "222x faster [189, 263]");
  EXPECT_EQ(ratio_text({38.3, 37, 39, Verdict::slower}), "38.3x slower [37.0, 39.0]");
  EXPECT_EQ(ratio_text({1.003, 0.999, 1.005, Verdict::same}), "1.003x, same [1.001x faster, 1.005x slower]");
  EXPECT_EQ(ratio_text({1.5, 1.4, 1.6, Verdict::slower, true}), "1.50x slower [1.40, 1.60], early");
  EXPECT_EQ(ratio_text({1.003, 0.999, 1.005, Verdict::same, true}),
            "1.003x, same [1.001x faster, 1.005x slower], early");
}

TEST(Wording, WhatItIsComparedWithStandsBeforeTheRemark) {
  EXPECT_EQ(ratio_text({1.5, 1.4, 1.6, Verdict::slower, true}, " than numpy"),
            "1.50x slower [1.40, 1.60] than numpy, early");
  EXPECT_EQ(ratio_text({1.5, 1.4, 1.6, Verdict::slower}, " than numpy"), "1.50x slower [1.40, 1.60] than numpy");
}

TEST(Wording, WhatIsNotKnownYetHasAnIntervalAndNoFigure) {
  EXPECT_EQ(ratio_text({1.03, 0.96, 1.11, Verdict::undecided, true}), "not known yet [1.042x faster, 1.11x slower]");
  EXPECT_EQ(ratio_text({1.2, 1.003, 1.4, Verdict::undecided}), "not known yet [1.003x slower, 1.40x slower]")
      << "no figure says which way they count";
  EXPECT_EQ(ratio_text({2, {}, {}, Verdict::undecided}), "not known yet");
}

TEST(Wording, AnIntervalBeyondAFactorOfTwoEitherWayIsAnything) {
  EXPECT_EQ(ratio_text({1.5, 0.1, 11, Verdict::undecided}),
            "not known yet [anything from 10.0x faster to 11.0x slower]");
  EXPECT_EQ(ratio_text({1.5, 0.6, 11, Verdict::undecided}), "not known yet [1.67x faster, 11.0x slower]")
      << "one end is within a factor of 2";
}

TEST(Wording, ATablesSecondColumnHoldsWhatIsNotInTheFirst) {
  const JudgedRatio judged{0.16, 0.14, 0.18, Verdict::faster, true};
  EXPECT_EQ(words_of(judged).figure, "6.25x faster");
  EXPECT_EQ(interval_text(judged), "[5.56, 7.14], early");
  EXPECT_EQ(interval_text({2, 1.9, 2.1, Verdict::slower}), "[1.90, 2.10]");
}

TEST(Wording, RatesHaveAScale) {
  EXPECT_EQ(rate_text(4.512e6), "4.51 M");
  EXPECT_EQ(rate_text(999.9), "1.00 k");
  EXPECT_EQ(rate_text(12.34), "12.3");
  EXPECT_EQ(rate_text(0.05), "0.05");
}

TEST(Wording, WhatIsNotKnownIsADash) {
  EXPECT_EQ(duration_text(std::nullopt), dash);
  EXPECT_EQ(rate_text(std::nullopt), dash);
  EXPECT_EQ(size_text(std::nullopt), dash);
  results::TrialRow trial;
  trial.metrics["step_time"] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(analysis::metric(trial, "step_time"));
  EXPECT_FALSE(analysis::metric(trial, "first_step"));
}

TEST(WordsOf, ADifferenceAreInItsUnit) {
  const auto words = [](double value, double low, double high, stats::Verdict verdict) {
    JudgedRatio judged;
    judged.metric = sweep::Metric::result;
    judged.verdict = verdict;
    judged.difference = analysis::Difference{.value = value, .low = low, .high = high, .margin = 0.01};
    return ratio_text(judged);
  };
  EXPECT_EQ(words(0.101, 0.0805, 0.1215, stats::Verdict::slower), "0.10 higher [0.08, 0.12]");
  EXPECT_EQ(words(-0.101, -0.1215, -0.0805, stats::Verdict::faster), "0.10 lower [0.08, 0.12]");
  EXPECT_EQ(words(12, 8.4, 15.6, stats::Verdict::slower), "12 higher [8, 16]");
  EXPECT_EQ(words(0.001, -0.004, 0.006, stats::Verdict::same), "the same within 0.01 [0.004 lower, 0.006 higher]");
  EXPECT_EQ(words(0.05, -0.03, 0.13, stats::Verdict::undecided), "not known yet [0.03 lower, 0.13 higher]");
}

}  // namespace
}  // namespace regatta::report

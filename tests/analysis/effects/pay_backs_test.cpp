#include <gtest/gtest.h>

#include <cmath>

#include "analysis/hand_made.hpp"
#include "regatta/stats/cold_starts.hpp"

namespace regatta::analysis {
namespace {

using testing_support::HandMade;

/// graph starts in 0.5 + 0.5 s and steps in 1 ms, eager starts in 0.1 + 0.1 s and takes `ratios` as long a step, in one
/// pair of fresh processes after the other.
HandMade started(const std::vector<double>& ratios, const char* engine = "native") {
  HandMade made;
  made.contrast(1, ratios.front(), 1, 7, "mlp-10", engine);
  made.starts(TrialIndex{0}, 0.5, 0.5, std::vector<double>(ratios.size(), 1e-3));
  std::vector<double> steps;
  for (const double ratio : ratios) steps.push_back(ratio * 1e-3);
  made.starts(TrialIndex{1}, 0.1, 0.1, steps);
  return made;
}

const std::vector<double> twice = {2, 1.8, 1.9, 2, 2, 2.1, 2.2};
const std::vector<double> no_slower(7, 0.9);

TEST(PayBacks, AreTheCostOverTheSaving) {
  const auto found = started(twice).effects().pay_backs;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].starter, TrialIndex{0});
  EXPECT_EQ(found[0].processes, 7U);
  EXPECT_NEAR(found[0].steps.value().value, 800, 1e-6);               // 0.8 s / 1 ms
  EXPECT_NEAR(found[0].steps.value().range.low, 0.8 / 1.2e-3, 1e-6);  // the pair that saves 1.2 ms
  EXPECT_NEAR(found[0].steps.value().range.high, 1000, 1e-6);         // the one that saves 0.8 ms
  EXPECT_NEAR(found[0].starter_start.value, 1, 1e-9);
  EXPECT_NEAR(found[0].other_start.value, 0.2, 1e-9);
}

TEST(PayBacks, VaryWithEachPreparation) {
  HandMade made = started(std::vector<double>(7, 2));
  double seconds = 0.1;
  for (auto& row : made.made.results.samples)
    if (row.trial == TrialIndex{0} && row.sample.phase == stats::Phase::prepare) row.sample.seconds = seconds += 0.1;
  const auto found = made.effects().pay_backs;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].steps.value().value, 1050, 1e-6);
  EXPECT_NEAR(found[0].steps.value().range.low, 750, 1e-6);
  EXPECT_NEAR(found[0].steps.value().range.high, 1350, 1e-6);
}

TEST(PayBacks, HaveNoIntervalBelowSevenPairs) {
  const auto found = started({2, 2, 2}).effects().pay_backs;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].has_interval);
  EXPECT_EQ(found[0].processes, 3U);
  EXPECT_NEAR(found[0].steps.value().value, 800, 1e-6);
}

TEST(PayBacks, AreNeverOnlyByAVerdict) {
  HandMade made = started(no_slower);
  auto found = made.effects().pay_backs;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pays, Pays::never);
  made.contrasts.contrasts[0].verdict = stats::Verdict::same;
  EXPECT_EQ(made.effects().pay_backs.at(0).pays, Pays::never);
  made.contrasts.contrasts[0].verdict = stats::Verdict::undecided;
  found = made.effects().pay_backs;
  EXPECT_EQ(found.at(0).pays, Pays::unknown);
  EXPECT_FALSE(found[0].steps);
}

TEST(PayBacks, AreNotKnownWithoutAVerdict) {
  HandMade made = started(twice);
  made.contrasts.contrasts[0].verdict = stats::Verdict::undecided;
  EXPECT_EQ(made.effects().pay_backs.at(0).pays, Pays::unknown);
}

TEST(PayBacks, MayHaveNoUpperEnd) {
  const auto found = started({1.1, 0.95, 1.1, 1.1, 1.1, 1.1, 1.2}).effects().pay_backs;
  EXPECT_NEAR(found.at(0).steps.value().value, 8000, 1e-6);
  EXPECT_NEAR(found[0].steps->range.low, 4000, 1e-6);
  EXPECT_FALSE(std::isfinite(found[0].steps->range.high));
}

TEST(PayBacks, AreNoQuestionWhereNeitherIsKnownToStartLater) {
  HandMade made = started(twice);
  double seconds = 0.4;  // then 0.35 to 0.05 s; eager starts in 0.2 s
  for (auto& row : made.made.results.samples) {
    if (row.trial == TrialIndex{0} && row.sample.phase == stats::Phase::prepare) row.sample.seconds = 0;
    if (row.trial == TrialIndex{0} && row.sample.phase == stats::Phase::start) row.sample.seconds = 0;
    if (row.trial == TrialIndex{0} && row.sample.phase == stats::Phase::first) row.sample.seconds = seconds -= 0.05;
  }
  EXPECT_TRUE(made.effects().pay_backs.empty());
}

TEST(PayBacks, AreNoQuestionBetweenEnginesIfNothingIsSaved) {
  EXPECT_TRUE(started(no_slower, "numpy").effects().pay_backs.empty());
  EXPECT_EQ(started(twice, "numpy").effects().pay_backs.size(), 1U);
}

TEST(PayBacks, TellWarmCachesFromCold) {
  HandMade made = started({2, 2, 2, 2, 2, 2, 2, 2});
  bool is_first = true;
  for (auto& row : made.made.results.samples) {
    if (row.trial != TrialIndex{0} || row.sample.phase != stats::Phase::prepare) continue;
    if (is_first)
      row.sample.seconds = 20;  // it compiles
    else
      row.sample.flags = stats::warm_caches;
    is_first = false;
  }
  const auto found = made.effects().pay_backs;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].is_warm);
  EXPECT_EQ(found[0].processes, 7U) << "the first pair is none of them";
  EXPECT_NEAR(found[0].steps.value().value, 800, 1e-6);
  ASSERT_TRUE(found[0].cold);
  EXPECT_NEAR(found[0].cold->steps.value(), (found[0].cold->starter_start - 0.2) / 1e-3, 1e-6);
  EXPECT_NEAR(found[0].starter_start.value, 1, 1e-9);
  EXPECT_NEAR(found[0].cold->starter_start, 20.75, 1e-9);
  EXPECT_NEAR(found[0].cold->other_start, 0.2, 1e-9);
}

TEST(PayBacks, AreNotKnownWithoutStarts) {
  auto made = started(twice);
  std::erase_if(made.made.results.samples,
                [](const auto& row) { return row.trial == TrialIndex{1} && row.sample.phase == stats::Phase::start; });
  EXPECT_TRUE(made.effects().pay_backs.empty()) << "as in files of earlier versions";
}

}  // namespace
}  // namespace regatta::analysis

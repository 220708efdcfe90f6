#include "regatta/stats/clones.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "regatta/stats/rules.hpp"

namespace regatta::stats {
namespace {

TEST(AbsoluteP95, IsTheLargestOfFewValues) {
  EXPECT_EQ(absolute_p95({}), 0);
  EXPECT_EQ(absolute_p95(std::vector<double>{-0.3, 0.1, 0.2}), 0.3);
}

TEST(AbsoluteP95, LeavesOutTheLargestOfTwenty) {
  std::vector<double> values;
  for (int i = 1; i <= 20; ++i) values.push_back(i % 2 == 0 ? i : -i);
  EXPECT_EQ(absolute_p95(values), 19);
  values.push_back(21);
  EXPECT_EQ(absolute_p95(values), 20);
}

TEST(NoiseFloor, IsARelativeDifference) {
  EXPECT_NEAR(noise_floor(std::vector<double>{std::log(1.02), 0.001, -0.005}), 0.02, 1e-12);
  EXPECT_NEAR(indifference({.floor = noise_floor(std::vector<double>{-0.05})}), 0.05, 1e-12);
}

TEST(CloneChecks, CountVerdictsOnIdenticalCode) {
  CloneChecks checks;
  for (const Verdict verdict : {Verdict::same, Verdict::same, Verdict::undecided}) checks.add(verdict);
  EXPECT_FALSE(doubted(-0.02, checks, indifference({})));
  checks.add(Verdict::slower);
  EXPECT_EQ(clone_checks_text(checks), "2 same, 1 undecided, 1 false");
  EXPECT_EQ(checks.total(), 4);
  EXPECT_TRUE(doubted(-0.02, checks, indifference({})));
  EXPECT_FALSE(doubted(-0.2, checks, indifference({})));
}

/// Squares of a clone, each of them AB BA: log ratios of pairs, to which squares of each pair add in turn.
ContrastSlices clone(const std::vector<double>& pairs, const std::vector<double>& squares) {
  ContrastSlices made;
  std::uint32_t square = 0;
  for (std::uint32_t pair = 0; pair < pairs.size(); ++pair) {
    for (const double each : squares) {
      for (const std::uint32_t round : {0U, 1U}) {
        SliceValue slice{.seconds = std::exp(pairs[pair] + each), .process = pair, .square = square};
        slice.position = round;
        made.a.push_back(slice);
        slice.seconds = 1;
        slice.position = 1 - round;
        made.b.push_back(slice);
      }
      ++square;
    }
  }
  return made;
}

const std::vector<double> seven_apart = {0.02, -0.01, 0.03, -0.02, 0.01, -0.03, 0.02};
const std::vector<double> scattered = {0.06, -0.06, 0.06, -0.06};

TEST(ClonePool, AssumesWhatItDoesNotKnow) {
  const ClonePool none;
  EXPECT_EQ(none.floor_of("torch"), 0);
  EXPECT_EQ(none.process_effect_of("torch"), rules::assumed_process_effect);
  const auto options = none.options_for({.floor = 0.03}, "torch", "native");
  EXPECT_EQ(options.floor, 0.03) << "what was known before holds on";
  EXPECT_EQ(options.process_effect, rules::assumed_process_effect);
}

TEST(ClonePool, TellsEnginesApartAndTakesTheLargerOfTwo) {
  ClonePool pool;
  pool.add("native", clone(std::vector<double>(9, 0.01), {0.0}), {});
  pool.add("torch", clone(std::vector<double>(9, 0.05), {0.0}), {});
  EXPECT_NEAR(pool.floor_of("native"), std::expm1(0.01), 1e-12);
  EXPECT_NEAR(pool.options_for({}, "native", "torch").floor, std::expm1(0.05), 1e-12);
  EXPECT_NEAR(pool.options_for({}, "native", "numpy").floor, std::expm1(0.01), 1e-12);
}

TEST(ClonePool, TakesTheCloneItsOwnScatterOutOfTheFloor) {
  ClonePool pool;
  pool.add("torch", clone(seven_apart, {0.0}), {});
  EXPECT_EQ(pool.floor_of("torch"), 0) << "the estimate, 1 %, is well inside an interval of 3 %";
  ClonePool silent;
  silent.add("torch", clone({0.3, 0.2}, {0.0}), {});
  EXPECT_EQ(silent.floor_of("torch"), 0) << "a clone without an interval tells no floor";
}

TEST(ClonePool, TakesScatterOfSquaresForNoEffectOfProcesses) {
  ClonePool alike, apart;
  alike.add("torch", clone(std::vector<double>(7, 0.0), scattered), {});
  apart.add("torch", clone(seven_apart, {0.0}), {});
  EXPECT_LT(alike.process_effect_of("torch"), 0.005);
  EXPECT_NEAR(apart.process_effect_of("torch"), 0.03, 1e-12) << "no more than was seen";
}

TEST(ClonePool, AssumesNoLessThanUsualUntilSevenPairsAreKnown) {
  ClonePool pool;
  pool.add("torch", clone({0.0, 0.0, 0.0}, scattered), {});
  EXPECT_EQ(pool.process_effect_of("torch"), rules::assumed_process_effect);
  pool.add("torch", clone({0.0, 0.0, 0.0, 0.0}, scattered), {});
  EXPECT_LT(pool.process_effect_of("torch"), rules::assumed_process_effect);
}

}  // namespace
}  // namespace regatta::stats

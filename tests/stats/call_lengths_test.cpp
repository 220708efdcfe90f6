#include "regatta/stats/call_lengths.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

namespace regatta::stats {
namespace {

constexpr std::array lengths = {22.0, 32.0, 48.0, 71.0};
constexpr int passes = 3;

/// Three passes over the lengths; `noise` only makes a call longer.
template <class Seconds>
PilotCalls calls(const Seconds& seconds, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::exponential_distribution<double> slower(1);
  PilotCalls made;
  for (int pass = 0; pass < passes; ++pass)
    for (const double steps : lengths) made.push_back({steps, seconds(steps) * (1 + noise * slower(random))});
  return made;
}

using Pilots = std::vector<PilotCalls>;

double line(double steps) { return 20e-6 + 100e-6 * steps; }

/// Calls end at the next of 1, 2, 4, 8 ms.
double lattice(double steps) { return 1e-3 * std::exp2(std::ceil(std::log2(line(steps) / 1e-3))); }

std::vector<Sample> samples_of(const PilotCalls& calls, std::uint32_t first_slice) {
  std::vector<Sample> samples = {{.slice = first_slice, .phase = Phase::first, .seconds = 1}};
  for (const CallTime& call : calls) {
    samples.push_back({.slice = ++first_slice,
                       .phase = Phase::warmup,
                       .steps = static_cast<std::uint32_t>(call.steps),
                       .seconds = call.seconds});
  }
  return samples;
}

TEST(CallLengths, OfALineHaveNoMisfit) {
  const auto found = call_lengths(Pilots{calls(line, 0, 1)});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->misfit, 0, 1e-12);
  EXPECT_EQ(found->shortest_steps, 22);
  EXPECT_EQ(found->longest_steps, 71);
}

TEST(CallLengths, OnAGridAreOffALineByWhatTheGridHides) {
  const auto found = call_lengths(Pilots{calls(lattice, 0.02, 2)});
  ASSERT_TRUE(found);
  EXPECT_GT(found->misfit, 0.15);
  EXPECT_LT(found->misfit, std::log(2));
}

TEST(CallLengths, OfNoisyCallsAreNoFindingMoreOftenThanNot) {
  int found = 0;
  for (unsigned seed = 0; seed < 200; ++seed)
    found += call_lengths(Pilots{calls(line, 0.1, seed)})->misfit > 0.01 ? 1 : 0;
  EXPECT_LE(found, 20) << "of 200 pilots whose calls scatter by 10 %";
}

TEST(CallLengths, AreThoseOfTheMedianPilot) {
  const auto straight = calls(line, 0, 1);
  const auto bent = calls(lattice, 0, 1);
  EXPECT_NEAR(call_lengths(Pilots{straight, bent, straight})->misfit, 0, 1e-12);
  EXPECT_EQ(call_lengths(Pilots{bent, straight, bent})->misfit, call_lengths(Pilots{bent})->misfit);
}

TEST(CallLengths, WithoutALineAboveZeroAreHalfTheRangeOfStepTimes) {
  const PilotCalls dipping = {{1, 1}, {10, 1e-3}, {11, 1}};
  EXPECT_NEAR(call_lengths(Pilots{dipping})->misfit, std::log(1 / 1e-4) / 2, 1e-9);
}

TEST(CallLengths, NeedThreeOfThem) {
  EXPECT_FALSE(call_lengths(Pilots{{{2, 1}, {3, 1}, {3, 2}}}));
  EXPECT_FALSE(call_lengths({}));
}

TEST(PilotCalls, AreUnscoredSlicesOfOneSampleByProcess) {
  auto samples = samples_of(calls(line, 0, 1), 0);
  samples.push_back({.slice = 90, .phase = Phase::warmup, .steps = 5, .seconds = 1});
  samples.push_back({.slice = 90, .phase = Phase::warmup, .steps = 5, .seconds = 1});
  samples.push_back({.slice = 91, .phase = Phase::steady, .steps = 5, .seconds = 1});
  samples.push_back({.slice = 92, .phase = Phase::first, .seconds = 1});
  samples.push_back({.slice = 93, .phase = Phase::warmup, .steps = 5, .seconds = 1});
  const auto pilots = pilot_calls(samples);
  ASSERT_EQ(pilots.size(), 1U) << "the second process only warmed up";
  EXPECT_EQ(pilots.front().size(), passes * lengths.size());
}

}  // namespace
}  // namespace regatta::stats

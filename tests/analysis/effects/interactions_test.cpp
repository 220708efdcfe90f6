#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "analysis/effects/effects.hpp"
#include "report/sample_results.hpp"

namespace regatta::analysis {
namespace {

using testing_support::arm;
using testing_support::ResultsBuilder;

/// native graph 1, native eager 2, torch graph 4, torch eager 4 x `last`: seconds per step, `squares` of them. With
/// `again` all of them were measured again, and then the last took 4 x `again`.
std::vector<Interaction> interactions(double last, std::size_t squares, const char* over = R"(["engine", "mode"])",
                                      std::optional<double> again = {}) {
  ResultsBuilder made;
  std::vector<TrialIndex> arms;
  for (const char* engine : {"native", "torch"}) {
    for (const char* mode : {"graph", "eager"}) arms.push_back(made.trial(arm(engine, mode, 1)));
  }
  const auto measure = [&](double of_last) {
    const auto block = made.block(arms);
    const double seconds[] = {1, 2, 4, 4 * of_last};
    for (std::size_t at = 0; at < 4; ++at) {
      std::vector<double> of_squares;  // the whole machine drifts: pairing by square takes that out
      for (std::size_t square = 0; square < squares; ++square)
        of_squares.push_back(seconds[at] * std::pow(2, static_cast<double>(square)));
      made.slices(block, arms[at], of_squares);
    }
    return block;
  };
  measure(last);
  if (again) made.results.blocks[measure(*again).value].measured_again = true;
  made.results.provenance.sweep_json =
      std::string(R"({"regatta": 1, "name": "s", "axes": {"engine": ["native", "torch"],
    "mode": ["graph", "eager"], "model": ["mlp-10"], "batch": [1]}, "compare": {"over": )") +
      over + R"(, "baseline": {"engine": "native", "mode": "graph"}}})";
  made.results.provenance.sweep_file = "s.json";
  return effects_of(judge_of(made.results), {}).interactions;
}

TEST(Interactions, AreTheRatioOfRatios) {
  const auto found = interactions(3, 7);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].factor, sweep::Param::mode);
  EXPECT_EQ(found[0].other, sweep::Param::engine);
  EXPECT_NEAR(found[0].ratio_at_baseline, 2, 1e-9);
  EXPECT_NEAR(found[0].ratio_at_other, 3, 1e-9);
  EXPECT_NEAR(found[0].ratio, 1.5, 1e-9);
  EXPECT_NEAR(found[0].low.value(), 1.5, 0.006) << "every square says the same, seven processes each";
  EXPECT_NEAR(found[0].high.value(), 1.5, 0.006);
  EXPECT_EQ(found[0].squares, 7U);
  EXPECT_THAT(found[0].arms, testing::ElementsAre(TrialIndex{0}, TrialIndex{1}, TrialIndex{2}, TrialIndex{3}));
}

TEST(Interactions, OfCellsThatWereMeasuredAgainAreThoseOfTheFinal) {
  const auto found = interactions(3, 7, R"(["engine", "mode"])", 5);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].ratio, 2.5, 1e-9);
}

TEST(Interactions, HaveAnIntervalFromTheFirstProcessesOn) {
  const auto one = interactions(3, 1), six = interactions(3, 6);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_NEAR(one[0].ratio, 1.5, 1e-9);
  EXPECT_LT(one[0].low.value(), 1.2) << "one set of processes tells little";
  EXPECT_GT(six.at(0).low.value(), 1.4);
}

TEST(Interactions, NeedTwoComparedFactors) { EXPECT_TRUE(interactions(3, 7, R"(["engine"])").empty()); }

TEST(Interactions, AreNoneOfAnOwnAxisThatGoesTogetherWithAnother) {
  ResultsBuilder made;
  const sweep::Param n = sweep::Param::own("n", sweep::Param::OwnKind::integer);
  std::vector<TrialIndex> arms;
  for (const std::int64_t level : {1, 2}) {
    arms.push_back(made.trial(
        {{sweep::Param::engine, "command"}, {sweep::Param::command, "c"}, {sweep::Param::threads, level}, {n, level}}));
  }
  const auto block = made.block(arms);
  for (const TrialIndex arm : arms) made.slices(block, arm, {1, 1, 1});
  made.results.provenance.sweep_json = R"({"regatta": 1, "name": "s",
    "axes": {"engine": "command", "command": "c", "threads": [1, 2], "n": [1, 2]}, "zip": ["threads", "n"],
    "commands": {"c": {"argv": ["x", "{n}"]}},
    "compare": {"over": ["threads", "n"], "baseline": {"threads": 1}}})";
  made.results.provenance.sweep_file = "s.json";
  EXPECT_THAT(effects_of(judge_of(made.results), {}).interactions, testing::IsEmpty())
      << "no arm has one of them changed alone";
}

}  // namespace
}  // namespace regatta::analysis

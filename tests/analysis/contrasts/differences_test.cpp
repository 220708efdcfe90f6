#include <gtest/gtest.h>

#include <cmath>

#include "analysis/contrasts/contrasts.hpp"
#include "regatta/analysis/contrasts.hpp"
#include "regatta/analysis/fastest.hpp"
#include "regatta/sweep/program_results.hpp"
#include "report/sample_results.hpp"

namespace regatta::analysis {
namespace {

using sweep::Param;
using testing_support::ResultsBuilder;

/// Ten rewards that scatter by 0.01 about this one.
std::vector<double> rewards(double about) {
  std::vector<double> values;
  for (const double off : {0.01, -0.01, 0.005, -0.005, 0.0, 0.012, -0.012, 0.007, -0.007, 0.0})
    values.push_back(about + off);
  return values;
}

/// Two modes of a sweep by the rewards that their programs told, at each of these repeats.
class Rewarded {
 public:
  ResultsBuilder made;

  explicit Rewarded(const std::string& more = "") {
    made.results.provenance.sweep_json = R"({"regatta": 1, "name": "s", "repeats": 10, "axes": {"engine": "native",
      "mode": ["graph", "eager"], "model": "mlp-10", "batch": 1}, "compare": {"over": "mode", "baseline": {"mode":
      "graph"}}, "measure": {"metric": {"result": "reward", "goal": "higher")" +
                                         more + "}}}";
  }

  void told(const std::vector<double>& baseline, const std::vector<double>& other, std::int64_t repeat = 0) {
    const TrialIndex graph = trial("graph", repeat), eager = trial("eager", repeat);
    const BlockIndex block = made.block({graph, eager});
    tell(block, graph, baseline);
    tell(block, eager, other);
  }

  [[nodiscard]] Contrast only() const { return contrasts(made.results).contrasts.at(0); }

 private:
  TrialIndex trial(const char* mode, std::int64_t repeat) {
    auto values = testing_support::arm("native", mode, 1);
    values.emplace_back(Param::repeat, repeat);
    return made.trial(values);
  }

  void tell(BlockIndex block, TrialIndex trial, const std::vector<double>& values) {
    made.slices(block, trial, {1});
    sweep::ProgramResults told;
    for (std::size_t run = 0; run < values.size(); ++run) sweep::note(told, run, "reward", {values[run], ""});
    sweep::set(made.results.trials[trial.value].facts, sweep::Fact::results, told);
  }
};

Contrast compared(const std::vector<double>& baseline, const std::vector<double>& other, const std::string& more = "") {
  Rewarded sweep(more);
  sweep.told(baseline, other);
  return sweep.only();
}

TEST(Differences, AreToldWhereARewardIsNegative) {
  const Contrast contrast = compared(rewards(-0.5), std::vector<double>(10, -0.4));
  ASSERT_TRUE(contrast.difference);
  EXPECT_EQ(scale_of(contrast), sweep::Scale::difference);
  EXPECT_NEAR(contrast.difference->value, 0.1, 0.002);
  EXPECT_GT(*contrast.difference->low, 0.08);
  EXPECT_LT(*contrast.difference->high, 0.12);
  EXPECT_EQ(verdict_text(contrast), "higher");
  EXPECT_TRUE(contrast.confirmed);
  EXPECT_FALSE(log_estimate(contrast)) << "it has no ratio";
  EXPECT_EQ(contrast.processes, 20);
  EXPECT_EQ(contrast.fewest_squares, 1);
  EXPECT_EQ(contrast.most_squares, 1);
}

TEST(Differences, AreToldOfZeros) {
  const Contrast same = compared(std::vector<double>(8, 0), std::vector<double>(8, 0));
  EXPECT_EQ(same.verdict, stats::Verdict::same);
  EXPECT_NEAR(same.difference->margin, 0.01, 1e-4);
  const Contrast found = compared(std::vector<double>(8, 0), rewards(1));
  EXPECT_EQ(verdict_text(found), "higher") << "solved once against never";
  EXPECT_NEAR(found.difference->value, 1, 0.01);
}

TEST(Differences, TakeAMarginInTheUnitOfTheResult) {
  const std::vector<double> baseline = rewards(5);
  const Contrast ratio = compared(baseline, rewards(5.1));
  EXPECT_FALSE(ratio.difference) << "all are above zero";
  const Contrast far = compared(baseline, std::vector<double>(10, 5.1), R"(, "margin": 0.05)");
  ASSERT_TRUE(far.difference);
  EXPECT_NEAR(far.difference->margin, 0.05, 1e-12);
  EXPECT_EQ(verdict_text(far), "higher");
  const Contrast near = compared(baseline, std::vector<double>(10, 5.1), R"(, "margin": 0.5)");
  EXPECT_EQ(near.verdict, stats::Verdict::same);
  EXPECT_NEAR(near.difference->margin, 0.5, 1e-12);
}

TEST(Differences, HaveAMarginAndAResolutionInTheirUnitAndNoFastest) {
  Rewarded sweep;
  sweep.told(rewards(-0.5), std::vector<double>(10, -0.4));
  const Contrasts found = contrasts(sweep.made.results);
  EXPECT_NEAR(found.contrasts.at(0).difference->margin, 0.005, 1e-3) << "1 % of half a reward";
  EXPECT_GT(*resolution_in_unit(found.contrasts[0]), 0);
  EXPECT_TRUE(fastest_of(sweep.made.results, found).empty());
}

TEST(Differences, OfReplicatesAreOneWhereOneOfThemHasNoRatio) {
  Rewarded sweep;
  for (std::int64_t repeat = 0; repeat < 9; ++repeat) {
    const double hard = 0.1 * static_cast<double>(repeat % 3) - 0.1;  // below, at and above zero
    sweep.told({hard}, {hard + 0.5 + 0.01 * static_cast<double>(repeat % 2)}, repeat);
  }
  const Contrast contrast = sweep.only();
  ASSERT_TRUE(contrast.difference);
  EXPECT_EQ(contrast.replicates.size(), 9U);
  EXPECT_NEAR(contrast.difference->value, 0.504, 0.001);
  EXPECT_EQ(verdict_text(contrast), "higher");
}

}  // namespace
}  // namespace regatta::analysis

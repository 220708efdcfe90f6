#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "analysis/contrasts/contrasts.hpp"
#include "regatta/analysis/contrasts.hpp"
#include "regatta/analysis/fastest.hpp"
#include "regatta/analysis/labels.hpp"
#include "report/sample_results.hpp"

namespace regatta::analysis {
namespace {

using sweep::Param;
using testing::ElementsAre;
using testing_support::ResultsBuilder;

constexpr const char* by_result = R"("measure": {"metric": {"result": "score", "goal": "higher"}})";

/// Numbers of threads of a sweep that is repeated, by what its programs told in the one run of each.
class Repeated {
 public:
  ResultsBuilder made;

  explicit Repeated(const std::string& measure = by_result, const std::string& more = "") {
    made.results.axis_names = {"threads", "batch"};
    made.results.provenance.sweep_json = R"({"regatta": 1, "name": "s", "repeats": 10, "axes": {"engine": "native",
      "threads": [1, 2, 3], "model": "mlp-10", "batch": [1, 32]},
      "compare": {"over": "threads", "baseline": {"threads": 1})" +
                                         more + "}, " + measure + "}";
  }

  TrialIndex trial(std::int64_t threads, std::int64_t batch, std::int64_t repeat) {
    auto values = testing_support::arm("native", "graph", batch);
    values.emplace_back(Param::threads, threads);
    values.emplace_back(Param::repeat, repeat);
    return made.trial(values);
  }

  /// The first value is that of the baseline.
  BlockIndex told(std::int64_t repeat, const std::vector<double>& values, std::int64_t batch = 1) {
    std::vector<TrialIndex> arms;
    for (std::size_t i = 0; i < values.size(); ++i)
      arms.push_back(trial(static_cast<std::int64_t>(i) + 1, batch, repeat));
    const BlockIndex block = made.block(arms);
    for (std::size_t i = 0; i < values.size(); ++i) {
      made.slices(block, arms[i], {1});
      sweep::ProgramResults results;
      sweep::note(results, 0, "score", {values[i], ""});
      sweep::set(made.results.trials[arms[i].value].facts, sweep::Fact::results, results);
    }
    return block;
  }

  [[nodiscard]] Contrasts found() const { return contrasts(made.results); }
};

/// Ratios that scatter by 2 % about this one, and whose mean it is.
std::vector<double> ratios_about(double ratio, std::size_t count) {
  constexpr std::array deviations = {0.02, -0.02, 0.01, -0.01, 0.0, 0.03, -0.03, 0.015, -0.015, 0.0};
  std::vector<double> ratios;
  for (std::size_t i = 0; i < count; ++i) ratios.push_back(ratio * std::exp(deviations.at(i)));
  return ratios;
}

Repeated repeated(double ratio, std::size_t count) {
  Repeated sweep;
  std::int64_t repeat = 0;
  for (const double each : ratios_about(ratio, count)) {
    const double hard = 20 + 5 * static_cast<double>(repeat % 3);  // common to both arms
    sweep.told(repeat++, {hard, hard * each});
  }
  return sweep;
}

TEST(Replicates, AreOneContrastWithOneInterval) {
  const Contrasts found = repeated(1.05, 10).found();
  ASSERT_EQ(found.contrasts.size(), 1U);
  const Contrast& contrast = found.contrasts.front();
  EXPECT_EQ(contrast.replicates.size(), 10U);
  EXPECT_THAT(contrast.replicate_axes, ElementsAre(Param::repeat));
  EXPECT_NEAR(contrast.ratio, 1.05, 1e-9);
  EXPECT_EQ(verdict_text(contrast), "higher");
  EXPECT_TRUE(contrast.confirmed);
  EXPECT_LT(*contrast.low, 1.04);
  EXPECT_GT(*contrast.low, 1.02);
  EXPECT_GT(*contrast.high, 1.06);
  EXPECT_LT(*contrast.high, 1.09);
  EXPECT_EQ(contrast.processes, 20);
  EXPECT_TRUE(found.missing.empty()) << "every replicate is compared";
  EXPECT_FALSE(can_be_decided(contrast));
}

TEST(Replicates, AreEarlyBelowSevenAndSameWhereTheyAre) {
  const Contrast few = repeated(1.2, 4).found().contrasts.at(0);
  EXPECT_EQ(verdict_text(few), "higher");
  EXPECT_FALSE(few.confirmed);
  Repeated equal;
  for (std::int64_t repeat = 0; repeat < 10; ++repeat) equal.told(repeat, {5, repeat % 2 == 0 ? 5.001 : 4.999});
  EXPECT_EQ(equal.found().contrasts.at(0).verdict, stats::Verdict::same);
}

TEST(Replicates, TellHowManyMoreOfThemItTakes) {
  const Contrasts found = repeated(1.01, 4).found();
  const Contrast& contrast = found.contrasts.at(0);
  EXPECT_EQ(contrast.verdict, stats::Verdict::undecided);
  ASSERT_TRUE(contrast.outlook);
  EXPECT_GT(contrast.outlook->more_pairs, 0);
  EXPECT_EQ(contrast.outlook->seconds, 0) << "no time does";
}

TEST(Replicates, DoNotDrift) {
  Repeated sweep;
  for (std::int64_t repeat = 0; repeat < 10; ++repeat)
    sweep.told(repeat, {1, 1.2 + 0.01 * static_cast<double>(repeat)});
  EXPECT_EQ(verdict_text(sweep.found().contrasts.at(0)), "higher") << "seeds have no order";
}

TEST(Replicates, OfOtherSettingsOrArmsStayApart) {
  Repeated sweep;
  for (std::int64_t repeat = 0; repeat < 3; ++repeat) {
    sweep.told(repeat, {1, 1.2, 1.5});
    sweep.told(repeat, {1, 1.3, 1.5}, 32);
  }
  const Contrasts found = sweep.found();
  ASSERT_EQ(found.contrasts.size(), 4U);
  for (const Contrast& contrast : found.contrasts) EXPECT_EQ(contrast.replicates.size(), 3U);
  EXPECT_EQ(sweep.made.results.trials[found.contrasts[2].b.value].parameters[Param::batch],
            sweep::Value(std::int64_t{32}));
}

TEST(Replicates, AreAskedForTheEvidenceOfOneContrast) {
  // Ten contrasts of one pair each would need ten times the evidence.
  const Contrast contrast = repeated(1.05, 7).found().contrasts.at(0);
  EXPECT_FALSE(contrast.one_of_many);
  EXPECT_GE(contrast.e_value, 20);
}

TEST(Replicates, AreNoneWhereTheSweepSaysSoOrThereIsOne) {
  Repeated none(by_result, R"(, "replicates": [])");
  Repeated one;
  for (std::int64_t repeat = 0; repeat < 3; ++repeat) none.told(repeat, {1, 1.2});
  one.told(0, {1, 1.2});
  EXPECT_EQ(none.found().contrasts.size(), 3U);
  EXPECT_THAT(none.found().axes.stratum, testing::Contains(Param::repeat)) << "it names the setting";
  EXPECT_FALSE(has_replicates(one.found().contrasts.at(0)));
}

TEST(Replicates, OnSharedCoresStayUndecidedAndKeepWhatAnArmComputes) {
  Repeated sweep = repeated(1.5, 8);
  sweep.made.results.blocks[3].flags = {stats::Flag::cores_shared};
  for (results::TrialRow& trial : sweep.made.results.trials)
    if (trial.parameters[Param::threads] == sweep::Value(std::int64_t{2})) trial.verified = sweep::Verified::close;
  const Contrast contrast = sweep.found().contrasts.at(0);
  EXPECT_EQ(contrast.verdict, stats::Verdict::undecided);
  EXPECT_FALSE(contrast.confirmed);
  EXPECT_EQ(contrast.flags, (stats::Flags{stats::Flag::cores_shared, stats::Flag::close_work}));
}

TEST(Replicates, OfTimesAreJoinedToo) {
  Repeated sweep(R"("measure": {"margin": "1%"})");
  for (std::int64_t repeat = 0; repeat < 4; ++repeat) {
    const TrialIndex one = sweep.trial(1, 1, repeat), two = sweep.trial(2, 1, repeat);
    const BlockIndex block = sweep.made.block({one, two});
    sweep.made.slices(block, one, {1, 1, 1});
    sweep.made.slices(block, two, {2.00, 2.01, 2.02});
  }
  const Contrasts found = sweep.found();
  ASSERT_EQ(found.contrasts.size(), 1U);
  EXPECT_NEAR(found.contrasts[0].ratio, 2.01, 1e-6);
  EXPECT_EQ(found.contrasts[0].verdict, stats::Verdict::slower);
  EXPECT_EQ(found.contrasts[0].processes, 24);
  EXPECT_EQ(found.contrasts[0].squares, 12);
}

TEST(Replicates, TellTheFastestByWhatTheyHaveInCommon) {
  // Each of the two scatters by half about the baseline, and neither does about the other.
  Repeated sweep(R"("measure": {"metric": {"result": "score"}})");
  for (std::int64_t repeat = 0; repeat < 8; ++repeat) {
    const double noise = repeat % 2 == 0 ? 1.5 : 1 / 1.5;
    sweep.told(repeat, {1, 0.1 * noise, 0.11 * noise});
  }
  const Contrasts found = sweep.found();
  const auto fastest = fastest_of(sweep.made.results, found);
  ASSERT_EQ(fastest.size(), 1U);
  EXPECT_EQ(fastest[0].where, "");
  EXPECT_EQ(fastest[0].trials.size(), 1U) << "the other is 10 % slower in each repeat";
  EXPECT_TRUE(fastest[0].due.empty());
}

}  // namespace
}  // namespace regatta::analysis

#include "regatta/analysis/sessions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "regatta/base/error.hpp"
#include "regatta/stats/pair_spreads.hpp"
#include "report/sample_results.hpp"

namespace regatta::analysis {
namespace {

using stats::Verdict;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::arm;
using testing_support::ResultsBuilder;

/// Trials of `native` at batch 0, 1, ..., each alone in its block, on one device; numpy ones may follow.
class SessionBuilder {
 public:
  explicit SessionBuilder(double start) : start_(start) {
    made.results.name = "s";
    made.results.hosts = {{"box", "CPU 9", 1, 2, 1, "6.1", ""}};
    made.results.devices = {{0, "cpu", "cores 0-1", {}}};
    made.results.envs = {{"native", "native", "0.1.0"}, {"numpy", "numpy", "1.24"}};
  }

  /// One process for each value, seconds per step.
  TrialIndex add(const std::vector<double>& seconds, const char* engine = "native") {
    const auto trial = made.trial(arm(engine, "graph", static_cast<std::int64_t>(made.results.trials.size()) + 1));
    auto& row = made.results.trials[trial.value];
    row.env = row.parameters[sweep::Param::engine] == sweep::Value(std::string("native")) ? 0 : 1;
    row.host = row.device = 0;
    const auto block = made.block({trial}, false);
    made.results.blocks[block.value].start_wall_seconds = start_ + trial.value;
    made.slices(block, trial, seconds);
    return trial;
  }

  SessionBuilder& add_steady(const std::vector<double>& seconds, const char* engine = "native") {
    for (const double each : seconds) add(std::vector<double>(8, each), engine);
    return *this;
  }

  ResultsBuilder made;

 private:
  double start_;
};

results::Results steady(double start, const std::vector<double>& seconds) {
  return SessionBuilder(start).add_steady(seconds).made.results;
}

Sessions compared(const results::Results& before, const results::Results& after, const SessionOptions& options = {}) {
  return compare_sessions(before, after, options);
}

std::vector<std::string> verdicts(const Sessions& sessions) {
  std::vector<std::string> texts;
  for (const auto& cell : sessions.cells) texts.push_back(verdict_text(cell));
  return texts;
}

SessionOptions remembering(double floor) {
  SessionOptions options;
  options.stored_floor = [floor](const FloorKey&) { return floor; };
  return options;
}

TEST(Sessions, GiveTheMedianDifferenceAndItsNinthOrderStatistics) {
  SessionBuilder before(1000);
  SessionBuilder after(2000);
  std::vector<double> of_old;
  std::vector<double> of_new;
  for (int i = 0; i < 7; ++i) {
    of_old.push_back(std::exp(0.001 * i));
    of_new.push_back(std::exp(0.1 + 0.01 * i));
  }
  before.add(of_old);
  after.add(of_new);
  const auto found = compared(before.made.results, after.made.results);
  ASSERT_EQ(found.cells.size(), 1U);
  const SessionCell& cell = found.cells[0];
  // Differences 0.1 + 0.01 i - 0.001 j: seven with i = 0, then 0.104 and 0.105; from above likewise 0.149.
  EXPECT_NEAR(std::log(cell.ratio), 0.127, 1e-9);
  EXPECT_NEAR(std::log(cell.low.value()), 0.105, 1e-9);
  EXPECT_NEAR(std::log(cell.high.value()), 0.149, 1e-9);
  EXPECT_NEAR(cell.old_value, std::exp(0.003), 1e-9);
  EXPECT_NEAR(cell.new_value, std::exp(0.13), 1e-9);
  EXPECT_EQ(cell.old_units, 7U);
  EXPECT_EQ(cell.new_processes, 7U);
  EXPECT_NEAR(cell.p_value, 2.0 / 3432, 1e-9) << "all 49 differences are above 5 %";
  EXPECT_EQ(cell.verdict, Verdict::slower);
  EXPECT_TRUE(found.regressed());
}

TEST(Sessions, WithoutAKnownFloorFivePercentCountAsNothing) {
  const auto found = compared(steady(1, {1, 1, 1}), steady(2, {1.049, 1.051, 0.9}));
  EXPECT_THAT(verdicts(found), ElementsAre("same", "slower", "faster"));
  EXPECT_EQ(found.cells[0].floor_source, FloorSource::assumed);
  EXPECT_DOUBLE_EQ(found.cells[0].session_floor, 0.05);
  EXPECT_TRUE(found.all_same_version);
}

TEST(Sessions, UseTheRememberedFloor) {
  const auto found = compared(steady(1, {1, 1}), steady(2, {1.15, 1.03}), remembering(0.02));
  EXPECT_THAT(verdicts(found), ElementsAre("slower", "slower"));
  EXPECT_EQ(found.cells[0].floor_source, FloorSource::stored);
  EXPECT_THAT(verdicts(compared(steady(1, {1}), steady(2, {1.15}), remembering(0.2))), ElementsAre("same"));
}

TEST(Sessions, TakeTheLargerOneOfThresholdAndFloor) {
  auto options = remembering(0.02);
  options.threshold = 0.2;
  const auto found = compared(steady(1, {1}), steady(2, {1.15}), options);
  EXPECT_THAT(verdicts(found), ElementsAre("same"));
  EXPECT_DOUBLE_EQ(found.cells[0].indifference(), 0.2);
}

/// Nine native trials at `native_factor`, then one of numpy at `numpy_factor` in another version.
Sessions with_a_new_numpy(double native_factor, double numpy_factor, std::size_t natives = 9) {
  SessionBuilder before(1);
  SessionBuilder after(2);
  before.add_steady(std::vector<double>(natives, 1)).add_steady({1}, "numpy");
  after.add_steady(std::vector<double>(natives, native_factor)).add_steady({numpy_factor}, "numpy");
  after.made.results.envs[1].version = "1.26";
  return compared(before.made.results, after.made.results);
}

TEST(Sessions, LearnTheirFloorFromIdenticalCodeAndJudgeTheRestByIt) {
  const auto found = with_a_new_numpy(1.03, 1.04);
  EXPECT_NEAR(found.pair_floor.value(), 0.03, 1e-9);
  EXPECT_EQ(found.identical.same, 9);
  EXPECT_EQ(found.identical.wrong, 0);
  const SessionCell& numpy = found.cells.back();
  EXPECT_TRUE(numpy.judged);
  EXPECT_FALSE(found.cells.front().judged);
  EXPECT_NEAR(numpy.session_floor, 0.03, 1e-9);
  EXPECT_EQ(numpy.floor_source, FloorSource::pair);
  EXPECT_EQ(numpy.verdict, Verdict::slower);
  EXPECT_EQ(numpy.new_version, "1.26");
  EXPECT_EQ(found.count(Verdict::slower), 1U) << "identity checks are no evidence";
  EXPECT_EQ(found.identical.undecided, 0);
  ASSERT_EQ(found.learnt.size(), 1U);
  EXPECT_EQ(found.learnt[0].key, (FloorKey{"box, CPU 9", "cpu cores 0-1", "native"}));
  EXPECT_NEAR(found.learnt[0].floor, 0.03, 1e-9);
  EXPECT_EQ(found.learnt[0].trials, 9U);
  EXPECT_EQ(with_a_new_numpy(1.03, 1.02).cells.back().verdict, Verdict::same);
}

TEST(Sessions, LearnNothingFromSixTrials) {
  const auto found = with_a_new_numpy(1.03, 1.04, 6);
  EXPECT_FALSE(found.pair_floor);
  EXPECT_TRUE(found.learnt.empty());
  EXPECT_EQ(found.cells.back().verdict, Verdict::same) << "5 % are assumed";
}

TEST(Sessions, DoubtSmallDifferencesWhereIdenticalCodeWasToldApart) {
  const auto found = with_a_new_numpy(1.08, 1.2);
  EXPECT_EQ(found.identical.wrong, 9);
  EXPECT_EQ(verdict_text(found.cells.back()), "undecided") << "20 % are below three times 8 %";
  EXPECT_FALSE(found.regressed());
  EXPECT_TRUE(found.learnt.empty());
  EXPECT_EQ(verdict_text(with_a_new_numpy(1.08, 1.3).cells.back()), "slower");
}

TEST(Sessions, LearnNothingFromARebuildThatIsSlower) {
  const std::vector<double> ones(8, 1);
  std::vector<double> slower(8, 1.01);
  EXPECT_EQ(compared(steady(1, ones), steady(2, slower)).learnt.size(), 1U);
  slower[3] = 1.3;
  const auto found = compared(steady(1, ones), steady(2, slower));
  EXPECT_TRUE(found.learnt.empty());
  EXPECT_TRUE(found.all_same_version);
  EXPECT_TRUE(found.pair_floor);
  EXPECT_TRUE(found.regressed());
}

TEST(Sessions, LearnNothingFromNoiseWithinThem) {
  SessionBuilder before(1);
  SessionBuilder after(2);
  for (int trial = 0; trial < 8; ++trial) {
    before.add({1, 1.5, 1, 1.5, 1, 1.5, 1, 1.5});
    after.add({1, 1.5, 1, 1.5, 1, 1.5, 1, 1.5});
  }
  const auto found = compared(before.made.results, after.made.results);
  EXPECT_EQ(found.cells[0].verdict, Verdict::undecided);
  EXPECT_FALSE(found.pair_floor);
  EXPECT_TRUE(found.learnt.empty());
  EXPECT_EQ(found.count(Verdict::undecided), 8U);
}

TEST(Sessions, HaveNoVerdictBelowSevenUnits) {
  SessionBuilder before(1);
  SessionBuilder after(2);
  before.add(std::vector<double>(6, 1));
  after.add(std::vector<double>(30, 2));
  const auto found = compared(before.made.results, after.made.results);
  EXPECT_FALSE(found.cells[0].low);
  EXPECT_EQ(found.cells[0].verdict, Verdict::undecided);
  EXPECT_DOUBLE_EQ(found.cells[0].ratio, 2);
}

/// One trial of one process, which served all squares.
results::Results of_one_process(double start, double seconds) {
  results::Results results = steady(start, {seconds});
  bool first = true;
  std::erase_if(results.samples, [&](const auto& row) {  // further starts become slices of the first process
    return row.sample.phase == stats::Phase::first && !std::exchange(first, false);
  });
  return results;
}

TEST(Sessions, WidenByTheSpreadOfProcessesWhereOneServedAllSquares) {
  const auto found = compared(of_one_process(1, 1), of_one_process(2, 2));
  const SessionCell& cell = found.cells[0];
  EXPECT_EQ(cell.old_processes, 1U);
  EXPECT_EQ(cell.old_units, 8U) << "squares";
  const double spread = 1.96 * stats::usual_spread({});  // nothing is known of this machine
  EXPECT_NEAR(std::log(cell.low.value()), std::log(2) - spread, 1e-9);
  EXPECT_NEAR(std::log(cell.high.value()), std::log(2) + spread, 1e-9);
}

/// The same beside pairs of other processes, which are all alike.
results::Results beside_alike_pairs(results::Results results) {
  ResultsBuilder made;
  made.results = std::move(results);
  const TrialIndex other = made.trial(arm("native", "graph", 100));
  made.results.trials[other.value].host = made.results.trials[other.value].device = 0;
  const BlockIndex block = made.block({other, other});
  made.results.blocks[block.value].has_clone = true;
  for (const std::uint32_t at : {0U, 1U}) made.slices_of_arm(block, at, std::vector<double>(8, 1));
  return made.results;
}

TEST(Sessions, WidenLessWhereThePairsOfBothFilesWereAlike) {
  const auto width = [](const Sessions& found) { return std::log(*found.cells[0].high / *found.cells[0].low); };
  const auto before = of_one_process(1, 1), after = of_one_process(2, 2);
  const double unknown = width(compared(before, after));
  EXPECT_LT(width(compared(beside_alike_pairs(before), beside_alike_pairs(after))), unknown);
  EXPECT_NEAR(width(compared(beside_alike_pairs(before), after)), unknown, 1e-9) << "the wider one of both counts";
}

TEST(Sessions, DisturbedSlicesAreARemarkAndTakeNoVerdictBack) {
  const auto before = steady(1, {1});
  auto after = steady(2, {2});
  for (auto& row : after.samples) row.sample.flags = 1;
  const auto found = compared(before, after);
  EXPECT_EQ(found.cells[0].verdict, Verdict::slower);
  EXPECT_EQ(found.cells[0].flags, stats::Flags{stats::Flag::disturbed});
}

TEST(Sessions, ListWhatIsNotInBothOrDidNotEndWell) {
  const auto before = steady(1, {1, 1, 1, 1});
  auto after = steady(2, {1, 1, 1});
  after.trials[0].outcome = sweep::Failed{sweep::FailureKind::crashed, "signal 11"};
  after.trials[1].verified = sweep::Verified::no;
  const auto extra = steady(3, {1, 1, 1, 1, 1}).trials.back();
  after.trials.push_back(extra);
  const auto found = compared(before, after);
  EXPECT_EQ(found.cells.size(), 1U);
  ASSERT_EQ(found.not_compared.size(), 2U);
  EXPECT_EQ(found.not_compared[0].why, NotComparedReason::not_finished);
  EXPECT_EQ(found.not_compared[1].why, NotComparedReason::other_work);
  for (const NotCompared& each : found.not_compared) EXPECT_TRUE(each.is_of_new);
  EXPECT_THAT(found.only_old, ElementsAre(TrialIndex{3}));
  EXPECT_THAT(found.only_new, ElementsAre(TrialIndex{3}));
}

TEST(Sessions, AMeasurementThatBothFilesHoldIsNotComparedWithItself) {
  const auto before = steady(1, {1, 1});
  auto after = steady(2, {1, 1});
  after.blocks[0].start_wall_seconds = before.blocks[0].start_wall_seconds;
  const auto found = compared(before, after);
  EXPECT_EQ(found.cells.size(), 1U);
  EXPECT_EQ(found.not_compared.at(0).why, NotComparedReason::one_measurement);
}

std::string refusal(const results::Results& before, const results::Results& after, const SessionOptions& options = {}) {
  try {
    compare_sessions(before, after, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Sessions, RefuseWhatSaysNothing) {
  const auto before = steady(1, {1});
  auto after = steady(2, {1});
  EXPECT_EQ(refusal(before, after), "");
  EXPECT_THAT(refusal(before, before), HasSubstr("the same session"));
  after.trials[0].hash = {};
  EXPECT_THAT(refusal(before, after), HasSubstr("no trial stands in both"));
}

TEST(Sessions, HaveNoCellsWhereNoTrialCanBeCompared) {
  auto before = steady(1, {1});
  auto after = steady(2, {1});
  after.trials[0].outcome = sweep::Lost{};
  Sessions found = compared(before, after);
  EXPECT_TRUE(found.cells.empty());
  ASSERT_EQ(found.not_compared.size(), 1U);
  EXPECT_TRUE(found.not_compared[0].is_of_new);
  after.trials[0].outcome = std::exchange(before.trials[0].outcome, sweep::Lost{});
  found = compared(before, after);
  EXPECT_EQ(found.not_compared.at(0).why, NotComparedReason::not_finished);
  EXPECT_FALSE(found.not_compared[0].is_of_new);
}

TEST(Sessions, RefuseOtherMachinesUnlessWanted) {
  const auto before = steady(1, std::vector<double>(8, 1));
  auto after = steady(2, std::vector<double>(8, 1));
  after.devices[0].name = "cores 2-3";
  EXPECT_THAT(refusal(before, after), HasSubstr("cores 0-1, NEW on box, CPU 9, cpu cores 2-3"));
  after.hosts[0].name = "other";
  EXPECT_THAT(refusal(before, after), HasSubstr("OLD was measured on box, CPU 9, NEW on other, CPU 9"));
  SessionOptions options;
  options.across = true;
  const auto found = compared(before, after, options);
  EXPECT_TRUE(found.across);
  EXPECT_TRUE(found.learnt.empty()) << "another machine is no noise";
  EXPECT_FALSE(found.pair_floor);
  EXPECT_EQ(found.count(Verdict::same), 8U) << "judged, though the code is the same";
}

}  // namespace
}  // namespace regatta::analysis

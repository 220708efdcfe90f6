#include "measure/slice_loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "measure/measure.hpp"
#include "measure/simulated_arms.hpp"
#include "regatta/measure/run_block.hpp"
#include "regatta/sweep/arm_outcome.hpp"

namespace regatta::measure {
namespace {

using stats::Phase;
using stats::Sample;

protocol::BlockResult measured(SimulatedArms& port, const sweep::BlockTask& task) {
  BlockBudget budget;
  return std::get<protocol::BlockResult>(run_block(port, task, budget));
}

/// Scored squares that each process of the arm served, in the order of time.
std::vector<std::size_t> served_squares(const SimulatedArms& port, std::uint32_t arm) {
  std::vector<std::size_t> served = {0};
  for (const Asked& asked : port.asked) {
    if (asked.arm != arm) continue;
    if (asked.verb == Verb::renew) served.push_back(0);
    if (asked == Asked{Verb::slice, arm, Phase::steady}) ++served.back();
  }
  for (std::size_t& slices : served) slices /= port.arms.size();
  return served;
}

/// Two arms whose processes take as long as so many squares to start, in 3 s of squares.
SimulatedArms slow_starters(double start_seconds, double other_step_seconds = 1e-4) {
  return SimulatedArms(
      {{.start_seconds = start_seconds}, {.step_seconds = other_step_seconds, .start_seconds = start_seconds}});
}

/// Undecidable, and squares of one pair scatter, too.
std::function<Disturbed(const SimulatedSlice&)> scattering() {
  return [slices = 0](const SimulatedSlice& slice) mutable {
    Disturbed disturbed = undecidable(slice);
    disturbed.log_time += 0.005 * (++slices * 7 % 13);
    return disturbed;
  };
}

/// Arms of the scored slices in the order of time, by square.
std::map<std::uint16_t, std::vector<std::uint16_t>> squares_of(const std::vector<Sample>& samples) {
  std::map<std::uint16_t, std::vector<std::uint16_t>> squares;
  std::set<std::uint32_t> seen;
  for (const Sample& sample : samples) {
    if (sample.phase == Phase::steady && seen.insert(sample.slice).second) squares[sample.square].push_back(sample.arm);
  }
  return squares;
}

TEST(SliceLoop, RunsEverySquareAsARoundAndItsMirrorImage) {
  SimulatedArms port({{}, {.step_seconds = 1.1e-4}, {.step_seconds = 1.2e-4}});
  port.noise = undecidable;
  const auto squares = squares_of(measured(port, comparison(3, 6)).samples);
  ASSERT_GE(squares.size(), 7U);
  for (const auto& [square, arms] : squares) {
    ASSERT_EQ(arms.size(), 6U) << "square " << square;
    EXPECT_EQ((std::set{arms[0], arms[1], arms[2]}), (std::set<std::uint16_t>{0, 1, 2}));
    for (std::size_t position = 0; position < 3; ++position) EXPECT_EQ(arms[5 - position], arms[position]);
  }
}

TEST(SliceLoop, StopsAtTheFirstVerdictThatIsClear) {
  SimulatedArms port({{}, {.step_seconds = 1.5e-4}});
  const auto result = measured(port, comparison(2, 60));
  EXPECT_EQ(squares_of(result.samples).size(), 15U) << "two pairs of five tell it, and the third makes it precise";
  EXPECT_EQ(result.undecided, 0);
  EXPECT_FALSE(result.interrupted);
}

TEST(SliceLoop, LetsEveryPairOfProcessesServeAsManySquares) {
  SimulatedArms port = slow_starters(5);
  port.noise = scattering();
  measured(port, comparison(2, 12));
  const std::vector<std::size_t> served = served_squares(port, 0);
  ASSERT_GE(served.size(), 7U);
  EXPECT_GT(served.front(), 1U) << "a start costs more than a square";
  EXPECT_EQ(served, std::vector<std::size_t>(served.size(), served.front())) << "no pair that did not fit was begun";
  EXPECT_EQ(served, served_squares(port, 1));
}

TEST(SliceLoop, StartsNoMoreThanItMeasuresOnceThereAreSevenPairs) {
  SimulatedArms port = slow_starters(1);
  port.noise = undecidable;
  measured(port, comparison(2, 12));
  EXPECT_EQ(served_squares(port, 0), std::vector<std::size_t>(9, 5))
      << "the last two take 2 s each of the 12, and a tenth does not fit";
}

TEST(SliceLoop, TakesLongerSlicesWhereStartsAreSlowAsLongAsSevenPairsOfTwoFit) {
  const auto slice_seconds = [](double start_seconds, double seconds) {
    SimulatedArms port = slow_starters(start_seconds);
    auto task = comparison(2, seconds);
    task.measure.steps.reset();
    measured(port, task);
    return 1e-4 * static_cast<double>(port.slices(0, Phase::steady).front().length.steps);
  };
  EXPECT_NEAR(slice_seconds(0.01, 60), 0.012, 1e-9);
  EXPECT_NEAR(slice_seconds(2, 60), 0.050, 1e-9);
  EXPECT_NEAR(slice_seconds(2, 2), 2.0 / (16 * 4) - 0.010, 1e-3);
  EXPECT_NEAR(slice_seconds(2, 0.5), 0.012, 1e-9);
}

TEST(SliceLoop, BeginsNoPairThatItsTimeDoesNotHold) {
  for (int more = 0; more < 20; ++more) {
    const double seconds = 2 + 0.03 * more;  // every remainder of a pair's time
    SimulatedArms port = slow_starters(0.2);
    port.noise = undecidable;
    auto task = comparison(2, seconds);
    task.measure.steps = 100;
    measured(port, task);
    const std::vector<std::size_t> served = served_squares(port, 0);
    EXPECT_GT(served.front(), 1U);
    EXPECT_EQ(served, std::vector<std::size_t>(served.size(), served.front())) << seconds << " s";
  }
}

TEST(SliceLoop, DecidesALargeDifferenceOnThreePairs) {
  SimulatedArms port = slow_starters(5, 2e-4);
  const auto result = measured(port, comparison(2, 60));
  EXPECT_EQ(served_squares(port, 0).size(), 3U);
  EXPECT_EQ(result.undecided, 0);
}

TEST(SliceLoop, DecidesOnNoFewerThanThreePairs) {
  SimulatedArms port = slow_starters(5, 2e-4);
  auto task = comparison(2, 60);
  task.measure.steps = 100;  // no pilot tells that the difference is large
  measured(port, task);
  const std::vector<std::size_t> served = served_squares(port, 0);
  EXPECT_GT(served.front(), 7U);
  EXPECT_EQ(served, std::vector<std::size_t>(3, served.front()));
}

TEST(SliceLoop, RenewsAfterFiveSquaresWhereStartsAreQuick) {
  SimulatedArms port = slow_starters(0.01);
  port.noise = undecidable;
  measured(port, comparison(2, 3));
  const std::vector<std::size_t> served = served_squares(port, 0);
  EXPECT_GT(served.size(), 5U);
  EXPECT_EQ(served, std::vector<std::size_t>(served.size(), 5));
}

TEST(SliceLoop, LetsADecidedArmLeaveAndMeasuresTheOthersOn) {
  SimulatedArms port({{}, {.step_seconds = 1.5e-4}, {}});
  port.noise = [](const SimulatedSlice& slice) { return slice.arm == 2 ? undecidable(slice) : Disturbed(); };
  const auto result = measured(port, comparison(3, 4));
  std::map<std::uint16_t, std::set<std::uint16_t>> squares;
  for (const Sample& sample : result.samples)
    if (sample.phase == Phase::steady) squares[sample.arm].insert(sample.square);
  EXPECT_EQ(squares[1].size(), 15U);
  EXPECT_GT(squares[2].size(), 15U);
  EXPECT_EQ(squares[0].size(), squares[2].size());
}

TEST(SliceLoop, TakesOnePairOfAnArmThatDoesOtherWork) {
  SimulatedArms port({{}, {.losses = {{2.0}}}, {}});
  port.noise = undecidable;
  auto task = comparison(3, 4);
  for (auto& arm : task.arms)
    for (const sweep::ParamInfo& row : sweep::parameter_table()) arm.parameters.set(row.param, row.fallback);
  const auto result = measured(port, task);
  const auto squares = squares_of(result.samples);
  const auto with_refused = std::ranges::count_if(
      squares, [](const auto& square) { return std::ranges::find(square.second, 1) != square.second.end(); });
  EXPECT_EQ(with_refused, 5);
  EXPECT_GT(squares.size(), 5U) << "the others go on";
  EXPECT_EQ(sweep::text_of(result.arms[1].facts, sweep::Fact::why_stopped), "other work");
  EXPECT_EQ(result.undecided, 1);
  port.arms[2].losses = {{2.0}};
  EXPECT_EQ(squares_of(measured(port, task).samples).size(), 5U) << "nothing is left to compare";
}

TEST(SliceLoop, SaysWhyItMeasuredNoArmOn) {
  const auto why = [](const protocol::BlockResult& result, std::size_t arm) {
    return sweep::text_of(result.arms[arm].facts, sweep::Fact::why_stopped);
  };
  SimulatedArms port({{}, {.step_seconds = 1.5e-4}, {}});
  port.noise = [](const SimulatedSlice& slice) { return slice.arm == 2 ? undecidable(slice) : Disturbed(); };
  auto task = comparison(3, 4);
  const auto result = measured(port, task);
  EXPECT_EQ(why(result, 0), "");
  EXPECT_EQ(why(result, 1), "decided");
  EXPECT_EQ(why(result, 2), "time spent");
  task.wall_seconds = 6;
  for (SimulatedArm& arm : port.arms) arm.start_seconds = 0.5;
  EXPECT_EQ(why(measured(port, task), 2), "wall time spent");
  task.measure.slices = 3;
  EXPECT_EQ(why(measured(port, task), 2), "fixed slices");
  SimulatedArms drained({{}, {}});
  drained.noise = undecidable;
  drained.drain = [&] { return drained.slices(0, Phase::steady).size() > 8; };
  EXPECT_EQ(why(measured(drained, comparison(2, 4)), 1), "interrupted");
}

TEST(SliceLoop, BeginsNoSquareThatItsTimeDoesNotHold) {
  SimulatedArms port({{}, {}});
  port.noise = undecidable;
  const auto task = comparison(2, 3);
  BlockRun run(port, task);
  for_each_living(run, [&](Arm& arm) {
    prepare_arm(run, arm);
    arm.step_seconds = 1e-4;
  });
  auto comparison = begin_measuring(run);
  ASSERT_TRUE(comparison);
  for (serve_pair(run, *comparison); !comparison->is_over; serve_pair(run, *comparison)) begin_pair(run, *comparison);
  EXPECT_LE(run.active_seconds, 3);
  EXPECT_GT(run.active_seconds, 2);
  EXPECT_EQ(undecided_comparisons(run), 1);
}

/// Wall time that a block takes of which so much is its share, and what it leaves of it.
struct Spent {
  double seconds = 0;
  double left_seconds = 0;
  std::vector<std::size_t> served;
};

Spent spent(const SimulatedArm& arm, bool decides, double wall_seconds, double unused_seconds = 0) {
  SimulatedArms port({arm, arm});
  if (!decides) port.noise = scattering();
  auto task = comparison(2, 60);
  task.wall_seconds = wall_seconds;
  BlockBudget budget{{.unused_seconds = unused_seconds}, {}};
  run_block(port, task, budget);
  return {port.now(), budget.wall.unused_seconds, served_squares(port, 0)};
}

TEST(SliceLoop, EndsWithinTheWallTimeOfItsBlock) {
  for (const double start_seconds : {0.01, 0.3, 2.0, 5.0}) {
    const Spent found = spent({.start_seconds = start_seconds}, false, 60);
    EXPECT_LE(found.seconds, 60.1) << start_seconds << ": the last square may be a little longer than any before";
    EXPECT_GT(found.seconds, 60 - 2 * (start_seconds + 4)) << "and uses it";
    EXPECT_EQ(found.served, std::vector<std::size_t>(found.served.size(), found.served.front())) << "in whole pairs";
  }
}

TEST(SliceLoop, BeginsNoPairThatItsWallTimeDoesNotHold) {
  for (int more = 0; more < 20; ++more) {
    const double wall_seconds = 40 + 0.5 * more;  // every remainder of a pair's time
    const Spent found = spent({.start_seconds = 2}, false, wall_seconds);
    EXPECT_LE(found.seconds, wall_seconds + 0.1) << more;
    EXPECT_EQ(found.served, std::vector<std::size_t>(found.served.size(), found.served.front())) << more;
  }
}

TEST(SliceLoop, SpreadsOverTheProcessesThatItsWallTimeHolds) {
  const Spent found = spent({.start_seconds = 5}, false, 60);
  EXPECT_GE(found.served.size(), 3U);
  EXPECT_LT(found.served.size(), 7U) << "seven pairs start in 70 s";
  EXPECT_GE(found.served.size() * found.served.front(), 7U) << "enough squares for an interval";
}

TEST(SliceLoop, LeavesWallTimeToLaterBlocksAndTakesWhatEarlierOnesLeft) {
  const Spent quick = spent({}, true, 30);
  EXPECT_NEAR(quick.left_seconds, 30 - quick.seconds, 1e-6);
  const Spent rich = spent({}, false, 20, 15);
  EXPECT_GT(rich.seconds, 30) << "its own share and what was left";
  EXPECT_LE(rich.seconds, 35);
  const Spent late = spent({.start_seconds = 5}, false, 8);
  EXPECT_LT(late.left_seconds, 0) << "the first processes alone take longer: later blocks have less";
  EXPECT_EQ(late.served, std::vector<std::size_t>{1}) << "and measures all the same";
}

TEST(SliceLoop, TakesAsManySlicesAsTheSweepFixes) {
  SimulatedArms port({{}, {.step_seconds = 2e-4}});
  auto task = comparison(2, 60);
  task.measure.slices = 30;
  task.measure.steps = 10;
  const auto result = measured(port, task);
  EXPECT_EQ(port.slices(0, Phase::steady).size(), 30U);
  EXPECT_EQ(port.slices(1, Phase::steady).size(), 30U);
  EXPECT_EQ(port.slices(1, Phase::steady).front().length.steps, 10);
  EXPECT_EQ(port.count(Verb::renew, 0), 2U) << "fresh processes for each five squares";
}

TEST(SliceLoop, MeasuresAnArmOfItsOwnWithoutPausesOrFreshProcesses) {
  SimulatedArms port(std::vector<SimulatedArm>{{}});
  auto task = comparison(1, 4);
  task.has_baseline = false;
  const auto result = measured(port, task);
  EXPECT_EQ(port.slices(0, Phase::steady).size(), 64U);
  EXPECT_EQ(port.count(Verb::renew, 0) + port.count(Verb::park, 0) + port.count(Verb::resume, 0), 0U);
}

TEST(SliceLoop, ParksEveryArmBeforeAnotherOneRuns) {
  SimulatedArms port({{}, {.step_seconds = 1.1e-4}, {.step_seconds = 1.2e-4}});
  port.noise = undecidable;
  measured(port, comparison(3, 4));
  EXPECT_EQ(port.broken_rules, std::vector<std::string>());
  EXPECT_GT(port.count(Verb::park, 0), 20U);
}

TEST(SliceLoop, GoesOnWithoutAnArmThatEndsByItself) {
  SimulatedArms port({{}, {}, {.step_seconds = 1.5e-4}});
  port.before = [&](const Asked& asked) {
    if (asked == Asked{Verb::slice, 1, Phase::steady} && port.slices(1, Phase::steady).size() == 5)
      throw ArmEnded{sweep::Failed{sweep::FailureKind::reported, "no more"}};
  };
  const auto result = measured(port, comparison(3, 2));
  EXPECT_TRUE(std::holds_alternative<sweep::Failed>(result.arms[1].outcome));
  EXPECT_TRUE(std::holds_alternative<sweep::Finished>(result.arms[2].outcome));
  EXPECT_GE(squares_of(result.samples).size(), 7U);
  EXPECT_EQ(port.broken_rules, std::vector<std::string>());
}

TEST(SliceLoop, EndsWithItsBaseline) {
  SimulatedArms port({{}, {}});
  port.noise = undecidable;
  port.before = [&](const Asked& asked) {
    if (asked == Asked{Verb::slice, 0, Phase::steady} && port.slices(0, Phase::steady).size() == 9)
      throw ArmEnded{sweep::Failed{sweep::FailureKind::reported, "no more"}};
  };
  const auto result = measured(port, comparison(2, 60));
  EXPECT_EQ(squares_of(result.samples).size(), 5U);
  EXPECT_EQ(result.undecided, 0) << "there is nothing to compare with";
}

sweep::BlockTask latencies(double seconds) {
  sweep::BlockTask task = comparison(2, seconds);
  task.measure.metric = sweep::Metric::latency_p95;
  return task;
}

TEST(SliceLoop, StampsEveryCallWhereLatencyIsCompared) {
  SimulatedArms port({{.step_seconds = 5e-6}, {.step_seconds = 1e-4}});
  port.noise = undecidable;
  const auto result = measured(port, latencies(1));
  for (const Sample& sample : result.samples) {
    if (sample.phase == Phase::steady) {
      ASSERT_EQ(sample.steps, 1U);
    }
  }
  for (const Asked& asked : port.slices(0, Phase::steady)) EXPECT_TRUE(asked.length.wait_each);
}

TEST(SliceLoop, EndsBeforeSingleCallsWouldHaveToBeJoined) {
  SimulatedArms port({{.step_seconds = 5e-6}, {.step_seconds = 5e-6}});
  port.noise = undecidable;
  const auto result = measured(port, latencies(60));  // time for a thousand squares of 2,000 calls
  EXPECT_GT(result.samples.size(), 280'000U);
  EXPECT_LE(result.samples.size(), 300'000U);
  for (const Sample& sample : result.samples) {
    if (sample.phase == Phase::steady) {
      ASSERT_EQ(sample.steps, 1U);
    }
  }
}

TEST(SliceLoop, TakesOneValueOfMemoryFromEachFreshProcess) {
  SimulatedArms port = slow_starters(5);
  port.arms[0].seen_bytes = 1 << 20;
  port.arms[1].seen_bytes = 3 << 20;
  sweep::BlockTask task = comparison(2, 60);
  task.measure.metric = sweep::Metric::peak_memory;
  port.drain = [&] { return port.asked.size() > 1000; };  // squares are as short as can be
  const auto result = measured(port, task);
  EXPECT_EQ(served_squares(port, 0), std::vector<std::size_t>(3, 1))
      << "the first process also piloted; two after it decide";
  const auto peaks_of = [](const sweep::ArmOutcome& arm) {
    return sweep::value_of<sweep::ProcessPeaks>(arm.facts, sweep::Fact::process_peaks);
  };
  EXPECT_EQ(peaks_of(result.arms[0]), sweep::ProcessPeaks(2, 1 << 20));
  EXPECT_EQ(peaks_of(result.arms[1]), sweep::ProcessPeaks(2, 3 << 20));
  EXPECT_EQ(result.undecided, 0);
}

TEST(SliceLoop, TakesOneResultOfEachFreshProcess) {
  SimulatedArms port = slow_starters(5);
  port.arms[0].result = 1;
  port.arms[1].result = 2;
  sweep::BlockTask task = comparison(2, 60);
  task.measure.metric = sweep::Metric::result;
  task.measure.result = sweep::ComparedResult{"gain"};
  port.drain = [&] { return port.asked.size() > 1000; };
  EXPECT_EQ(measured(port, task).undecided, 0);
  EXPECT_EQ(served_squares(port, 0), std::vector<std::size_t>(4, 1));
}

TEST(SliceLoop, ComparesResultsOfZeroAndBelowByDifference) {
  SimulatedArms port = slow_starters(5);
  port.arms[0].result = 0;
  port.arms[1].result = -2;
  sweep::BlockTask task = comparison(2, 60);
  task.measure.metric = sweep::Metric::result;
  task.measure.result = sweep::ComparedResult{"reward"};
  port.drain = [&] { return port.asked.size() > 1000; };
  const auto result = measured(port, task);
  EXPECT_EQ(result.undecided, 0);
  EXPECT_EQ(sweep::text_of(result.arms[1].facts, sweep::Fact::why_stopped), "decided");
  port.arms[1].result.reset();  // told nothing
  task.measure.slices = 20;
  EXPECT_EQ(measured(port, task).undecided, 1);
}

sweep::BlockTask one_of_the_replicates(SimulatedArms& port) {
  for (SimulatedArm& arm : port.arms) arm.result = 1;
  sweep::BlockTask task = comparison(2, 60);
  task.measure.metric = sweep::Metric::result;
  task.measure.result = sweep::ComparedResult{"gain"};
  task.takes_one_pair = true;
  port.drain = [&] { return port.asked.size() > 1000; };
  return task;
}

TEST(SliceLoop, RunsEachProgramOnceWhereItIsOneOfTheReplicates) {
  SimulatedArms port({{}, {}});
  sweep::BlockTask task = one_of_the_replicates(port);
  for (sweep::ArmTask& arm : task.arms) arm.command = sweep::Command{"p", {"p"}, "", "p"};
  const auto result = measured(port, task);
  for (const std::uint32_t arm : {0U, 1U}) {
    const auto slices = std::ranges::count_if(
        port.asked, [&](const Asked& asked) { return asked.verb == Verb::slice && asked.arm == arm; });
    EXPECT_EQ(slices, 1) << "not even a pilot";
  }
  EXPECT_EQ(sweep::text_of(result.arms[1].facts, sweep::Fact::why_stopped), "one pair of each replicate");
  EXPECT_EQ(result.undecided, 0) << "all of them together have a verdict, or none";
}

TEST(SliceLoop, TakesTheFirstResultThatCountsOfAWorkerThatIsOneOfTheReplicates) {
  SimulatedArms port({{}, {}});
  const auto result = measured(port, one_of_the_replicates(port));
  const auto renewals =
      std::ranges::count_if(port.asked, [](const Asked& asked) { return asked.verb == Verb::renew && asked.arm == 0; });
  EXPECT_EQ(renewals, 1) << "the first process piloted";
  EXPECT_EQ(sweep::text_of(result.arms[1].facts, sweep::Fact::why_stopped), "one pair of each replicate");
}

TEST(SliceLoop, ComparesTheTimeToNStepsByPairsOfProcesses) {
  SimulatedArms port({{.start_seconds = 1}, {.step_seconds = 0.5e-4, .start_seconds = 5}});
  sweep::BlockTask task = comparison(2, 60);
  task.measure.metric = sweep::Metric::time_to_n;
  task.measure.n = 1000;
  port.drain = [&] { return port.asked.size() > 10'000; };
  const auto result = measured(port, task);
  EXPECT_EQ(served_squares(port, 0), std::vector<std::size_t>(2, 1)) << "each process is one value";
  EXPECT_EQ(result.undecided, 0) << "its steps take half the time, but it starts 4 s later";
}

TEST(SliceLoop, LeavesMemoryUndecidedWithFewProcesses) {
  SimulatedArms port = slow_starters(0.01);
  port.arms[0].seen_bytes = 1 << 20;
  port.arms[1].seen_bytes = 3 << 20;
  sweep::BlockTask task = comparison(2, 60);
  task.measure.metric = sweep::Metric::peak_memory;
  task.measure.slices = 4;
  EXPECT_EQ(measured(port, task).undecided, 1) << "two squares: one fresh process";
}

}  // namespace
}  // namespace regatta::measure

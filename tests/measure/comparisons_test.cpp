#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "measure/measure.hpp"
#include "measure/simulated_arms.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/verdict.hpp"
#include "regatta/sweep/processes.hpp"

namespace regatta::measure {
namespace {

using stats::Phase;

/// Squares of two or more arms, in fresh processes each.
void take_squares(BlockRun& run, std::uint16_t squares) {
  for (std::uint16_t square = 0; square < squares; ++square) {
    for_each_living(run, [&](Arm& arm) { renew_arm(run, arm); });
    for_each_living(run, [&](Arm& arm) { take_slice(run, arm, Phase::first, {.steps = 1}); });
    for (std::size_t round = 0; round < run.arms.size(); ++round) {
      for (std::size_t i = 0; i < run.arms.size(); ++i)
        take_slice(run, run.arms[(round + i) % run.arms.size()], Phase::steady, {.steps = 10}, square);
    }
  }
}

TEST(Comparisons, StayOpenUntilTheirVerdictIsClear) {
  SimulatedArms port({{}, {.step_seconds = 1.3e-4}, {}});
  port.noise = [](const SimulatedSlice& slice) { return slice.arm == 2 ? undecidable(slice) : Disturbed(); };
  const auto task = comparison(3, 10);
  BlockRun run(port, task);
  take_squares(run, 1);
  EXPECT_EQ(still_open(run, {0, 1, 2}), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(undecided_comparisons(run), 2) << "nothing is told from one pair";
  take_squares(run, 7);
  EXPECT_EQ(still_open(run, {0, 1, 2}), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(undecided_comparisons(run), 1);
}

/// Evidence for a difference of 1.3x after four pairs that agree.
double evidence_of_four() { return stats::judge_units(std::vector<double>(4, std::log(1.3)), {}).e_value; }

std::uint32_t contrasts_that_need(double evidence) {
  return static_cast<std::uint32_t>(std::llround(evidence * stats::rules::alpha));
}

TEST(Comparisons, OfASweepOfManyNeedEvidenceToSpare) {
  SimulatedArms port({{}, {.step_seconds = 1.3e-4}});
  auto task = comparison(2, 10);
  task.contrasts = contrasts_that_need(2 * evidence_of_four());
  BlockRun run(port, task);
  take_squares(run, 4);
  EXPECT_EQ(still_open(run, {0, 1}).size(), 2U) << "the first difference of so many needs twice that";
  EXPECT_EQ(undecided_comparisons(run), 0) << "there is a verdict all the same";
  take_squares(run, 9);
  EXPECT_EQ(still_open(run, {0, 1}).size(), 1U);
}

TEST(Comparisons, NeedLessEvidenceForEachDifferenceThatIsFound) {
  SimulatedArms port({{}, {.step_seconds = 1.3e-4}, {.step_seconds = 1.3e-4}});
  auto task = comparison(3, 10);
  const double evidence = evidence_of_four();
  const std::uint32_t of_family = contrasts_that_need(1.2 * evidence);
  task.contrasts = contrasts_that_need(1.6 * evidence);
  task.families = {{0, 2}, {1, of_family}};
  BlockRun run(port, task);
  take_squares(run, 4);
  EXPECT_EQ(still_open(run, {0, 1, 2}).size(), 3U) << "the first needs 1.6 times as much";
  run.discoveries.add(BlockIndex{7}, {0, 2});
  EXPECT_EQ(still_open(run, {0, 1, 2}), (std::vector<std::size_t>{0, 2}))
      << "the second half of that, but the first of its family 1.2 times as much";
  EXPECT_EQ(run.discoveries.all(), 2U);
  EXPECT_EQ(run.discoveries.of({0, 2}), 2U);
  EXPECT_EQ(run.discoveries.of({1, of_family}), 0U);
}

TEST(Comparisons, OfManyCellsNeedEvidenceForAllThatTheFastestIsToldFrom) {
  SimulatedArms port({{}, {.step_seconds = 1.3e-4}});
  auto task = comparison(2, 10);
  task.exclusions = contrasts_that_need(1.3 * evidence_of_four());
  BlockRun run(port, task);
  take_squares(run, 4);
  EXPECT_EQ(still_open(run, {0, 1}).size(), 2U);
  task.exclusions = contrasts_that_need(0.7 * evidence_of_four());
  EXPECT_EQ(still_open(run, {0, 1}).size(), 1U);
}

TEST(Comparisons, AreJudgedByHowSuchPairsScatteredBefore) {
  SimulatedArms port({{}, {.step_seconds = 1.06e-4}});
  auto task = comparison(2, 10);
  const auto undecided_after_two = [&](const stats::SpreadHistory& history, bool in_this_run) {
    task.spreads.clear();
    stats::SpreadPool pool;
    const std::string of_both = sweep::process_class(task.arms[0].parameters);
    if (in_this_run)
      pool.add(of_both, of_both, history);
    else
      task.spreads = {history};
    BlockRun run(port, task, pool);
    take_squares(run, 2);
    return undecided_comparisons(run);
  };
  stats::SpreadHistory quiet, noisy;
  quiet.add(12 * 0.002 * 0.002, 12, 0);
  noisy.add(12 * 0.1 * 0.1, 12, 0);
  for (const bool in_this_run : {false, true}) {
    EXPECT_EQ(undecided_after_two(quiet, in_this_run), 0);
    EXPECT_EQ(undecided_after_two(noisy, in_this_run), 1);
  }
}

TEST(Comparisons, GoOnUntilTheyAreConfirmedWhereThatIsAskedFor) {
  const auto open_after = [](std::uint16_t squares, bool confirms) {
    SimulatedArms port({{}, {.step_seconds = 2e-4}});
    auto task = comparison(2, 10);
    task.confirms = confirms;
    BlockRun run(port, task);
    take_squares(run, squares);
    return still_open(run, {0, 1}).size() > 1;
  };
  EXPECT_FALSE(open_after(3, false));
  EXPECT_TRUE(open_after(3, true));
  EXPECT_FALSE(open_after(8, true));
}

TEST(Comparisons, TeachHowTheirPairsScatter) {
  SimulatedArms port({{}, {.step_seconds = 1.06e-4}});
  const auto task = comparison(2, 10);
  BlockRun run(port, task);
  take_squares(run, 4);
  const std::string of_both = sweep::process_class(task.arms[0].parameters);
  EXPECT_EQ(shown_spreads(run).of(of_both, of_both).degrees, 3);
}

TEST(Comparisons, CountTheWorkOfAStep) {
  SimulatedArms port({{}, {.step_seconds = 2e-4}});
  auto task = comparison(2, 10);
  task.arms[0].work_per_step = 32;
  task.arms[1].work_per_step = 64;
  BlockRun run(port, task);
  take_squares(run, 9);
  EXPECT_EQ(still_open(run, {0, 1}).size(), 1U) << "the same time per sample";
}

TEST(Comparisons, LeaveTheCloneOut) {
  SimulatedArms port({{}, {}, {}});
  port.noise = undecidable;
  auto task = comparison(3, 10);
  task.has_clone = true;
  BlockRun run(port, task);
  take_squares(run, 8);
  EXPECT_EQ(undecided_comparisons(run), 1);
}

}  // namespace
}  // namespace regatta::measure

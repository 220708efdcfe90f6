#include "measure/renewals.hpp"

#include <gtest/gtest.h>

#include "measure/simulated_arms.hpp"

namespace regatta::measure {
namespace {

/// Squares that each of the first pairs of processes serves.
std::vector<std::int64_t> served_squares(std::size_t pairs, std::int64_t squares_each, std::int64_t expected_squares) {
  Renewals renewals;
  std::vector<std::int64_t> served;
  while (served.size() < pairs) {
    ++renewals.served;
    if (!renewals.due(squares_each, expected_squares) && renewals.served < 1000) continue;
    served.push_back(renewals.served);
    ++renewals.pairs;
    renewals.served = 0;
  }
  return served;
}

TEST(Renewals, ComeAfterEverySquareWhereStartsAreQuick) {
  EXPECT_EQ(served_squares(9, 1, squares_to_verdict), std::vector<std::int64_t>(9, 1));
}

TEST(Renewals, LetTheFirstSevenPairsServeTwoSquaresWhateverAStartCosts) {
  EXPECT_EQ(served_squares(8, 33, squares_to_verdict), (std::vector<std::int64_t>{2, 2, 2, 2, 2, 2, 33, 33}));
}

TEST(Renewals, LeaveThreePairsForAFewFixedSquares) {
  EXPECT_EQ(served_squares(3, 33, 3), (std::vector<std::int64_t>{1, 1, 1}));
}

TEST(SquaresPerProcess, TakeAsLongAsTheStartsOfThoseThatStillRun) {
  SimulatedArms port({{.start_seconds = 1}, {.start_seconds = 2}, {.start_seconds = 40}});
  const auto task = comparison(3, 10);
  BlockRun run(port, task);
  for_each_living(run, [&](Arm& arm) { prepare_arm(run, arm); });
  EXPECT_EQ(squares_per_process(run, {0, 1, 2}, 0.5), 86);
  end_arm(run, run.arms[2], sweep::Skipped{"gone"});
  EXPECT_EQ(squares_per_process(run, {0, 1, 2}, 0.5), 6);
  EXPECT_EQ(squares_per_process(run, {0, 1}, 100), 1);
}

TEST(Renewals, ReplaceEveryLivingProcessOfTheComparison) {
  SimulatedArms port({{}, {}, {}});
  const auto task = comparison(3, 10);
  BlockRun run(port, task);
  for_each_living(run, [&](Arm& arm) {
    prepare_arm(run, arm);
    arm.step_seconds = 1e-4;
  });
  const SliceLengths lengths = planned_lengths(run, 10);
  end_arm(run, run.arms[1], sweep::Skipped{"gone"});
  Renewals renewals;
  renew_if_due(run, lengths, {0, 1, 2}, 1, squares_to_verdict, renewals);
  EXPECT_EQ(renewals.pairs, 2);
  EXPECT_EQ(renewals.served, 0);
  EXPECT_EQ(port.count(Verb::renew, 0), 1U);
  EXPECT_EQ(port.count(Verb::renew, 1), 0U);
  EXPECT_EQ(port.count(Verb::renew, 2), 1U);
}

}  // namespace
}  // namespace regatta::measure

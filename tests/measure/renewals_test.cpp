#include "measure/renewals.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "measure/simulated_arms.hpp"

namespace regatta::measure {
namespace {

/// A block of three arms whose processes take 1, 2 and 40 s to start and whose squares take a fraction of one.
struct Prepared3 {
  SimulatedArms port{{{.start_seconds = 1}, {.start_seconds = 2}, {.start_seconds = 40}}};
  sweep::BlockTask task = comparison(3, 10);
  BlockRun run{port, task};

  Prepared3() {
    for_each_living(run, [&](Arm& arm) {
      prepare_arm(run, arm);
      arm.step_seconds = 1e-3;
    });
  }

  [[nodiscard]] std::int64_t squares_each(const SliceLengths& lengths) const {
    return planned_renewals(run, lengths, 1e6).squares_each;
  }
};

TEST(Renewals, ArePlannedByWhatThoseThatLiveTakeToStart) {
  Prepared3 block;
  const SliceLengths lengths = planned_lengths(block.run, 10);
  const double square = square_seconds(block.run, lengths);
  EXPECT_EQ(block.squares_each(lengths), std::min(20LL, std::llround(std::sqrt(43 / square))));
  end_arm(block.run, block.run.arms[2], sweep::Skipped{"gone"});
  EXPECT_EQ(block.squares_each(lengths), std::max(5LL, std::llround(std::sqrt(3 / square))));
}

TEST(Renewals, CountWarmUpAsPartOfAStart) {
  Prepared3 block;
  const SliceLengths lengths = planned_lengths(block.run, 10);
  block.run.arms[0].warmup_steps = 57'000;  // 57 s
  EXPECT_EQ(block.squares_each(lengths), std::llround(std::sqrt(100 / square_seconds(block.run, lengths))));
}

TEST(Renewals, ComeWhenThePairHasServed) {
  Renewals renewals{.squares_each = 2};
  EXPECT_FALSE(renewals.is_closed());
  renewals.served = 1;
  EXPECT_FALSE(renewals.is_closed());
  renewals.served = 2;
  EXPECT_TRUE(renewals.is_closed());
}

TEST(Renewals, PayForStartsOnlyWhenThereAreEnoughPairs) {
  EXPECT_EQ(price_of_start({.squares_each = 2, .pairs = 6, .start_seconds = 5}, 0.5), 0);
  EXPECT_EQ(price_of_start({.squares_each = 2, .pairs = 7, .start_seconds = 5}, 0.5), 4) << "less what it measures";
  EXPECT_EQ(price_of_start({.squares_each = 2, .pairs = 7, .start_seconds = 0.5}, 0.5), 0);
}

TEST(Renewals, AddUpWhatStartsBeyondEnoughPairsCost) {
  Prepared3 block;
  const SliceLengths lengths = planned_lengths(block.run, 10);
  Renewals renewals{.squares_each = 1, .pairs = 7};
  renew_processes(block.run, lengths, {0, 1, 2}, 0.1, renewals);
  EXPECT_GT(renewals.start_seconds, 1);
  EXPECT_NEAR(renewals.paid_seconds, renewals.start_seconds - 0.1, 1e-9);
}

TEST(Renewals, BeginSideBySideWhereCoresAreFreeAndThatSavesTime) {
  Prepared3 block;
  const SliceLengths lengths = planned_lengths(block.run, 10);
  EXPECT_FALSE(planned_renewals(block.run, lengths, 1e6).is_side_by_side);
  block.port.places = 2;
  const Renewals beside = planned_renewals(block.run, lengths, 1e6);
  EXPECT_TRUE(beside.is_side_by_side);
  EXPECT_LT(beside.start_seconds, 43);
  for (Arm& arm : block.run.arms) arm.start_seconds = 0.3;
  EXPECT_FALSE(planned_renewals(block.run, lengths, 1e6).is_side_by_side) << "not worth it";
  for (Arm& arm : block.run.arms) arm.start_seconds = arm.import_seconds = 0.4;
  EXPECT_TRUE(planned_renewals(block.run, lengths, 1e6).is_side_by_side) << "slow one after the other: 1.2 s";
}

TEST(Renewals, StartOneByOneWhereTheStartIsWhatIsCompared) {
  Prepared3 block;
  block.port.places = 2;
  const SliceLengths lengths = planned_lengths(block.run, 10);
  block.task.measure.metric = sweep::Metric::time_to_n;
  EXPECT_FALSE(planned_renewals(block.run, lengths, 1e6).is_side_by_side);
}

TEST(Renewals, EndAllProcessesBeforeThoseSideBySideBegin) {
  SimulatedArms port({{.start_seconds = 1}, {.start_seconds = 2}});
  const auto task = comparison(2, 10);
  BlockRun run(port, task);
  for_each_living(run, [&](Arm& arm) {
    prepare_arm(run, arm);
    arm.step_seconds = 1e-4;
  });
  const SliceLengths lengths = planned_lengths(run, 10);
  const std::size_t parts_before = run.samples.size();
  Renewals renewals{.start_seconds = 3, .is_side_by_side = true};
  port.asked.clear();
  renew_processes(run, lengths, {0, 1}, 0.1, renewals);
  ASSERT_GE(port.asked.size(), 4U);
  EXPECT_EQ(port.asked[0].verb, Verb::park);
  EXPECT_EQ(port.asked[1], (Asked{Verb::begin, 0}));
  EXPECT_EQ(port.asked[2], (Asked{Verb::begin, 1}));
  EXPECT_EQ(port.asked[3], (Asked{Verb::renew, 0}));
  EXPECT_TRUE(port.broken_rules.empty());
  for (std::size_t i = parts_before; i < run.samples.size(); ++i)
    EXPECT_TRUE(stats::has_steps(run.samples[i].phase)) << "no part of a cold start";
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
  Renewals renewals{.squares_each = 4, .served = 4};
  renew_processes(run, lengths, {0, 1, 2}, 0.1, renewals);
  EXPECT_EQ(renewals.pairs, 2);
  EXPECT_EQ(renewals.served, 0);
  EXPECT_EQ(renewals.squares_each, 4);
  EXPECT_EQ(port.count(Verb::renew, 0), 1U);
  EXPECT_EQ(port.count(Verb::renew, 1), 0U);
  EXPECT_EQ(port.count(Verb::renew, 2), 1U);
}

}  // namespace
}  // namespace regatta::measure

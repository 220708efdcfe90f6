// Each rule that T1 can see is broken once: its bars must notice, and stay quiet for the rule as it is.
#include <gtest/gtest.h>

#include <string>

#include "measuring/replay_cell.hpp"

namespace regatta::measuring {
namespace {

/// Both tables are printed; `mutant` must miss a bar that `rule` keeps.
void expect_caught(const std::string& noise_name, double effect, const Method& mutant, const Method& rule,
                   std::size_t runs) {
  const std::uint64_t seed = replay_seed();
  const Noise each = calibrated(noise(noise_name), quiet_spread, {}, seed);
  print_header(runs, seed);
  const Cell kept = run_cell(each, effect, rule, runs, seed);
  print(kept);
  for (const std::string& missed : broken_bars(kept)) ADD_FAILURE() << "the rule itself: " << missed;
  const Cell broken = run_cell(each, effect, mutant, runs, seed);
  print(broken);
  const auto missed = broken_bars(broken);
  EXPECT_FALSE(missed.empty()) << "the mutant passes";
  for (const std::string& each_missed : missed) std::printf("caught: %s\n", each_missed.c_str());
}

TEST(ReplayMutants, SequentialArms) {
  expect_caught("drift", 0, {.order = Order::sequential, .most_squares = 16}, {}, 500);
}

TEST(ReplayMutants, FixedOrder) { expect_caught("first is slower", 0, {.order = Order::fixed}, {}, 500); }

TEST(ReplayMutants, FixedOrderUnderDrift) { expect_caught("drift", 1, {.order = Order::fixed}, {}, 500); }

TEST(ReplayMutants, PeekingBootstrap) {
  expect_caught("iid", 1, {.most_squares = 60, .peeking_bootstrap = true, .first_mutant_look = 5}, {}, 200);
}

TEST(ReplayMutants, ProcessLevelDropped) {
  const Method mutant{.squares_per_process = 24, .most_squares = 24, .squares_as_pairs = true};
  expect_caught("process N(0, 0.5 %)", 0, mutant, {.squares_per_process = 6, .most_squares = 24}, 60);
}

TEST(ReplayMutants, MediansOfSteps) {
  expect_caught("5 % of steps 20x, a only", 0, {.medians_of_steps = true}, {}, 300);
}

TEST(ReplayMutants, NoMargin) { expect_caught("iid", 0.5, {.margin = 0}, {}, 300); }

TEST(ReplayMutants, FlaggedSlicesDropped) { expect_caught("a throttles itself", 0, {.drop_flagged = true}, {}, 300); }

}  // namespace
}  // namespace regatta::measuring

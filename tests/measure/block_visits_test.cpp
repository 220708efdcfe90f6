#include "measure/block_visits.hpp"

#include <gtest/gtest.h>

#include "measure/simulated_arms.hpp"

namespace regatta::measure {
namespace {

TEST(BlockVisits, MeasureAPairEach) {
  SimulatedArms port({{.start_seconds = 2}, {.start_seconds = 2}});
  port.noise = undecidable;
  const auto task = comparison(2, 60);
  VisitedBlock block(port, task);
  for (std::size_t pair = 1; pair <= 4; ++pair) {
    ASSERT_FALSE(pair == 1 ? first_visit(block) : next_visit(block));
    EXPECT_EQ(port.count(Verb::renew, 0), pair - 1);
    EXPECT_EQ(port.slices(0, stats::Phase::steady).size() / 2,
              pair * static_cast<std::size_t>(block.comparison->renewals.squares_each));
  }
}

TEST(BlockVisits, AreOneWhereNothingIsComparedPairByPair) {
  SimulatedArms port(std::vector<SimulatedArm>{{}});
  auto task = comparison(1, 1);
  task.has_baseline = false;
  VisitedBlock block(port, task);
  const auto outcome = first_visit(block);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(std::holds_alternative<protocol::BlockResult>(*outcome));
}

TEST(BlockVisits, SayWhyTheBlockStopped) {
  SimulatedArms port({{}, {}});
  port.noise = undecidable;
  const auto task = comparison(2, 60);
  VisitedBlock block(port, task);
  ASSERT_FALSE(first_visit(block));
  const auto result = std::get<protocol::BlockResult>(drained(block));
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(sweep::text_of(result.arms[1].facts, sweep::Fact::why_stopped), "interrupted");
}

}  // namespace
}  // namespace regatta::measure

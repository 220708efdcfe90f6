#include <gtest/gtest.h>

#include "measure/block_visits.hpp"
#include "measure/measure.hpp"
#include "measure/simulated_arms.hpp"

namespace regatta::measure {
namespace {

TEST(BlockResult, HasWhatWasNotToldYet) {
  SimulatedArms port({{.start_seconds = 5}, {.start_seconds = 5}});
  port.noise = undecidable;
  const auto task = comparison(2, 60);
  VisitedBlock block(port, task);
  ASSERT_FALSE(first_visit(block));
  ToldOf told;
  const auto first = result_of(block.run, told);
  EXPECT_EQ(first.samples.size(), block.run.samples.size());
  EXPECT_TRUE(result_of(block.run, told).samples.empty());
  ASSERT_FALSE(next_visit(block));
  const auto second = result_of(block.run, told);
  EXPECT_EQ(first.samples.size() + second.samples.size(), block.run.samples.size());
  EXPECT_EQ(second.samples.front().slice, 0U);
  EXPECT_EQ(second.samples.front().phase, stats::Phase::start);
  std::uint16_t squares = 0;
  for (const stats::Sample& sample : second.samples) squares = std::max(squares, sample.square);
  EXPECT_EQ(squares + 1, block.comparison->renewals.squares_each);
  EXPECT_EQ(second.arms.size(), 2U) << "and all that is known of the arms";
}

}  // namespace
}  // namespace regatta::measure

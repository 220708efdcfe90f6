#include "measure/tour_order.hpp"

#include <gtest/gtest.h>

#include <set>

#include "measure/simulated_arms.hpp"

namespace regatta::measure {
namespace {

OpenBlock open_block(std::size_t at, Worth worth, std::int64_t pairs) {
  OpenBlock block{at, worth, pairs, {}};
  block.hash.bytes[3] = static_cast<std::uint8_t>(at);
  return block;
}

std::vector<std::size_t> order(std::vector<OpenBlock> open, std::uint64_t tour) {
  order_visits(open, tour);
  std::vector<std::size_t> order;
  for (const OpenBlock& block : open) order.push_back(block.at);
  return order;
}

TEST(TourOrder, IsByWorthThenByPairs) {
  EXPECT_EQ(order({open_block(0, Worth::unfinished, 1), open_block(1, Worth::undecided, 4),
                   open_block(2, Worth::undecided, 2)},
                  1),
            (std::vector<std::size_t>{2, 1, 0}));
}

TEST(TourOrder, IsDrawnAnewForEachTour) {
  std::vector<OpenBlock> alike;
  for (std::size_t at = 0; at < 4; ++at) alike.push_back(open_block(at, Worth::undecided, 2));
  std::set<std::vector<std::size_t>> orders;
  for (std::uint64_t tour = 1; tour <= 50; ++tour) orders.insert(order(alike, tour));
  EXPECT_GT(orders.size(), 10U);
  EXPECT_EQ(order(alike, 7), order(alike, 7));
}

TEST(TourOrder, AsksWhetherAllComparisonsHaveAVerdict) {
  SimulatedArms port({{}, {.step_seconds = 1.5e-4}});
  const auto task = comparison(2, 60);
  VisitedBlock block(port, task);
  ASSERT_FALSE(first_visit(block));
  EXPECT_EQ(worth_of(block), Worth::undecided) << "one pair gives no verdict";
  for (int pair = 1; pair < 12; ++pair) next_visit(block);
  EXPECT_EQ(worth_of(block), Worth::unfinished);
}

}  // namespace
}  // namespace regatta::measure

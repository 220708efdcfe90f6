#include <gtest/gtest.h>

#include "ranks/ranks.hpp"

namespace regatta::launcher {
namespace {

TEST(LotSize, GrowsByDoublingWhileBlocksAreQuick) {
  LotSize lot;
  EXPECT_EQ(lot.blocks(), 1U);
  for (const std::size_t expected : {2U, 4U, 8U, 16U, 32U, 64U, 64U}) {
    lot.took(lot.blocks(), 1e-5 * static_cast<double>(lot.blocks()));
    EXPECT_EQ(lot.blocks(), expected);
  }
}

TEST(LotSize, HoldsWhatSomeMillisecondsHold) {
  LotSize lot;
  for (int i = 0; i < 9; ++i) lot.took(lot.blocks(), 1e-3 * static_cast<double>(lot.blocks()));
  EXPECT_EQ(lot.blocks(), 4U);
}

TEST(LotSize, FallsToOneAfterABlockThatIsNotQuick) {
  LotSize lot;
  for (int i = 0; i < 9; ++i) lot.took(lot.blocks(), 1e-5);
  lot.took(lot.blocks(), 60);
  EXPECT_EQ(lot.blocks(), 1U);
  lot.took(1, 0);  // a clock that stood still
  EXPECT_EQ(lot.blocks(), 2U);
}

}  // namespace
}  // namespace regatta::launcher

#include "regatta/measure/discoveries.hpp"

#include <gtest/gtest.h>

namespace regatta::measure {
namespace {

TEST(Discoveries, AreCountedOverTheSweepAndInTheirFamily) {
  Discoveries found;
  found.add(BlockIndex{0}, {.number = 3, .contrasts = 9});
  found.add(BlockIndex{1}, {.number = 3, .contrasts = 9});
  found.add(BlockIndex{1}, {.number = 4, .contrasts = 9});
  EXPECT_EQ(found.all(), 3U);
  EXPECT_EQ(found.of({.number = 3}), 2U);
  EXPECT_EQ(found.of({.number = 4}), 1U);
  EXPECT_EQ(found.of({.number = 5}), 0U);
}

TEST(Discoveries, OfABlockThatIsMeasuredAgainAreForgotten) {
  Discoveries found;
  found.add(BlockIndex{0}, {.number = 3});
  found.add(BlockIndex{1}, {.number = 3});
  found.add(BlockIndex{1}, {.number = 4});
  found.forget(BlockIndex{1});
  found.forget(BlockIndex{2});
  EXPECT_EQ(found.all(), 1U);
  EXPECT_EQ(found.of({.number = 3}), 1U);
  EXPECT_EQ(found.of({.number = 4}), 0U);
}

}  // namespace
}  // namespace regatta::measure

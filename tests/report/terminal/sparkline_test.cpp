#include <gtest/gtest.h>

#include "report/terminal/terminal.hpp"

namespace regatta::report {
namespace {

TEST(Sparkline, DrawsALevelForEachStretchOfSamples) {
  const SparklineScale scale{.samples = 800, .low = 0, .high = 0.8};
  EXPECT_EQ(
      sparkline({{100, 0.0}, {200, 0.15}, {300, 0.25}, {400, 0.35}, {500, 0.45}, {600, 0.55}, {700, 0.65}, {800, 0.8}},
                scale, 8, true),
      "▁▂▃▄▅▆▇█");
  EXPECT_EQ(sparkline({{100, 0.8}, {800, 0.0}}, scale, 8, false), "@@@@@@@_") << "the one before, where none is";
  EXPECT_EQ(sparkline({{50, 0.0}, {100, 0.8}}, scale, 8, false), "@       ") << "the last one of a stretch";
}

TEST(Sparkline, IsBlankBeforeTheFirstAndAfterTheLastPoint) {
  const SparklineScale scale{.samples = 800, .low = 0, .high = 1};
  EXPECT_EQ(sparkline({{300, 0.0}, {400, 1.0}}, scale, 8, false), "  _@    ");
  EXPECT_EQ(sparkline({}, scale, 8, false), "        ");
}

TEST(Sparkline, IsHighWhereAllIsTheSame) {
  EXPECT_EQ(sparkline({{1, 0.5}, {2, 0.5}}, {.samples = 2, .low = 0.5, .high = 0.5}, 2, false), "@@");
}

TEST(Sparkline, StaysInItsColumnsWhateverItIsGiven) {
  EXPECT_EQ(sparkline({{0, -5.0}, {9, 5.0}}, {.samples = 4, .low = 0, .high = 1}, 4, false), "___@");
  EXPECT_EQ(sparkline({{0, 1.0}}, {.samples = 0, .low = 0, .high = 1}, 2, false), "@ ");
}

}  // namespace
}  // namespace regatta::report

#include <gtest/gtest.h>

#include <cmath>

#include "regatta/sweep/program_results.hpp"

namespace regatta::sweep {
namespace {

TEST(UnitScale, TimesBecomeTimesInAnotherUnit) {
  EXPECT_EQ(converted(900, "ms", "s"), 0.9);
  EXPECT_EQ(converted(1.2, "s", "ms"), 1200);
  EXPECT_EQ(converted(7, "us", "ns"), 7000);
  EXPECT_EQ(converted(7, "\xc2\xb5s", "us"), 7) << "the micro sign";
  EXPECT_EQ(converted(7, "\xce\xbcs", "us"), 7) << "the Greek letter";
  EXPECT_EQ(converted(2, "h", "min"), 120);
  EXPECT_EQ(converted(90, "seconds", "minutes"), 1.5);
}

TEST(UnitScale, SizesBecomeSizesInAnotherUnit) {
  EXPECT_EQ(converted(4, "KiB", "B"), 4096);
  EXPECT_EQ(converted(4, "kB", "bytes"), 4000);
  EXPECT_EQ(converted(4, "KB", "kB"), 4);
  EXPECT_EQ(converted(1, "GiB", "MiB"), 1024);
  EXPECT_EQ(converted(1, "MiB", "MB"), 1.048576);
}

TEST(UnitScale, PrefixesOfOneUnitAreKnown) {
  EXPECT_EQ(converted(1500, "mK", "K"), 1.5);
  EXPECT_EQ(converted(3, "GHz", "MHz"), 3000);
  EXPECT_EQ(converted(250, "cm", "m"), 2.5);
  EXPECT_EQ(converted(5, "kW", "W"), 5000);
  EXPECT_EQ(converted(93, "%", "1"), 0.93);
  EXPECT_EQ(converted(3, "GB/s", "MB/s"), 3000);
  EXPECT_EQ(converted(36, "km/h", "m/s"), 10);
}

TEST(UnitScale, AnyUnitIsItself) {
  EXPECT_EQ(converted(3, "furlong", "furlong"), 3);
  EXPECT_EQ(converted(3, "", ""), 3);
  EXPECT_EQ(converted(3, "", "1"), 3);
  EXPECT_TRUE(std::isnan(converted(NAN, "ms", "s").value()));
}

TEST(UnitScale, UnlikeUnitsDoNotMix) {
  for (const auto& [from, to] : {std::pair{"ms", "B"},
                                 {"K",
                                  "\xc2\xb0"
                                  "C"},
                                 {"", "ms"},
                                 {"ms", ""},
                                 {"1", "s"},
                                 {"furlong", "m"},
                                 {"B", "bit"},
                                 {"min", "m"},
                                 {"Pa", "A"},
                                 {"MB", "MB/s"},
                                 {"", "%"},
                                 {"ss", "s"},
                                 {"mss", "s"},
                                 {"/", "s"},
                                 {"s/", "s"},
                                 {"m", "ms"},
                                 {"d", "dB"},
                                 {"dB", "B"},
                                 {"mB", "B"}})
    EXPECT_EQ(converted(1, from, to), std::nullopt) << from << " " << to;
}

TEST(UnitScale, WithoutPrefixIsTheQuantityItself) {
  EXPECT_EQ(without_prefix(900, "ms"), 0.9);
  EXPECT_EQ(without_prefix(2, "KiB"), 2048);
  EXPECT_EQ(without_prefix(3, "furlong"), 3);
  EXPECT_EQ(without_prefix(3, ""), 3);
}

}  // namespace
}  // namespace regatta::sweep

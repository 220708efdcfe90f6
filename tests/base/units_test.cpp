#include "regatta/base/units.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace regatta {
namespace {

TEST(Durations, AreReadInEveryUnit) {
  EXPECT_DOUBLE_EQ(*parse_duration("20ns"), 20e-9);
  EXPECT_DOUBLE_EQ(*parse_duration("20us"), 20e-6);
  EXPECT_DOUBLE_EQ(*parse_duration("5ms"), 5e-3);
  EXPECT_DOUBLE_EQ(*parse_duration("300s"), 300);
  EXPECT_DOUBLE_EQ(*parse_duration("1.5m"), 90);
  EXPECT_DOUBLE_EQ(*parse_duration("2h"), 7200);
  EXPECT_DOUBLE_EQ(*parse_duration("0s"), 0);
}

TEST(Durations, AreRefusedWithoutAUnitOrOutOfRange) {
  for (const char* text :
       {"", "s", "5", "5 s", " 5s", "5sec", "-5s", "infs", "nans", "1e400s", "1e308h", "5S", "0x5s"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(Sizes, AreReadInBinaryAndDecimalUnits) {
  EXPECT_EQ(parse_size("4096B"), 4096U);
  EXPECT_EQ(parse_size("4KiB"), 4096U);
  EXPECT_EQ(parse_size("64MiB"), 67108864U);
  EXPECT_EQ(parse_size("8GiB"), 8589934592U);
  EXPECT_EQ(parse_size("8GB"), 8000000000U);
  EXPECT_EQ(parse_size("1TiB"), 1099511627776U);
  EXPECT_EQ(parse_size("0.5KiB"), 512U);
}

TEST(Sizes, AreRefusedWithoutAUnitOrOutOfRange) {
  for (const char* text : {"", "GiB", "8", "8G", "8 GiB", "-1B", "infB", "1e300GiB", "10000000TiB"}) {
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
  }
}

TEST(Percentages, AreReadAsFractions) {
  EXPECT_DOUBLE_EQ(*parse_percent("1%"), 0.01);
  EXPECT_DOUBLE_EQ(*parse_percent("0.5%"), 0.005);
  EXPECT_DOUBLE_EQ(*parse_percent("250%"), 2.5);
}

TEST(Percentages, AreRefusedWithoutTheirSign) {
  for (const char* text : {"", "%", "1", "0.01", "-1%", "1 %", "1%%"})
    EXPECT_EQ(parse_percent(text), std::nullopt) << text;
}

TEST(Durations, AreShownWithThreeDigitsAndAUnit) {
  EXPECT_EQ(format_duration(1.23e-6), "1.23 us");
  EXPECT_EQ(format_duration(12.34e-6), "12.3 us");
  EXPECT_EQ(format_duration(123.4e-6), "123 us");
  EXPECT_EQ(format_duration(0.5), "500 ms");
  EXPECT_EQ(format_duration(61), "61.0 s");
  EXPECT_EQ(format_duration(2.5e-9), "2.50 ns");
  EXPECT_EQ(format_duration(0), "0.00 ns");
  EXPECT_EQ(format_duration(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(Durations, KeepThreeDigitsWhereRoundingAddsOne) {
  EXPECT_EQ(format_duration(9.996), "10.0 s");
  EXPECT_EQ(format_duration(99.96), "100 s");
}

TEST(Sizes, AreShownInTheLargestUnitThatFits) {
  EXPECT_EQ(format_size(0), "0 B");
  EXPECT_EQ(format_size(1023), "1023 B");
  EXPECT_EQ(format_size(1024), "1.0 KiB");
  EXPECT_EQ(format_size(8589934592), "8.0 GiB");
  EXPECT_EQ(format_size(1649267441664), "1.5 TiB");
}

}  // namespace
}  // namespace regatta

#include "regatta/sweep/slot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace regatta::sweep {
namespace {

DeviceReading reading(double clock, double joules) {
  DeviceReading all(device_figure_table.size(), std::nan(""));
  all[static_cast<std::size_t>(DeviceFigure::clock)] = clock;
  all[static_cast<std::size_t>(DeviceFigure::energy)] = joules;
  return all;
}

TEST(DeviceFigures, TableNamesEachFigureOnceInTheOrderOfTheirNumbers) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < device_figure_table.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(device_figure_table[i].figure), i) << "a journal reads the place";
    EXPECT_TRUE(names.insert(device_figure_table[i].column).second) << device_figure_table[i].column;
    EXPECT_FALSE(device_figure_table[i].description.empty());
  }
}

TEST(DeviceFigures, AreUnknownBeyondTheEndOfAReading) {
  EXPECT_EQ(figure_of(reading(1980, 0), DeviceFigure::clock), 1980);
  EXPECT_TRUE(std::isnan(figure_of({1980}, DeviceFigure::power_time)));
  EXPECT_TRUE(std::isnan(figure_of({}, DeviceFigure::clock)));
}

TEST(DeviceFigures, OfABlockThatWasMeasuredOnAreAsItEndedWithWhatBothCounted) {
  const DeviceReadings all = joined({reading(1980, 0), reading(1700, 40)}, {reading(345, 0), reading(1500, 2)});
  EXPECT_EQ(figure_of(all.before, DeviceFigure::clock), 1980);
  EXPECT_EQ(figure_of(all.after, DeviceFigure::clock), 1500);
  EXPECT_EQ(figure_of(all.after, DeviceFigure::energy), 42);
  EXPECT_TRUE(std::isnan(figure_of(all.after, DeviceFigure::heat_time))) << "not told in either";
  EXPECT_EQ(figure_of(joined({}, all).after, DeviceFigure::energy), 42) << "nobody was asked in the first";
  EXPECT_EQ(figure_of(joined(all, {}).after, DeviceFigure::energy), 42);
}

}  // namespace
}  // namespace regatta::sweep

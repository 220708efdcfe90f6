#include "regatta/sweep/slot.hpp"

#include <limits>

namespace regatta::sweep {

double figure_of(const DeviceReading& reading, DeviceFigure figure) {
  const auto at = static_cast<std::size_t>(figure);
  return at < reading.size() ? reading[at] : std::numeric_limits<double>::quiet_NaN();
}

DeviceReadings joined(const DeviceReadings& first, const DeviceReadings& second) {
  if (first.empty() || second.empty()) return first.empty() ? second : first;
  DeviceReadings all{first.before, second.after};
  for (const DeviceFigureInfo& row : device_figure_table) {
    const auto at = static_cast<std::size_t>(row.figure);
    if (row.counts && at < all.after.size()) all.after[at] += figure_of(first.after, row.figure);
  }
  return all;
}

}  // namespace regatta::sweep

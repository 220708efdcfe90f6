// A curve as a few characters of text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::report {

/// What all sparklines of a table share. Both ends belong to it.
struct SparklineScale {
  std::int64_t samples = 0;  ///< the last column's; the first one begins at 0
  double low = 0;
  double high = 0;
};

/// The level of low and that of high: blocks, or ASCII.
std::string_view lowest_mark(bool utf8);
std::string_view highest_mark(bool utf8);

/// A column shows the last value of its stretch of samples, or the one before it; blank before the first and after the
/// last. Points are in the order of samples, their values finite.
std::string sparkline(const std::vector<std::pair<std::int64_t, double>>& points, const SparklineScale& scale,
                      std::size_t columns, bool utf8);

}  // namespace regatta::report

// Units of measurement as programs write them: "ms", "KiB", "GB/s". Values in different units of one quantity become
// values in one unit.
#pragma once

#include <optional>
#include <string_view>

namespace regatta {

/// The same quantity in another unit: 900 ms are 0.9 s. Nothing where the units are not of one quantity, where they
/// have different zeros (K and degrees Celsius), and where one of them is not known. No unit converts to itself and to
/// "1" alone.
std::optional<double> converted(double value, std::string_view from, std::string_view to);

/// The same quantity without prefixes: seconds, bytes, bytes per second. A value in an unknown unit stays as it is.
double without_prefix(double value, std::string_view unit);

}  // namespace regatta

// Columns of a table from its rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "regatta/base/error.hpp"
#include "results/file/layout.hpp"

namespace regatta::results::hdf5 {

inline constexpr double missing_number = std::numeric_limits<double>::quiet_NaN();
inline constexpr const char* dates = "seconds since 1970-01-01";

/// 0 stands for "never"; it is stored as missing.
inline double date(double seconds) { return seconds == 0 ? missing_number : seconds; }

inline double zero_if_missing(double seconds) { return std::isnan(seconds) ? 0 : seconds; }

/// One column of a table: `take` of each row. HDF5 ends text at a zero byte, so none is passed on.
template <class Value, class Rows, class Take>
std::vector<Value> column(const Rows& rows, Take&& take) {
  std::vector<Value> values;
  values.reserve(rows.size());
  for (const auto& row : rows) {
    values.push_back(take(row));
    if constexpr (std::is_same_v<Value, std::string>) std::ranges::replace(values.back(), '\0', '?');
  }
  return values;
}

/// Position of `name` in the list.
inline std::int8_t flag_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  expect(found != names.end(), "a flag's name is in its list");
  return static_cast<std::int8_t>(found - names.begin());
}

}  // namespace regatta::results::hdf5

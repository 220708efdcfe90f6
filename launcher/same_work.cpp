#include "same_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace regatta::launcher {

bool comparable(const sweep::Parameters& a, const sweep::Parameters& b) {
  using sweep::Param;
  constexpr std::array same = {Param::model, Param::length,    Param::batch, Param::dataset,
                               Param::seed,  Param::precision, Param::work};
  // Nobody reads the precision of what computes nothing: no-op and commands.
  return a[Param::precision] != sweep::Value() &&
         std::ranges::all_of(same, [&](Param param) { return a[param] == b[param]; });
}

std::string difference(const Losses& a, const Losses& b) {
  if (a.size() != b.size() || a.empty()) return fmt::format("{} and {} steps were reported", a.size(), b.size());
  for (std::size_t step = 0; step < a.size(); ++step) {
    if (a[step].size() != b[step].size() || a[step].empty()) {
      return fmt::format("step {}: {} and {} values", step + 1, a[step].size(), b[step].size());
    }
    for (std::size_t i = 0; i < a[step].size(); ++i) {
      const double scale = std::max({std::abs(a[step][i]), std::abs(b[step][i]), tolerance});
      const double apart = std::abs(a[step][i] - b[step][i]) / scale;
      if (!(apart <= tolerance)) {
        return fmt::format("step {}, row {}: {:.6g} and {:.6g} differ by {:.2g} (relative; tolerance {})", step + 1, i,
                           a[step][i], b[step][i], apart, tolerance);
      }
    }
  }
  return {};
}

}  // namespace regatta::launcher

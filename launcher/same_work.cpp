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
  const bool equal = std::ranges::all_of(same, [&](Param param) { return a[param] == b[param]; });
  return equal && a[Param::work] == sweep::Value{std::string("train")};
}

std::string difference(const Losses& a, const Losses& b) {
  if (a.size() != b.size() || a.empty())
    return fmt::format("{} and {} steps of losses were reported", a.size(), b.size());
  for (std::size_t step = 0; step < a.size(); ++step) {
    if (a[step].size() != b[step].size() || a[step].empty()) {
      return fmt::format("step {}: {} and {} per-sample losses", step + 1, a[step].size(), b[step].size());
    }
    for (std::size_t i = 0; i < a[step].size(); ++i) {
      const double scale = std::max({std::abs(a[step][i]), std::abs(b[step][i]), loss_tolerance});
      const double apart = std::abs(a[step][i] - b[step][i]) / scale;
      if (!(apart <= loss_tolerance)) {
        return fmt::format("step {}, sample {}: losses {:.6g} and {:.6g} differ by {:.2g} (relative; tolerance {})",
                           step + 1, i, a[step][i], b[step][i], apart, loss_tolerance);
      }
    }
  }
  return {};
}

}  // namespace regatta::launcher

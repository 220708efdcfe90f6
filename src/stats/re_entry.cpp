#include "regatta/stats/re_entry.hpp"

#include <algorithm>
#include <cmath>

#include "regatta/stats/pilot.hpp"
#include "regatta/stats/summary.hpp"

namespace regatta::stats {
namespace {

constexpr double of_median = 1.2533;  // standard error of a median, in standard errors of a mean
constexpr double standard_errors = 3;
constexpr std::size_t settled_in_a_row = 2;

/// Log of each sample against the median of its slice's second half.
std::vector<double> deviations(const std::vector<double>& slice, std::size_t samples) {
  const auto half = slice.begin() + static_cast<std::ptrdiff_t>(samples / 2);
  const double settled = median({half, slice.begin() + static_cast<std::ptrdiff_t>(samples)});
  std::vector<double> logs;
  for (std::size_t i = 0; i < samples; ++i)
    logs.push_back(std::log(std::max(slice[i], 1e-12) / std::max(settled, 1e-12)));
  return logs;
}

}  // namespace

std::size_t unsettled_samples(std::span<const std::vector<double>> slices, double delta) {
  if (slices.empty()) return 0;
  const std::size_t samples = std::ranges::min_element(slices, {}, &std::vector<double>::size)->size();
  if (samples < 2) return 0;
  std::vector<std::vector<double>> logs;
  std::vector<double> settled;
  for (const auto& slice : slices) {
    logs.push_back(deviations(slice, samples));
    settled.insert(settled.end(), logs.back().begin() + static_cast<std::ptrdiff_t>(samples / 2), logs.back().end());
  }
  const double chance =
      standard_errors * of_median * robust_spread(settled) / std::sqrt(static_cast<double>(slices.size()));
  std::size_t unsettled = 0;
  for (std::size_t i = 0; i + 1 < samples && i < unsettled + settled_in_a_row; ++i) {
    std::vector<double> position;
    for (const auto& slice : logs) position.push_back(slice[i]);
    if (std::abs(median(std::move(position))) > std::max(delta, chance)) unsettled = i + 1;
  }
  return unsettled;
}

}  // namespace regatta::stats

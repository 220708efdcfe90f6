#include "regatta/stats/modes.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::stats {
namespace {

/// Clusters of sorted values, as the index of each one's first value.
using Begins = std::vector<std::size_t>;

std::vector<std::vector<double>> clusters(const std::vector<double>& sorted, Begins begins) {
  std::vector<std::vector<double>> result;
  begins.push_back(sorted.size());
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    result.emplace_back(sorted.begin() + static_cast<std::ptrdiff_t>(begins[i]),
                        sorted.begin() + static_cast<std::ptrdiff_t>(begins[i + 1]));
  }
  return result;
}

double median_spread(const std::vector<std::vector<double>>& parts) {
  std::vector<double> spreads;
  for (const auto& part : parts) spreads.push_back(*quantile(part, 0.75) - *quantile(part, 0.25));
  return median(spreads);
}

/// Whether a cut before `at` leaves enough values at both sides of it.
bool may_cut(const Begins& begins, std::size_t at, std::size_t values) {
  const std::size_t least = std::max(rules::least_mode_values, (rules::least_mode_percent * values + 99) / 100);
  const auto next = std::upper_bound(begins.begin(), begins.end(), at);
  const std::size_t end = next == begins.end() ? values : *next;
  return at - *(next - 1) >= least && end - at >= least;
}

/// Cuts at the largest gaps first; of all such partitions the finest whose gaps are wide enough.
Begins cut(const std::vector<double>& sorted, double least_gap) {
  std::vector<std::size_t> by_gap;
  for (std::size_t i = 1; i < sorted.size(); ++i) by_gap.push_back(i);
  const auto gap = [&](std::size_t i) { return sorted[i] - sorted[i - 1]; };
  std::stable_sort(by_gap.begin(), by_gap.end(), [&](auto i, auto j) { return gap(i) > gap(j); });
  Begins finest = {0};
  Begins begins = {0};
  for (const std::size_t at : by_gap) {
    if (gap(at) <= least_gap) break;
    if (!may_cut(begins, at, sorted.size())) continue;
    begins.insert(std::upper_bound(begins.begin(), begins.end(), at), at);
    if (gap(at) > rules::mode_gap * median_spread(clusters(sorted, begins))) finest = begins;
  }
  return finest;
}

}  // namespace

std::vector<Mode> find_modes(std::vector<double> log_values, double least_gap) {
  if (log_values.empty()) return {};
  std::sort(log_values.begin(), log_values.end());
  std::vector<Mode> modes;
  for (const auto& part : clusters(log_values, cut(log_values, least_gap))) {
    modes.push_back({median(part), static_cast<double>(part.size()) / static_cast<double>(log_values.size())});
  }
  return modes;
}

}  // namespace regatta::stats

#include "regatta/stats/warm_up.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::stats {
namespace {

/// Sums of squares around the mean of any stretch in O(1).
class Stretches {
 public:
  explicit Stretches(std::span<const double> series) : sums_(series.size() + 1), squares_(series.size() + 1) {
    const double origin = series.empty() ? 0 : series.front();  // keeps squares small
    for (std::size_t i = 0; i < series.size(); ++i) {
      sums_[i + 1] = sums_[i] + (series[i] - origin);
      squares_[i + 1] = squares_[i] + (series[i] - origin) * (series[i] - origin);
    }
  }

  [[nodiscard]] double cost(std::size_t from, std::size_t to) const {
    const double sum = sums_[to] - sums_[from];
    return std::max(0.0, squares_[to] - squares_[from] - sum * sum / static_cast<double>(to - from));
  }

 private:
  std::vector<double> sums_, squares_;
};

/// Variance of what does not change slowly: from differences of neighbours.
double noise_variance(std::span<const double> series) {
  std::vector<double> differences;
  for (std::size_t i = 1; i < series.size(); ++i) differences.push_back(series[i] - series[i - 1]);
  return std::pow(robust_spread(differences), 2) / 2;
}

/// A median: single slow slices make a segment of their own, but no level.
double level(std::span<const double> series, std::size_t from, std::size_t to) {
  return median({series.begin() + static_cast<std::ptrdiff_t>(from), series.begin() + static_cast<std::ptrdiff_t>(to)});
}

}  // namespace

std::vector<std::size_t> change_points(std::span<const double> series) {
  const std::size_t n = series.size();
  if (n < 2 * rules::least_segment) return {};
  const Stretches stretches(series);
  constexpr double rounding = 1e-18;  // series without noise: no change point for every last digit
  const double penalty = rules::change_penalty * (noise_variance(series) + rounding) * std::log(static_cast<double>(n));
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> previous(n + 1, 0);
  best[0] = -penalty;
  for (std::size_t end = rules::least_segment; end <= n; ++end) {
    for (std::size_t begin = 0; begin + rules::least_segment <= end; ++begin) {
      const double cost = best[begin] + stretches.cost(begin, end) + penalty;
      if (cost < best[end]) {
        best[end] = cost;
        previous[end] = begin;
      }
    }
  }
  std::vector<std::size_t> points;
  for (std::size_t at = previous[n]; at > 0; at = previous[at]) points.push_back(at);
  std::reverse(points.begin(), points.end());
  return points;
}

WarmUp classify_warm_up(std::span<const double> slice_seconds, double delta) {
  std::vector<double> logs;
  for (const double seconds : slice_seconds) logs.push_back(std::log(seconds));
  WarmUp result;
  if (logs.empty()) return result;
  std::vector<std::size_t> ends = change_points(logs);
  ends.push_back(logs.size());
  std::vector<double> levels;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    levels.push_back(level(logs, begin, end));
    begin = end;
  }
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (std::abs(levels[i] - levels.back()) > delta) result.prefix = ends[i];
  }
  result.change = levels.front() - levels.back();
  if (result.prefix == 0) return result;
  const bool got_slower = levels.back() > *std::min_element(levels.begin(), levels.end()) + delta;
  result.state = got_slower ? SteadyState::slow_down : SteadyState::warm_up;
  if (2 * result.prefix > logs.size()) {
    result.state = SteadyState::none;
    result.prefix = 0;
  }
  return result;
}

std::vector<std::int64_t> shared_warm_ups(std::span<const FreshStart> arms, double seconds) {
  std::vector<std::int64_t> shared;
  for (const FreshStart& own : arms) {
    std::int64_t steps = own.steps;
    for (const FreshStart& other : arms) {
      if (static_cast<double>(other.steps) * own.step_seconds <= seconds) steps = std::max(steps, other.steps);
    }
    shared.push_back(steps);
  }
  return shared;
}

}  // namespace regatta::stats

#include "regatta/stats/two_samples.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "regatta/stats/summaries.hpp"

namespace regatta::stats {
namespace {

constexpr std::size_t most_exact = 200;  // values of both sides

/// In how many of the orders of both samples exactly u = 0 .. most of the pairs are x_i < y_j: coefficients of the
/// product over i of (1 - q^(y + i)) / (1 - q^i).
std::vector<double> orders_by_count(std::size_t x, std::size_t y, std::size_t most) {
  std::vector<double> orders(most + 1, 0.0);
  orders[0] = 1;
  for (std::size_t i = 1; i <= x; ++i) {
    for (std::size_t u = most + 1; u-- > y + i;) orders[u] -= orders[u - y - i];
    for (std::size_t u = i; u <= most; ++u) orders[u] += orders[u - i];
  }
  return orders;
}

double log_choose(std::size_t n, std::size_t k) {
  const auto log_factorial = [](std::size_t of) { return std::lgamma(static_cast<double>(of) + 1); };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

std::vector<double> sorted_differences(std::span<const double> x, std::span<const double> y) {
  std::vector<double> differences;
  differences.reserve(x.size() * y.size());
  for (const double of_x : x) {
    for (const double of_y : y) differences.push_back(of_x - of_y);
  }
  std::sort(differences.begin(), differences.end());
  return differences;
}

/// The interval is [c-th smallest, c-th largest difference]; 0: none is wide enough.
std::size_t interval_rank(std::size_t x, std::size_t y, double alpha) {
  std::size_t low = 0;
  std::size_t high = x * y / 2 + 1;  // the answer is below it
  while (low + 1 < high) {
    const std::size_t middle = low + (high - low) / 2;
    (rank_sum_probability(x, y, middle - 1) <= alpha / 2 ? low : high) = middle;
  }
  return low;
}

}  // namespace

double rank_sum_probability(std::size_t x, std::size_t y, std::size_t count) {
  const std::size_t pairs = x * y;
  if (count >= pairs) return 1;
  if (x + y > most_exact) {
    const auto mean = static_cast<double>(pairs) / 2;
    const double deviation = std::sqrt(static_cast<double>(pairs) * static_cast<double>(x + y + 1) / 12);
    return std::erfc((mean - static_cast<double>(count) - 0.5) / deviation / std::numbers::sqrt2) / 2;
  }
  if (2 * count >= pairs) return 1 - rank_sum_probability(x, y, pairs - count - 1);  // counts are symmetric
  const auto orders = orders_by_count(std::min(x, y), std::max(x, y), count);
  return std::accumulate(orders.begin(), orders.end(), 0.0) * std::exp(-log_choose(x + y, x));
}

Estimate shift(std::span<const double> x, std::span<const double> y, double alpha) {
  const auto differences = sorted_differences(x, y);
  Estimate found{median(differences), {}};
  if (x.size() < rules::fewest_units || y.size() < rules::fewest_units) return found;
  const std::size_t rank = interval_rank(x.size(), y.size(), alpha);
  if (rank > 0) found.range = {differences[rank - 1], differences[differences.size() - rank]};
  return found;
}

double shift_p_value(std::span<const double> x, std::span<const double> y, double bound) {
  if (x.empty() || y.empty()) return 1;
  const auto differences = sorted_differences(x, y);
  const auto not_above = std::upper_bound(differences.begin(), differences.end(), bound) - differences.begin();
  const auto not_below = differences.end() - std::lower_bound(differences.begin(), differences.end(), -bound);
  const auto least = static_cast<std::size_t>(std::min(not_above, not_below));
  return std::min(1.0, 2 * rank_sum_probability(x.size(), y.size(), least));
}

}  // namespace regatta::stats

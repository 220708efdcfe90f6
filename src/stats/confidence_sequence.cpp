#include "regatta/stats/confidence_sequence.hpp"

#include <algorithm>
#include <cmath>

namespace regatta::stats {
namespace {

/// From e(k, n) to e(k, n + 1).
double with_one_above(double e, std::size_t k, std::size_t n) {
  return e * 2 * (static_cast<double>(n - k) + 0.5) / static_cast<double>(n + 1);
}

/// From e(k, n) to e(k + 1, n), k < n.
double with_one_moved(double e, std::size_t k, std::size_t n) {
  return e * (static_cast<double>(k) + 0.5) / (static_cast<double>(n - k) - 0.5);
}

/// Raises `rank` while e(rank, n) is beyond the threshold: above 1, so that it ends before the middle.
void raise_rank(std::size_t& rank, double& wealth, std::size_t n, double threshold) {
  while (wealth >= threshold) {
    wealth = with_one_moved(wealth, rank, n);
    ++rank;
  }
}

Range ends(const std::vector<double>& sorted, std::size_t rank, double widening) {
  if (rank == 0) return {};
  return {sorted[rank - 1] - widening, sorted[sorted.size() - rank] + widening};
}

}  // namespace

double sign_e_value(std::size_t below, std::size_t n) {
  constexpr double log_pi = 1.1447298858494002;
  const auto k = static_cast<double>(below);
  const auto count = static_cast<double>(n);
  return std::exp(count * std::log(2.0) + std::lgamma(k + 0.5) + std::lgamma(count - k + 0.5) - log_pi -
                  std::lgamma(count + 1));
}

std::size_t sign_rank(std::size_t n, double alpha) {
  std::size_t rank = 0;
  double wealth = 1;
  for (std::size_t count = 0; count < n; ++count) {
    wealth = with_one_above(wealth, rank, count);
    raise_rank(rank, wealth, count + 1, 1 / alpha);
  }
  return rank;
}

Range sign_interval(std::vector<double> values, double alpha) {
  std::sort(values.begin(), values.end());
  return ends(values, sign_rank(values.size(), alpha), 0);
}

double e_value_outside(std::span<const double> values, Range range) {
  std::size_t fewest = 0;  // below the lower end
  std::size_t most = 0;    // below or at the upper end
  for (const double value : values) {
    fewest += value < range.low ? 1 : 0;
    most += value <= range.high ? 1 : 0;
  }
  const std::size_t least_evidence = std::clamp(values.size() / 2, fewest, most);
  return sign_e_value(least_evidence, values.size());
}

void ConfidenceSequence::add(double value, double widening) {
  sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), value), value);
  wealth_ = with_one_above(wealth_, rank_, sorted_.size() - 1);
  raise_rank(rank_, wealth_, sorted_.size(), threshold_);
  latest_ = ends(sorted_, rank_, widening);
  intersection_ = {std::max(intersection_.low, latest_.low), std::min(intersection_.high, latest_.high)};
}

}  // namespace regatta::stats

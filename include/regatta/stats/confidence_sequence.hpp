// Intervals of a median that hold whenever one chooses to stop (measuring.md R3): betting on the signs of
// x - m with the Krichevsky-Trofimov mixture, and Ville's inequality. No distribution is assumed; values need only be
// equally likely above and below the median whatever came before.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "regatta/stats/range.hpp"

namespace regatta::stats {

/// Wealth of the bet that m is not the median, after `n` values of which `below` lie below m:
/// 2^n Gamma(k + 1/2) Gamma(n - k + 1/2) / (pi n!). Its mean is 1 at every n if m is the median.
double sign_e_value(std::size_t below, std::size_t n);

/// r: the interval from `n` values is [r-th smallest, r-th largest]; 0 while there is none (n < 7 at alpha 0.05).
/// 0 < alpha < 1 here and below.
std::size_t sign_rank(std::size_t n, double alpha);

/// The interval from all `values` at once, for looks that do not decide when to stop.
Range sign_interval(std::vector<double> values, double alpha);

/// The smallest e-value over all medians inside [low, high]: evidence that the median lies outside of it. A value
/// equal to a median counts on the side that gives less evidence.
double e_value_outside(std::span<const double> values, Range range);

/// The interval after each further value, each intersected with all before it. One `add` costs O(n) moves.
class ConfidenceSequence {
 public:
  explicit ConfidenceSequence(double alpha) : threshold_(1 / alpha) {}

  /// `widening` >= 0 is added at both ends of the interval that this value completes.
  void add(double value, double widening = 0);

  /// The intersection so far; empty if the median has moved while it was measured.
  [[nodiscard]] Range range() const { return intersection_; }
  /// The interval from all values, not intersected with earlier ones.
  [[nodiscard]] Range latest() const { return latest_; }
  /// In increasing order.
  [[nodiscard]] const std::vector<double>& sorted() const { return sorted_; }

 private:
  double threshold_;
  std::vector<double> sorted_;
  std::size_t rank_ = 0;  ///< rank of the present interval
  double wealth_ = 1;     ///< sign_e_value(rank_, n): the next rank is due when it reaches the threshold
  Range intersection_, latest_;
};

}  // namespace regatta::stats

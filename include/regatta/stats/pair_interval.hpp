// The interval that pairs of fresh processes give from the first one on, and that holds whenever one looks
// (measuring.md R3, R4). Two bets are averaged. The first takes log ratios of pairs for normal values with an unknown
// spread, whose weights are given (a mixture of likelihood ratios: Robbins 1970). The second bets on signs and assumes
// no distribution. An average of e-values is an e-value. Logs are natural.
#pragma once

#include <span>
#include <vector>

#include "regatta/stats/confidence_sequence.hpp"
#include "regatta/stats/pair_spreads.hpp"
#include "regatta/stats/range.hpp"

namespace regatta::stats {

/// The moments of n >= 1 pairs that the first bet rests on.
struct PairMoments {
  double n = 0;
  double mean = 0;
  double sum_squares = 0;  ///< sum of squared distances from the mean
  /// The part of the variance of one pair that its squares explain.
  double within_variance = 0;
};

PairMoments moments_of(std::span<const double> values, double within_variance);

/// Log e-value of the first bet against the log ratio `theta`.
double log_spread_e_value(const PairMoments& pairs, double theta, const SpreadPrior& prior);

/// Distance from the mean at which that e-value reaches exp(log_threshold), to 0.1 %.
double spread_radius(const PairMoments& pairs, double log_threshold, const SpreadPrior& prior);

/// The hull of the log ratios against which both bets together do not reach 1 / alpha.
/// `sorted`: the values in increasing order.
Range pairs_interval(std::span<const double> sorted, const PairMoments& pairs, const SpreadPrior& prior, double alpha);

/// Evidence of both bets that the log ratio lies outside of [low, high]: the smallest e-value against any inside.
double pairs_evidence_outside(std::span<const double> values, const PairMoments& pairs, const SpreadPrior& prior,
                              Range range);

/// The interval after each further pair, each intersected with all before it.
class PairSequence {
 public:
  PairSequence(double alpha, const SpreadPrior& prior) : alpha_(alpha), prior_(prior), signs_(alpha) {}

  /// `within_variance`: from the squares of all pairs so far.
  void add(double value, double within_variance);

  /// The intersection so far; empty if the ratio moved while it was measured.
  [[nodiscard]] Range range() const { return intersection_; }
  /// The interval from all pairs, not intersected with earlier ones.
  [[nodiscard]] Range latest() const { return latest_; }
  /// The interval from signs alone, without an assumption about how pairs scatter. Infinite below 7 pairs at alpha
  /// 0.05.
  [[nodiscard]] Range signs() const { return signs_.range(); }
  [[nodiscard]] const std::vector<double>& sorted() const { return signs_.sorted(); }
  [[nodiscard]] const PairMoments& moments() const { return moments_; }

 private:
  double alpha_;
  SpreadPrior prior_;
  ConfidenceSequence signs_;
  PairMoments moments_;
  Range intersection_, latest_;
};

}  // namespace regatta::stats

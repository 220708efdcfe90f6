// How much pairs of fresh processes scatter: what is assumed of it before a comparison has pairs of its own, from
// the pairs of earlier comparisons (measuring.md R5). Spreads are standard deviations of the log ratio of a pair.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace regatta::stats {

/// The spreads that are thought possible: from 0.2 % to a factor of 2.8, each twice the one before.
inline constexpr std::array<double, 10> spread_levels = {.002, .004, .008, .016, .032, .064, .128, .256, .512, 1.024};
using OfSpreads = std::array<double, spread_levels.size()>;

/// The prior for a machine that has shown nothing yet, from pairs of five engines on two machines.
inline constexpr OfSpreads unknown_spreads = {.12, .17, .21, .21, .15, .08, .02, .03, .008, .002};

/// Weights of the spreads, which add up to 1.
struct SpreadPrior {
  OfSpreads weights = unknown_spreads;
  friend bool operator==(const SpreadPrior&, const SpreadPrior&) = default;
};

/// The pairs of one comparison, or of several together.
struct SpreadHistory {
  OfSpreads log_likelihoods = {};  ///< log likelihood of each spread, but for a constant
  double degrees = 0;              ///< degrees of freedom

  /// Pairs whose squared distances from their mean (of a clone: from 0) add up to `sum_squares`, with so many
  /// degrees of freedom. `within_variance`: the part of a pair's variance that its squares explain.
  void add(double sum_squares, double degrees_more, double within_variance);
  void add(const SpreadHistory& more);
  /// Without what was added before.
  void take_out(const SpreadHistory& part);
  /// The same spreads, that count for so much less.
  [[nodiscard]] SpreadHistory faded(double share) const;

  friend bool operator==(const SpreadHistory&, const SpreadHistory&) = default;
};

/// Histories by what was compared: two classes of processes, such as engines with their modes and threads.
class SpreadPool {
 public:
  /// Pairs of processes of these classes, in any order.
  void add(std::string_view a, std::string_view b, const SpreadHistory& pairs);

  /// The same of all that another pool holds.
  void add(const SpreadPool& more);

  /// By the two classes, "a | b", the first in the alphabet first.
  [[nodiscard]] const std::map<std::string, SpreadHistory, std::less<>>& histories() const { return of_pair_; }
  void add(const std::string& classes, const SpreadHistory& pairs) { of_pair_[classes].add(pairs); }

  [[nodiscard]] bool is_empty() const { return of_pair_.empty(); }

  /// The history of pairs of these two classes, and of pairs of clones of either.
  [[nodiscard]] SpreadHistory of(std::string_view a, std::string_view b) const;

  friend bool operator==(const SpreadPool&, const SpreadPool&) = default;

 private:
  std::map<std::string, SpreadHistory, std::less<>> of_pair_;
};

/// The weights after `history`. It counts for twelve degrees of freedom at most, because a machine changes, and for one
/// half, because the code that is compared now may scatter more than what was compared before.
SpreadPrior prior_from(const SpreadHistory& history);

/// A typical spread by these weights: their geometric mean.
double usual_spread(const SpreadPrior& prior);

}  // namespace regatta::stats

// The resolution of a comparison, and the number of further pairs of processes that a finer one takes (measuring.md
// R3). Logs are natural.
#pragma once

#include <cstddef>
#include <optional>

#include "regatta/stats/verdict.hpp"

namespace regatta::stats {

/// The present knowledge of a log ratio.
struct Known {
  double estimate = 0;
  Range range;  ///< infinite without an interval
  PairMoments pairs;
};

/// The smallest relative difference that would have been told: an estimate so large, with an interval as wide as this
/// one and evidence of at least `needed_evidence` (what e-BH asks, R12). Infinite without an interval.
double resolution_of(const Known& known, const JudgeOptions& options, double needed_evidence);

/// Pairs in all, with those that there are, until so small a relative difference is told. Nothing where 200 are not
/// enough, where `target` is not above the margin, or without a pair.
std::optional<std::size_t> pairs_for(double target, const Known& known, const JudgeOptions& options,
                                     double needed_evidence);

/// The default target: twice the margin, at least 2 %.
double usual_target(const JudgeOptions& options);

}  // namespace regatta::stats

// How soon runs reach the target of the objective; a run that does not is censored, and no mean is over the others
// alone (quality.md, Q6).
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "regatta/analysis/learning.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::analysis {

/// Where a run reached it; infinite: it did not before it ended.
struct Arrival {
  double samples = 0;
  double train_seconds = 0;
  double all_seconds = 0;  ///< with evaluations
};

/// By the run's seed.
using Arrivals = std::map<std::int64_t, Arrival>;

/// At the first of two evaluations in a row that hold it. Nothing without a target.
std::optional<Arrival> arrival_of(const results::LegRow& leg, const sweep::Objective& objective);

Target target_of(const Arrivals& arrivals);

/// Seconds of training against the leader's, paired by seed. Where only one of both arrives the ratio is 0 or infinite;
/// where none does the pair says nothing.
stats::Estimate ratio_to_leader(const Arrivals& leader, const Arrivals& row);

}  // namespace regatta::analysis

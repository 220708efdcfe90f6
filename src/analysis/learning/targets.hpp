// How soon runs reach the target of the objective; a run that does not is censored, and no mean is over the others
// alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "regatta/analysis/learning.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::analysis {

/// Where a run reached it; infinite: it did not before it ended.
struct Arrival {
  double samples = 0;
  double train_seconds = 0;
  double all_seconds = 0;  ///< with evaluations
  double with_start = 0;   ///< and with preparation and a cold start; NaN: not known
};

/// By the run's seed.
using Arrivals = std::map<std::int64_t, Arrival>;

/// At the first of two evaluations in a row that hold it. Nothing without a target. `cold_start` in seconds: NaN where
/// none is known.
std::optional<Arrival> arrival_of(const results::LegRow& leg, const sweep::Objective& objective, double cold_start);

/// By engine, of all processes that trained anything.
std::vector<ColdStart> cold_starts_of(const std::vector<results::TrialRow>& trials,
                                      const std::vector<results::LegRow>& legs);
/// The engine's in seconds; NaN: not known.
double cold_start_of(const std::vector<ColdStart>& starts, const std::string& engine);

Target target_of(const Arrivals& arrivals);

/// Seconds of training against the leader's, paired by seed. Where only one of both arrives the ratio is 0 or infinite;
/// where none does the pair says nothing.
stats::Estimate ratio_to_leader(const Arrivals& leader, const Arrivals& row);

}  // namespace regatta::analysis

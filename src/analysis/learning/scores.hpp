// The score of a run, from one of its legs, in the terms of the objective.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "regatta/results/tables.hpp"
#include "regatta/search/verdict.hpp"
#include "regatta/stats/range.hpp"

namespace regatta::analysis {

/// The objective at the run's best evaluation; nothing if it failed, diverged or has none.
std::optional<double> score_of(const results::LegRow& leg, const sweep::Objective& objective);

/// The test part's figure for the objective: of its own kind.
std::optional<double> test_of(const results::LegRow& leg, const sweep::Objective& objective);

/// The part of the horizon that a leg trained: less than was asked for where the run ended early.
double trained_part_of(const results::LegRow& leg, const sweep::Training& training);

search::Figure figure_of(const std::map<std::int64_t, double>& by_seed);

/// Differences under seeds that both have.
struct Paired {
  stats::Estimate difference;  ///< first minus second, their mean; NaN without a pair
  std::size_t pairs = 0;
  std::optional<double> correlation;  ///< nothing where one of them does not vary, or below three pairs
};
Paired paired(const search::Figure& first, const search::Figure& second, double alpha);

}  // namespace regatta::analysis

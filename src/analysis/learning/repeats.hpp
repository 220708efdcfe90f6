// Whether a training that is run once more under its own seed gives the same bits.
#pragma once

#include <vector>

#include "regatta/analysis/learning.hpp"

namespace regatta::analysis {

/// What is to be repeated once everything is over that decides anything: of each engine the best configuration whose
/// first run has a curve. One repeat tells of its engine, whoever leads later.
std::vector<DueLeg> repeats_due(const sweep::Sweep& sweep, const std::vector<results::TrialRow>& trials,
                                const std::vector<results::LegRow>& legs);

/// What was repeated, beside the first runs.
std::vector<Repeat> repeats_of(const std::vector<results::TrialRow>& trials, const std::vector<results::LegRow>& legs);

}  // namespace regatta::analysis

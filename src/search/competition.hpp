// Rung by rung: who goes on. A cut is made when every entry of its rung has a run, so that neither the order nor the
// time in which they came enters it.
#pragma once

#include <vector>

#include "search/core.hpp"

namespace regatta::search {

Competition compete(const Problem& problem, const Records& records);

/// How many of a rung's entries, best first, go on to the next: one of `factor`, and near-ties; at least 2 with a
/// score.
std::size_t cut(const Rung& rung, double factor);

/// Configurations that left before the last rung, or have no score there; in the order of rungs.
std::vector<Stopped> stopped_of(const Problem& problem, const Competition& competition);

/// One in eight of those that were stopped with a score, drawn.
std::vector<TrainedOn> trained_on_of(const Problem& problem, const Competition& competition);

}  // namespace regatta::search

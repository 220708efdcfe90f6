// The legs that a search trains next (docs/guide/training.md). It knows recorded runs alone. Their order, and how often
// the search was resumed, do not change what is trained next.
#pragma once

#include <span>
#include <vector>

#include "regatta/search/problem.hpp"

namespace regatta::search {

/// The legs that can be trained now and are not recorded; first those that others wait for. Empty: the search is over.
/// Each leg stands in `runs` at most once; runs that the search did not ask for change nothing.
std::vector<Due> due(const Problem& problem, std::span<const Done> runs);

}  // namespace regatta::search

// What goes on in a search (docs/guide/training.md). All that is known are runs that are recorded: whatever order they
// came in, and however often the search was resumed, the same is trained next.
#pragma once

#include <span>
#include <vector>

#include "regatta/search/problem.hpp"

namespace regatta::search {

/// What can be trained now and is not recorded, first what others wait for; nothing: the search is over. Each leg
/// stands in `runs` at most once; runs that the search did not ask for change nothing.
std::vector<Due> due(const Problem& problem, std::span<const Done> runs);

}  // namespace regatta::search

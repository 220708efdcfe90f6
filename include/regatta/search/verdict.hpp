// The findings of a search, from its recorded runs.
#pragma once

#include <span>

#include "regatta/search/findings.hpp"
#include "regatta/search/problem.hpp"

namespace regatta::search {

/// A pure function of what is recorded, in whatever order; of an unfinished search as far as it got.
Verdict verdict(const Problem& problem, std::span<const Done> runs);

}  // namespace regatta::search

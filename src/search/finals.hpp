// The configurations that train again under fresh seeds, and the legs due of that.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "search/core.hpp"

namespace regatta::search {

/// Configurations with a score in the last rung, best first; empty before that rung is complete.
std::vector<Contender> contenders_of(const Problem& problem, const Competition& competition);

/// Whether `other` is worse than the best of so many contenders by more than the margin, at alpha / (contenders - 1):
/// whichever of them the best is, the truly best one is left out with alpha at most.
bool shown_worse(const Contender& best, const Contender& other, std::size_t contenders, const Noise& noise,
                 double margin);

/// The contenders that are not shown to be worse than the best, best first.
std::vector<Contender> near_the_best(const Problem& problem, const Competition& competition);

/// The contenders that train again: the best, at most as many as the search says.
std::vector<Contender> finalists_of(const Problem& problem, const Competition& competition);

/// A finalist under a fresh seed, and that run on the test part.
Due fresh_leg(std::size_t configuration, std::int64_t seed);
Due test_leg(std::size_t configuration, std::int64_t seed);

/// Fresh runs, and once all of them are recorded what opens the test part for those that have a score.
std::vector<Due> finals_due(const Problem& problem, const Records& records, std::span<const Contender> finalists);

/// From sweep::first_fresh_seed on.
std::vector<std::int64_t> fresh_seeds(const Problem& problem);

}  // namespace regatta::search

// Leader and set, from fresh validation alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "regatta/stats/range.hpp"

namespace regatta::search {

/// Goodness of a finalist under each fresh seed; nothing: it diverged or failed.
using FreshRuns = std::map<std::int64_t, std::optional<double>>;

/// A finalist beside the leader.
struct Place {
  stats::Estimate behind;  ///< goodness of the leader minus its own, over seeds under which both have one
  std::size_t pairs = 0;
  bool in_set = true;
};

struct FinalSet {
  std::size_t leader = 0;  ///< position among the finalists
  std::vector<Place> places;
};

/// The leader has the best mean among those with at least 7 scores, or else among those with most. Left out is who is
/// worse by more than the margin, or diverges more often by a sign test, each at alpha / (k - 1). Nothing where nobody
/// has a score.
std::optional<FinalSet> final_set(std::span<const FreshRuns> finalists, double margin);

/// Whether a single run with this goodness, of a configuration that is not among them, leaves it possible that it
/// belongs into the set: the noise is that of all finalists under their fresh seeds.
bool might_belong(std::span<const FreshRuns> finalists, const FinalSet& set, double goodness, double margin);

/// Chance of at least `least` heads in so many tosses.
double chance_of_heads(std::size_t least, std::size_t tosses);

}  // namespace regatta::search

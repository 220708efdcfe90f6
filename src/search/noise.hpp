// How far apart runs are that differ in nothing but their seeds: what clones are for.
#pragma once

#include <span>

#include "search/core.hpp"

namespace regatta::search {

/// Each pair counts once, as it stood in the last of these rungs that both reached with a score: its earlier
/// differences are of the same two runs. Few clones get far, so most of them may tell of less training, and of worse
/// configurations, than those that are judged: both scatter more, and the intervals are too wide rather than too short.
Noise noise_of(std::span<const Rung> rungs);

}  // namespace regatta::search

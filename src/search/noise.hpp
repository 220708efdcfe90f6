// How far apart runs are that differ in nothing but their seeds: what clones are for.
#pragma once

#include <span>

#include "search/core.hpp"

namespace regatta::search {

/// After the last of these rungs, by the pairs that stand in it. Below three pairs those that were stopped before tell
/// it, too, each as it stood in the last rung that both reached with a score: less training scatters more, so that
/// intervals are too wide rather than too short.
Noise noise_of(std::span<const Rung> rungs);

}  // namespace regatta::search

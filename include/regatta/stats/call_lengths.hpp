// Whether the time of a step depends on how many of them one call takes (measuring.md R6).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "regatta/stats/samples.hpp"
#include "regatta/stats/time_lines.hpp"

namespace regatta::stats {

/// The calls that one process made before it was scored.
using PilotCalls = std::vector<CallTime>;

/// From the samples of one arm of a block, in the order of time: one entry for each process whose pilot tried lengths.
/// A call is an unscored slice of one sample.
std::vector<PilotCalls> pilot_calls(std::span<const Sample> of_arm);

struct CallLengths {
  double misfit = 0;          ///< log: how far calls of one length are off a line through all, less their scatter
  double shortest_steps = 0;  ///< shortest call that was tried
  double longest_steps = 0;   ///< longest one
};

/// Disturbances only make a call longer, so the fastest of each length counts; the distance to the next fastest tells
/// its scatter. The median of several pilots counts. The most disturbed would find something every time, the least
/// would find less the more there are. Nothing where no pilot tried at least 3 lengths.
std::optional<CallLengths> call_lengths(std::span<const PilotCalls> pilots);

}  // namespace regatta::stats

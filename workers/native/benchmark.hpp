// The timed loop.
#pragma once

#include <vector>

#include "arm.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/stats/samples.hpp"

namespace regatta::worker {

/// Runs a slice: re-entry steps, then the others, `group` steps to a sample. Throws std::invalid_argument for counts
/// that make no slice or more samples than fit into 128 MiB.
std::vector<stats::Sample> run_slice(Arm& arm, const protocol::Slice& request);

}  // namespace regatta::worker

// Unexplained deaths: each counts for the arm that ran; an arm that died too often is dropped.
#pragma once

#include "schedule/core.hpp"

namespace regatta::schedule {

/// Counts a death of `arm`; at Options.attempts of them the arm is dropped with this cause. Returns
/// whether the block has an arm left to run.
bool count_death(Core& core, BlockIndex block, ArmIndex arm, const Cause& cause);

/// No device is left for this block: its arms that died on one are dropped with how they died last.
void drop_arms_of_device(Core& core, BlockIndex block);

/// The arms of `block` that are not to be run any more, in the order they were dropped.
std::vector<std::pair<ArmIndex, Cause>> dropped_arms(const Core& core, BlockIndex block);

}  // namespace regatta::schedule

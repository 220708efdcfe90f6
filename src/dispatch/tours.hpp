// Which blocks are visited in tours: those whose arms need the same processes (measuring.md, R19).
#pragma once

#include <cstdint>
#include <vector>

#include "regatta/schedule/events.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::dispatch {

/// Numbers the tours of these blocks from 1, in BlockRequest::tour. Blocks go together whose arms differ in nothing but
/// what is built in their processes: model, batch, length and the like; some may lack the last arms of others. There
/// are as many tours as agents, where there are enough blocks, so that no agent waits for another one's tour to end.
void number_tours(const sweep::Sweep& sweep, const sweep::Plan& plan, std::uint32_t agents,
                  std::vector<schedule::BlockRequest>& blocks);

}  // namespace regatta::dispatch

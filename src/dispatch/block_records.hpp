// The journal's record of a block, made of its plan and an agent's report.
#pragma once

#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/results/records.hpp"
#include "regatta/sweep/plan.hpp"

namespace regatta::dispatch {

/// Wall time that the block took of its slot; others may have taken turns with it.
double own_seconds(const protocol::BlockResult& result);

/// A block that an agent ran.
results::BlockRecord record_of(const sweep::Plan& plan, AgentId agent, const protocol::BlockResult& result);

/// A block that was given up or refused: `arms` say why.
results::BlockRecord record_without_run(const sweep::Plan& plan, const sweep::Block& block, AttemptId attempt,
                                        const std::vector<sweep::ArmOutcome>& arms, double wall_seconds);

}  // namespace regatta::dispatch

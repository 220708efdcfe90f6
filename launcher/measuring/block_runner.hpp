// One block from its grant to its result: prepare the arms, pilot, interleave slices.
#pragma once

#include <variant>

#include "measuring/worker_arm.hpp"
#include "regatta/protocol/messages.hpp"

namespace regatta::launcher {

using BlockOutcome = std::variant<protocol::BlockResult, protocol::AttemptFailed>;

/// Runs the block. A worker's unexplained death ends the attempt; an arm that ends by itself leaves the others alone.
BlockOutcome run_block(Bench& bench, const sweep::Block& block, AttemptId attempt,
                       const std::vector<protocol::DroppedArm>& dropped);

}  // namespace regatta::launcher

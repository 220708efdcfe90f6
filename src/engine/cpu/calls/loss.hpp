// Losses: from the operation's parts to kernels.
#pragma once

#include "engine/cpu/calls/call.hpp"

namespace regatta::engine::cpu {

/// Runs those parts of the loss that `op` asks for.
void run_loss(const Call& call, const Loss& op);

}  // namespace regatta::engine::cpu

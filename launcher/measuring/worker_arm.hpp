// An arm that is a model inside a worker.
#pragma once

#include <memory>

#include "measuring/process_arm.hpp"

namespace regatta::launcher {

/// `task` outlives the arm.
std::unique_ptr<ProcessArm> make_worker_arm(AgentSlot& slot, const sweep::ArmTask& task, ArmPlace place);

}  // namespace regatta::launcher

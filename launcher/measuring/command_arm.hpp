// An arm of the engine `command`: each step is one run of a program.
#pragma once

#include <memory>
#include <string>

#include "measuring/measuring.hpp"
#include "measuring/process_arm.hpp"

namespace regatta::launcher {

/// `task`, which names a command, outlives the arm.
std::unique_ptr<ProcessArm> make_command_arm(AgentSlot& slot, const sweep::ArmTask& task, ArmPlace place);

/// The time under `key`, in seconds. Throws InputError if there is none, or one that no work can take.
double metric_of(const ToldNumbers& told, const std::string& key);

}  // namespace regatta::launcher

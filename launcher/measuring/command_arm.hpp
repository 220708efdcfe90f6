// An arm of the engine `command`: each step is one run of a program.
#pragma once

#include <memory>
#include <string>

#include "measuring/process_arm.hpp"

namespace regatta::launcher {

/// `task`, which names a command, outlives the arm.
std::unique_ptr<ProcessArm> make_command_arm(AgentSlot& slot, const sweep::ArmTask& task, ArmPlace place);

/// The number under `key` of the JSON object in the last line of `output` that is one, in seconds.
/// Throws InputError saying what stands there instead.
double metric_of(const std::string& output, const std::string& key);

}  // namespace regatta::launcher

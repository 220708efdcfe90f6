// An arm of the engine `command`: each step is one run of a program.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "measuring/measuring.hpp"
#include "measuring/process_arm.hpp"
#include "measuring/program_gang.hpp"

namespace regatta::launcher {

/// `task`, which names a command, outlives the arm. `timeouts`: what one that runs too long means.
std::unique_ptr<ProcessArm> make_command_arm(AgentSlot& slot, const sweep::ArmTask& task, ArmPlace place,
                                             Timeouts timeouts, ProgramGroup group);

/// The time under `key`, in seconds; without a unit it is one of seconds. Throws InputError if there is none, or one
/// that no work can take.
double metric_of(const ToldNumbers& told, const std::string& key);

}  // namespace regatta::launcher

// The engine `command`: each step is one run of a program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measuring/worker_arm.hpp"

namespace regatta::launcher {

/// Runs the program `steps` times. Throws ArmEnded if it fails by its own exit status or prints no
/// such metric, WorkerDied if it is killed or hangs.
std::vector<stats::Sample> run_command_slice(Bench& bench, Arm& arm, stats::Phase phase, std::uint32_t slice,
                                             std::int64_t steps);

/// The number under `key` of the JSON object in the last line of `output` that is one, in seconds.
/// Throws InputError saying what stands there instead.
double metric_of(const std::string& output, const std::string& key);

}  // namespace regatta::launcher

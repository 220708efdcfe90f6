// What the checkpoints of a training are called: trainings that may go on from one another share a name.
#pragma once

#include <filesystem>
#include <string>

#include "regatta/measure/arms.hpp"
#include "regatta/sweep/block_task.hpp"

namespace regatta::launcher {

/// Where and on what a training runs.
struct TrainedOn {
  std::filesystem::path run_folder;
  std::filesystem::path data;  ///< empty: a loop of the user's own has no file
  std::string environment;
};

/// "0123...cdef.safetensors": a digest of the trial, of what it is trained on and of how far.
std::string checkpoint_name(const sweep::ArmTask& task, const measure::TrainRequest& request, const TrainedOn& on);

}  // namespace regatta::launcher

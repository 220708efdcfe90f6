// Weights and batches: written once per node, read by every engine, so that all do the same work.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "children/spawner_client.hpp"
#include "regatta/base/error.hpp"
#include "regatta/sweep/block_task.hpp"

namespace regatta::launcher {

struct DoesNotFit : InputError {
  using InputError::InputError;
};

struct InputPaths {
  std::string weights;  ///< empty if the model has none
  std::string batches;  ///< empty if it reads none
  std::string data;     ///< all samples, for a trial that is trained; then there are no batches
};

/// Where inputs live and who writes them.
struct InputStore {
  std::filesystem::path folder;    ///< NAME.regatta/inputs
  std::filesystem::path worker;    ///< regatta-worker
  std::filesystem::path datasets;  ///< share/regatta/datasets
  std::string log_path;
};

/// The files of a trial that has a model, made by `regatta-worker weights` if they are not there yet. They are named by
/// the hash of all they depend on and appear by rename, so that ranks of a node may race.
/// Throws InputError with the worker's words if it refuses, StorageError if they cannot be written, CouldNotStart if it
/// is missing, WorkerDied if it is killed or hangs.
/// Throws DoesNotFit, an InputError, where these data are for other models.
InputPaths ensure_inputs(const InputStore& store, SpawnerClient& spawner, const sweep::ArmTask& task, bool trains,
                         double timeout_seconds);

/// The requirements of a model on its samples: models with the same ones share a file.
std::string reads_of(const model::Model& model);

/// The output of `regatta-worker check` on the data of a trial that is to be trained; nothing if it died or took too
/// long.
std::optional<std::string> ask_about_data(const sweep::ArmTask& task, double timeout_seconds);

}  // namespace regatta::launcher

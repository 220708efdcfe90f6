// The parameters of a trial that an engine reads, and whether it can run the trial, on so many samples too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "regatta/model/model.hpp"
#include "regatta/sweep/parameters.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// Why the engine cannot run this trial (a named level it lacks, a layer it lacks, an impossible
/// shape), or nothing. `model` is null if the trial has none.
std::optional<std::string> skip_reason(const Parameters& parameters, const model::Model* model,
                                       Task task = Task::benchmark);

/// Whether the engine and model of `parameters` read `param`; what is not read becomes null.
bool reads(const Parameters& parameters, const model::Model* model, const Param& param);

/// Shards of each trial in a sweep that has ranks above 1, at most so many, and names no shards
/// (docs/guide/data-parallel.md).
inline constexpr std::int64_t usual_shards = 8;

/// Steps of one call of the trial's loop.
std::int64_t steps_per_call(const Parameters& parameters);

/// Cores that a trial computes on; 1 where it does not say.
std::int64_t threads_of(const Parameters& parameters);

/// Whether a step may return before it is done, so that stamps tell calls apart only where each is waited for: JAX, and
/// workers of the user's own, which nobody here knows.
bool hands_over_steps(const Sweep& sweep, const Parameters& parameters);

/// How the ranks of the trial start, where it is a loop of the user's own whose environment says so; else once.
Launch launch_of_loop(const Sweep& sweep, const Parameters& parameters);

/// Whether each step is a process of its own: a program that the sweep names.
bool is_program(const Parameters& parameters);

/// The parameters but those that say how ranks share the steps. Trainings that are equal in these learn the same.
Parameters without_ranks(Parameters parameters);

/// How the samples that a run trains on are parted: the worker does it, and who plans looks ahead.
struct TrainingParts {
  std::int64_t training = 0;    ///< samples
  std::int64_t validation = 0;  ///< samples
};

/// `samples`: both parts together; `share`: `validation` of the sweep's "train"; `own`: samples of a validation part
/// that the data bring along, 0 if a run draws it.
TrainingParts training_parts(std::int64_t samples, double share, std::int64_t own = 0);

/// Why no step of this batch can be made; nothing if it can.
std::optional<std::string> no_step_reason(const TrainingParts& parts, std::int64_t batch);

/// Why no run has a figure to choose by: the share is above 0 and holds no sample.
std::optional<std::string> no_validation_reason(const TrainingParts& parts, double share);

}  // namespace regatta::sweep

// What an engine reads of a trial's parameters, and whether it can run the trial.
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
std::optional<std::string> skip_reason(const Parameters& parameters, const model::Model* model);

/// Whether the engine and model of `parameters` read `param`; what is not read becomes null.
bool reads(const Parameters& parameters, const model::Model* model, Param param);

/// Steps of one call of the trial's loop.
std::int64_t steps_per_call(const Parameters& parameters);

/// Cores that a trial computes on; 1 where it does not say.
std::int64_t threads_of(const Parameters& parameters);

/// Whether a step may return before it is done, so that stamps tell calls apart only where each is waited for: JAX, and
/// workers of the user's own, which nobody here knows.
bool hands_over_steps(const Sweep& sweep, const Parameters& parameters);

/// Whether each step is a process of its own: a program that the sweep names.
bool is_program(const Parameters& parameters);

}  // namespace regatta::sweep

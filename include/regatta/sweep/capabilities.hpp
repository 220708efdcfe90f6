// What an engine reads of a trial's parameters, and whether it can run the trial.
#pragma once

#include <optional>
#include <string>

#include "regatta/model/model.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::sweep {

/// Why the engine cannot run this trial (a named level it lacks, a layer it lacks, an impossible
/// shape), or nothing. `model` is null if the trial has none.
std::optional<std::string> skip_reason(const Parameters& parameters, const model::Model* model);

/// Whether the engine and model of `parameters` read `param`; what is not read becomes null.
bool reads(const Parameters& parameters, const model::Model* model, Param param);

/// Whether each step is a process of its own: a program that the sweep names.
bool is_program(const Parameters& parameters);

}  // namespace regatta::sweep

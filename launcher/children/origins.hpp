// What the trials of a plan depend on beside their parameters, as it is on this host now: what programs, scripts and
// inputs hold, variables, versions (regatta/sweep/origins.hpp).
#pragma once

#include <filesystem>

#include "children/installations.hpp"
#include "regatta/sweep/origins.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::launcher {

/// Reads files piece by piece and asks interpreters for the versions of their libraries.
sweep::Origins origins_of(const sweep::Sweep& sweep, const sweep::Plan& plan, EnvironmentResolver& environments);

/// What tells the contents of a file apart: their length and checksum, or, beyond 1 GiB, their length and the time of
/// the last change. Throws InputError.
std::string file_state(const std::filesystem::path& file);

/// The same of data (regatta/base/data_path.hpp); of a folder and its subfolders how many files there are, and what
/// tells their names, lengths and times of the last change apart.
std::string data_state(const std::string& data);

}  // namespace regatta::launcher

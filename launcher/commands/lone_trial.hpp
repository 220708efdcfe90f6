// A sweep of one trial, made from the sweep that the trial came from.
#pragma once

#include <string>

#include "regatta/sweep/parameters.hpp"

namespace regatta::launcher {

/// The text of a sweep file: the same environments, commands, limits and measuring, one level for each parameter that
/// the trial reads, nothing compared and nothing explained. Throws InputError if a model that it writes out is not in
/// `sweep_json`, or if that is no JSON.
std::string lone_sweep(const std::string& sweep_json, const sweep::Parameters& trial);

}  // namespace regatta::launcher

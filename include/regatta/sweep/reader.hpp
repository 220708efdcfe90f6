// From JSON text to a valid Sweep, or one error that says where and what.
#pragma once

#include <filesystem>
#include <string>

#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// Reads and validates a sweep file, which may name the environments `outside` beside its own. Throws InputError
/// "FILE:LINE: /json/pointer: found X, expected Y; did you mean Z?".
Sweep read_sweep(const std::filesystem::path& file, OutsideEnvironments outside = {});

/// The same from text; `file` names it in errors and anchors relative paths.
Sweep parse_sweep(const std::string& text, const std::filesystem::path& file, OutsideEnvironments outside = {});

/// For a sweep that was accepted before, perhaps on another machine: its environments need not be here.
OutsideEnvironments any_environment();

/// Replaces or adds an axis from "axis=v,v" (the command line's --set). Throws InputError.
void set_axis(Sweep& sweep, const std::string& assignment);

}  // namespace regatta::sweep

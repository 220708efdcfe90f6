// Optional engines: "torch?" is measured where it is found, and left out elsewhere.
#pragma once

#include <optional>
#include <string>

#include "sweep/read/problem.hpp"

namespace regatta::sweep {

/// "torch" for the level "torch?" of the axis engine; nothing for any other.
std::optional<std::string> optional_engine(Param param, const Value& level);

/// Looks for the engine and writes into the sweep that it is left out if it is not found. What is wrong with the name,
/// or nothing; the problem's `found` is empty.
std::optional<json::Problem> take_optional_engine(Sweep& sweep, const std::string& engine);

/// Leaves out what another reading of the sweep left out ("--without engine=torch"); false for other changes.
bool leave_out_again(Sweep& sweep, const std::string& change);

}  // namespace regatta::sweep

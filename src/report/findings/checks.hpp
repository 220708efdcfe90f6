// What was checked beside the ratios, and what the checks said.
#pragma once

#include <string>
#include <vector>

#include "report/findings/view.hpp"

namespace regatta::report {

/// Identical code, same work, disturbed slices, and the order where it told: one sentence each; empty if the sweep
/// compares nothing. What contradicts a verdict stands in contradictions.hpp.
std::vector<std::string> checks_of(const View& view);

}  // namespace regatta::report

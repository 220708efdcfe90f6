// The cost of orchestrating a run, in words.
#pragma once

#include <string>
#include <vector>

#include "regatta/results/tables.hpp"

namespace regatta::report {

/// One sentence about the last session that tells, printable ASCII; empty if none does.
std::string orchestration_text(const std::vector<results::SessionRow>& sessions);

}  // namespace regatta::report

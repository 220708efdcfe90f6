// Trials of a comparison that take part in no contrast, and why.
#pragma once

#include <vector>

#include "analysis/judging/judge.hpp"
#include "regatta/analysis/contrast.hpp"

namespace regatta::analysis {

/// In the order of the plan; empty if the sweep compares nothing. Linear.
std::vector<NoContrast> no_contrasts(const Judge& judge, const std::vector<Contrast>& contrasts);

}  // namespace regatta::analysis

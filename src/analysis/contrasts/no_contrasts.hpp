// Trials of a comparison that take part in no contrast, and why.
#pragma once

#include <vector>

#include "analysis/judging/judge.hpp"
#include "regatta/analysis/contrast.hpp"

namespace regatta::analysis {

/// One entry for each reason, in order of its first trial. Empty if the sweep compares nothing. Linear.
std::vector<NoContrast> no_contrasts(const Judge& judge, const std::vector<Contrast>& contrasts);

}  // namespace regatta::analysis

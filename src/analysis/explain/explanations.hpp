// Explanations from what a file is judged by.
#pragma once

#include <vector>

#include "analysis/judging/judge.hpp"
#include "regatta/analysis/explanations.hpp"

namespace regatta::analysis {

/// In the order of the plan; empty if the sweep does not ask for it.
std::vector<Explanation> explanations(const Judge& judge);

}  // namespace regatta::analysis

// Whether one factor's ratio depends on another factor.
#pragma once

#include <vector>

#include "regatta/analysis/effect.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::analysis {

std::vector<Interaction> interactions_of(const results::Results& results, const Axes& axes);

}  // namespace regatta::analysis

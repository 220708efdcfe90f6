// Whether one factor's ratio depends on another factor.
#pragma once

#include <vector>

#include "analysis/judging/judge.hpp"
#include "regatta/analysis/effect.hpp"

namespace regatta::analysis {

std::vector<Interaction> interactions_of(const Judge& judge);

}  // namespace regatta::analysis

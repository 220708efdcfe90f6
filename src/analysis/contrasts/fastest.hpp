// The fastest of each setting, from what a file is judged by.
#pragma once

#include <vector>

#include "analysis/judging/judge.hpp"
#include "regatta/analysis/fastest.hpp"

namespace regatta::analysis {

std::vector<Fastest> fastest_of(const Judge& judge, const Contrasts& contrasts);

}  // namespace regatta::analysis

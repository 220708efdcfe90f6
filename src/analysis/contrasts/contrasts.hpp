// Contrasts from what a file is judged by.
#pragma once

#include "analysis/judging/judge.hpp"
#include "regatta/analysis/contrasts.hpp"

namespace regatta::analysis {

Contrasts contrasts(const Judge& judge);

}  // namespace regatta::analysis

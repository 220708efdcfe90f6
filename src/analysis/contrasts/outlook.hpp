// What a comparison can tell, and what it takes to tell more.
#pragma once

#include "analysis/judging/judge.hpp"
#include "regatta/analysis/contrast.hpp"

namespace regatta::analysis {

/// Sets `resolution` and, where that is above twice the margin (2 % at least), `outlook`. `needed_evidence`: what a
/// further discovery would need (R12).
void tell_resolution(Contrast& contrast, const Judge& judge, double needed_evidence);

}  // namespace regatta::analysis

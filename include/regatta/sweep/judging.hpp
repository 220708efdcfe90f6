// How the arms of a sweep are judged.
#pragma once

#include "regatta/stats/verdict.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// What the sweep file says about verdicts. Floor and process effect are what clones tell, so they are left unknown.
stats::JudgeOptions judge_options(const Measure& measure);

}  // namespace regatta::sweep

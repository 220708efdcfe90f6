// What the contrasts of a sweep say together: ranges and reversals over settings, means, crossovers along numeric axes,
// interactions of two factors, and when a slow start has paid.
#pragma once

#include "analysis/judging/judge.hpp"
#include "regatta/analysis/contrast.hpp"
#include "regatta/analysis/effect.hpp"

namespace regatta::analysis {

/// Linear in the samples.
Effects effects_of(const Judge& judge, const Contrasts& contrasts);

}  // namespace regatta::analysis

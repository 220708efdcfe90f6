// What the contrasts of a sweep say together: ranges and reversals over settings, means, crossovers along numeric axes,
// interactions of two factors, and when a slow start has paid.
#pragma once

#include "regatta/analysis/contrast.hpp"
#include "regatta/analysis/effect.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::analysis {

/// Linear in the samples.
Effects effects_of(const results::Results& results, const Contrasts& contrasts, const Axes& axes);

}  // namespace regatta::analysis

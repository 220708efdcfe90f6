// Effects: the contrasts of a sweep taken together. They are ranges and reversals over settings, means, crossovers
// along numeric axes, interactions of two factors, and the point at which a slow start has paid.
#pragma once

#include <vector>

#include "analysis/judging/judge.hpp"
#include "regatta/analysis/contrast.hpp"
#include "regatta/analysis/effect.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::analysis {

/// Linear in the samples.
Effects effects_of(const Judge& judge, const Contrasts& contrasts);

// crossings.cpp: Where along a numeric axis the faster arm of an effect changes.

std::vector<Crossing> crossings_of(const results::Results& results, const Contrasts& contrasts, const Axes& axes,
                                   const std::vector<Effect>& effects);

// interactions.cpp: Whether one factor's ratio depends on another factor.

std::vector<Interaction> interactions_of(const Judge& judge);

// pay_backs.cpp: After how many steps the slower starter of a contrast has made up for its start.

/// One for each contrast with cold starts of both arms whose starts differ; none where it is no question.
std::vector<PayBack> pay_backs_of(const Judge& judge, const Contrasts& contrasts);

}  // namespace regatta::analysis

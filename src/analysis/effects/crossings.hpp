// Where along a numeric axis the faster arm of an effect changes.
#pragma once

#include <vector>

#include "regatta/analysis/contrast.hpp"
#include "regatta/analysis/effect.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::analysis {

std::vector<Crossing> crossings_of(const results::Results& results, const Contrasts& contrasts, const Axes& axes,
                                   const std::vector<Effect>& effects);

}  // namespace regatta::analysis

// The parts of effects_of().
#pragma once

#include <vector>

#include "analysis/block_values.hpp"
#include "regatta/analysis/effects.hpp"

namespace regatta::analysis {

std::vector<Crossing> crossings_of(const results::Results& results, const Contrasts& contrasts, const Axes& axes,
                                   const std::vector<Effect>& effects);

std::vector<PayBack> pay_backs_of(const results::Results& results, const Contrasts& contrasts, const Axes& axes);

std::vector<Interaction> interactions_of(const results::Results& results, const Axes& axes);

/// Log ratio and its interval; nothing without one.
std::optional<stats::Estimate> log_estimate(const Contrast& contrast);

}  // namespace regatta::analysis

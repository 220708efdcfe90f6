// After how many steps the slower starter of a contrast has made up for its start.
#pragma once

#include <vector>

#include "regatta/analysis/contrast.hpp"
#include "regatta/analysis/effect.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::analysis {

std::vector<PayBack> pay_backs_of(const results::Results& results, const Contrasts& contrasts, const Axes& axes);

}  // namespace regatta::analysis

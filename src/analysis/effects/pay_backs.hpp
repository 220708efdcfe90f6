// After how many steps the slower starter of a contrast has made up for its start.
#pragma once

#include <vector>

#include "analysis/judging/judge.hpp"
#include "regatta/analysis/contrast.hpp"
#include "regatta/analysis/effect.hpp"

namespace regatta::analysis {

/// One for each contrast with cold starts of both arms whose starts differ; none where it is no question.
std::vector<PayBack> pay_backs_of(const Judge& judge, const Contrasts& contrasts);

}  // namespace regatta::analysis

// Trials of a comparison without a ratio, and why.
#pragma once

#include <string>
#include <vector>

#include "report/findings/view.hpp"

namespace regatta::report {

/// Trials without a ratio for the same reason.
struct NoRatio {
  std::vector<TrialIndex> trials;
  std::string reason;  ///< "no baseline here: ..."
};

/// One entry for each reason, in the order of its first trial. Linear.
std::vector<NoRatio> no_ratios(const View& view);

}  // namespace regatta::report

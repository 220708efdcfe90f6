// What trials of several ranks spend on summing gradients.
#pragma once

#include <string>
#include <vector>

#include "report/findings/view.hpp"

namespace regatta::report {

/// One line for each cell of several ranks that tells, in the order of the plan. Linear in the trials.
std::vector<std::string> exchange_lines(const View& view);

}  // namespace regatta::report

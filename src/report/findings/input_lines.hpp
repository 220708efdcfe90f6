// Whether Regatta's loader kept up with the steps that it fed.
#pragma once

#include <string>
#include <vector>

#include "report/findings/view.hpp"

namespace regatta::report {

/// One line for each cell whose steps waited for batches, in the order of the plan, then one for all others together;
/// none where no cell tells. Linear in the trials.
std::vector<std::string> input_lines(const View& view);

}  // namespace regatta::report

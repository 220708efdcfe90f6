// The figures of the HTML page: static, stretched by percent coordinates, readable without colour or script.
#pragma once

#include <string>

#include "report/view.hpp"

namespace regatta::report {

/// Ratios with their intervals on one logarithmic axis, grouped by setting; empty if there is no ratio.
std::string forest_figure(const View& view);

/// Median time against the numeric axis with most values, log-log, a line for each arm; empty if no such axis.
std::string line_figure(const View& view);

/// For each cell that was explained a ladder: its step, and what is left of it with one thing changed; empty if none
/// was.
std::string ladder_figure(const View& view);

}  // namespace regatta::report

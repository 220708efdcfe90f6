// On a terminal: trials with their times, for sweeps that compare nothing and for what has no ratio.
#pragma once

#include <string>
#include <vector>

#include "regatta/report/report.hpp"
#include "report/findings/view.hpp"
#include "report/terminal/style.hpp"

namespace regatta::report {

/// All trials if nothing was compared, else those that finished and stand in no ratio; at most `options.most_rows`.
std::string trial_table(const View& view, const TerminalOptions& options, const Style& style);

}  // namespace regatta::report

// The numbers of a setting as columns of a terminal's table; its words stand in a line of their own (heading_of).
#pragma once

#include <vector>

#include "report/findings/view.hpp"
#include "report/terminal/text_table.hpp"

namespace regatta::report {

/// A column for each number of the setting that one of the trials reads.
std::vector<Column> setting_columns(const View& view, const std::vector<TrialIndex>& trials);

}  // namespace regatta::report

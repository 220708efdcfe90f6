// How a terminal's tables name the setting of a row: its words in a line of their own, its numbers in columns.
#pragma once

#include <string>
#include <vector>

#include "report/findings/view.hpp"
#include "report/terminal/text_table.hpp"

namespace regatta::report {

/// The words of a trial's setting: "digits-mlp digits".
std::string heading_of(const View& view, TrialIndex trial);

/// A column for each number of the setting that one of the trials reads.
std::vector<Column> setting_columns(const View& view, const std::vector<TrialIndex>& trials);

}  // namespace regatta::report

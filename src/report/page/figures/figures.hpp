// The figures of the HTML page: static, stretched by percent coordinates, readable without colour or script. Beside
// each stand its figures as text or as a table. Empty if there is nothing to draw.
#pragma once

#include <string>

#include "report/findings/view.hpp"

namespace regatta::report {

/// Ratios with their intervals on one logarithmic axis, grouped by setting.
std::string forest_figure(const View& view);

/// Time against the numeric axis with most values, log-log: a line for each arm with its interval as a ribbon, where
/// the faster arm changes, and the least time that the calibrated cores allow.
std::string line_figure(const View& view);

/// Ratios over two factors: the axis with most levels across, arms and the rest of the setting down.
std::string heat_map(const View& view);

/// How many times as fast several ranks are, by how many there are, and which part of a step is exchange.
std::string ranks_figure(const View& view);

/// For each cell that was explained a ladder: its step, and what is left of it with one thing changed.
std::string ladder_figure(const View& view);

/// Where one arm starts faster and another steps faster: time since the process started against steps done.
std::string cold_start_figure(const View& view);

/// Every slice of a block in the order of time, one strip for each arm; folded. Blocks with something not known or
/// flagged first.
std::string slices_figure(const View& view);

/// What measuring the same code twice said, beside what plain loops would have said.
std::string clones_figure(const View& view);

/// The objective against samples and against seconds: finalists over their seeds, and the search's rungs in grey.
std::string learning_figure(const View& view);

}  // namespace regatta::report

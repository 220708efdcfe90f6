// The figures of the HTML page: static, stretched by percent coordinates, readable without colour or script. Beside
// each stand its figures as text or as a table. Empty if there is nothing to draw.
#pragma once

#include <string>
#include <vector>

#include "regatta/analysis/rank_scaling.hpp"
#include "report/findings/findings.hpp"
#include "report/findings/view.hpp"

namespace regatta::report {

/// Ratios with their intervals on one logarithmic axis, grouped by setting.
std::string forest_figure(const View& view);

/// Time against the numeric axis with most values, log-log: a line for each arm with its interval as a ribbon, where
/// the faster arm changes, and the least time that the calibrated cores allow.
std::string line_figure(const View& view);

/// Settings as rows, arms as marks on one logarithmic axis of ratios. Empty where no ratio has a place on it.
std::string overview_figure(const View& view, const ComparisonMatrix& matrix);

/// The same in figures: a table of ratios with their intervals, coloured by size, and its legend.
std::string matrix_html(const View& view, const ComparisonMatrix& matrix);

/// The results of programs over the axes of the sweep, a map for each of a few results; empty without results.
std::string study_figure(const View& view);

/// How many times as fast several ranks are, by how many there are, and which part of a step is exchange.
std::string ranks_figure(const View& view);

/// For each cell that was explained a ladder: its step, and what is left of it with one thing changed.
std::string ladder_figure(const View& view);

/// Where one arm starts faster and another steps faster: time since the process started against steps done.
std::string cold_start_figure(const View& view);

/// Every slice of a block in the order of time, one strip for each arm; folded. Blocks with something not known or
/// flagged first.
std::string slices_figure(const View& view);

/// The results of measuring the same code twice, beside what plain loops would have said.
std::string clones_figure(const View& view);

/// The objective against samples and against seconds: finalists over their seeds, and the search's rungs in grey.
std::string learning_figure(const View& view);

// log_axis.cpp: A logarithmic axis in percent of a figure's width or height, so that figures stretch without scaling
// text.

class LogAxis {
 public:
  /// Covers the positive finite ones of `values`, mapped to [first_percent, last_percent]; at least a factor
  /// of 1.2 is shown so that equal values do not fill the figure.
  LogAxis(const std::vector<double>& values, double first_percent, double last_percent);

  [[nodiscard]] double percent(double value) const;

  /// Round numbers (1, 2, 5 x 10^n; finer below a factor of 3) inside the range, about `wanted` of them.
  [[nodiscard]] std::vector<double> ticks(std::size_t wanted) const;

 private:
  double low_ = 0;   ///< log10
  double high_ = 1;  ///< log10
  double first_percent_;
  double last_percent_;
};

/// A coordinate as SVG wants it: "37.25%".
std::string percent_text(double percent);

// rank_gains.cpp: How many times as fast several ranks are as one.

/// Legend and drawing for a group that was judged. Speed-ups with their intervals stand against the number of ranks, a
/// line for each number of shards, beside the ideal.
std::string rank_gains(const analysis::RankScaling& group);

// rank_times.cpp: Where the time of a step goes by number of ranks.

/// Legend and a row for each cell: its mean step, divided where its worker tells of the exchange.
std::string rank_times(const analysis::RankScaling& group);

}  // namespace regatta::report

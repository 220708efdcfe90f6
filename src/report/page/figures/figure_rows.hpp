// Rows of a figure: a name, a drawing on the figure's common axis, and the same in words. To a screen reader they are a
// table without the drawing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "regatta/analysis/contrasts.hpp"
#include "report/page/figures/figures.hpp"

namespace regatta::report {

inline constexpr std::size_t most_ratio_ticks = 6;  ///< lines of a grid of ratios, and numbers below them
inline constexpr double row_middle = 13;            ///< pixels from the top; the drawing is 26 high

/// `rows` are figure_row()s.
std::string figure_rows(std::string_view label, const std::string& rows);

/// `name` is plain text, `drawing` SVG and `value` HTML.
std::string figure_row(std::string_view name, const std::string& drawing, const std::string& value);

/// A line with ends; coordinates as percent_text writes them.
std::string interval_bar(const std::string& low, const std::string& high);

/// The shape that tells verdicts apart without colour.
std::string verdict_mark(const std::string& x, stats::Verdict verdict);

/// A ratio with its interval, its verdict as a shape, and the band in which differences do not matter.
struct RatioMark {
  double ratio = 1;
  std::optional<double> low, high;
  double indifference = 0;  ///< margin, as a fraction
  stats::Verdict verdict = stats::Verdict::undecided;
};
std::string ratio_mark(const RatioMark& mark, const LogAxis& axis);

/// Grid lines behind the rows, and the row of numbers below them.
std::string ratio_grid(const LogAxis& axis);
std::string ratio_scale(const LogAxis& axis);

}  // namespace regatta::report

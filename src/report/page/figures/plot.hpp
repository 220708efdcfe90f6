// Parts of a figure with two axes. Coordinates are percent of the drawing, so that it stretches without its text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/page/figures/figures.hpp"

namespace regatta::report {

inline constexpr std::size_t series_count = 8;  ///< styles of the style sheet; more series take turns

/// A mark at a percent position; its shape tells the series apart without colour.
std::string series_mark(std::size_t series, const std::string& x, const std::string& y);

/// SVG whose own coordinates are percent of the figure around it; strokes keep their width.
std::string stretched(const std::string& svg);

/// A sign of 16 by 12 pixels and what it stands for, as plain text.
std::string legend_entry(const std::string& sign, std::string_view text);

/// Grid lines and numbers: measured values across, times up.
std::string value_scale(const LogAxis& axis, const std::vector<double>& values);
std::string time_scale(const LogAxis& axis);

/// The drawing itself; `label` says in words what a screen reader cannot see.
std::string plot(std::string_view label, const std::string& svg);

}  // namespace regatta::report

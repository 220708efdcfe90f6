#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "report/terminal/terminal.hpp"

namespace regatta::report {
namespace {

using Marks = std::array<std::string_view, 8>;

constexpr Marks blocks = {"\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"};
constexpr Marks ascii = {"_", ".", ":", "-", "=", "+", "#", "@"};

const Marks& marks_of(bool utf8) { return utf8 ? blocks : ascii; }

std::size_t column_of(std::int64_t samples, const SparklineScale& scale, std::size_t columns) {
  const double part = static_cast<double>(samples) / static_cast<double>(std::max<std::int64_t>(scale.samples, 1));
  const double column = std::ceil(part * static_cast<double>(columns)) - 1;  // a stretch holds its end
  return static_cast<std::size_t>(std::clamp(column, 0.0, static_cast<double>(columns - 1)));
}

std::string_view mark_of(double value, const SparklineScale& scale, const Marks& marks) {
  const double range = scale.high - scale.low;
  const double part = range > 0 ? (value - scale.low) / range : 1;
  const double level = std::floor(part * static_cast<double>(marks.size()));
  return marks[static_cast<std::size_t>(std::clamp(level, 0.0, static_cast<double>(marks.size() - 1)))];
}

}  // namespace

std::string_view lowest_mark(bool utf8) { return marks_of(utf8).front(); }
std::string_view highest_mark(bool utf8) { return marks_of(utf8).back(); }

std::string sparkline(const std::vector<std::pair<std::int64_t, double>>& points, const SparklineScale& scale,
                      std::size_t columns, bool utf8) {
  if (points.empty() || columns == 0) return std::string(columns, ' ');
  std::vector<std::optional<double>> values(columns);
  for (const auto& [samples, value] : points) values[column_of(samples, scale, columns)] = value;
  const std::size_t last = column_of(points.back().first, scale, columns);
  std::string text;
  std::optional<double> before;
  for (std::size_t column = 0; column < columns; ++column) {
    if (values[column]) before = values[column];
    if (column > last || !before)
      text += ' ';
    else
      text += mark_of(*before, scale, marks_of(utf8));
  }
  return text;
}

}  // namespace regatta::report

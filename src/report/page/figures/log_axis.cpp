#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page/figures/figures.hpp"

namespace regatta::report {
namespace {

const double least_span = std::log10(1.2);

}  // namespace

LogAxis::LogAxis(const std::vector<double>& values, double first_percent, double last_percent)
    : first_percent_(first_percent), last_percent_(last_percent) {
  std::vector<double> logs;
  for (const double value : values) {
    if (std::isfinite(value) && value > 0) logs.push_back(std::log10(value));
  }
  if (logs.empty()) return;
  const auto [low, high] = std::minmax_element(logs.begin(), logs.end());
  const double padding = std::max(0.0, least_span - (*high - *low)) / 2;
  low_ = *low - padding;
  high_ = *high + padding;
}

double LogAxis::percent(double value) const {
  if (!(value > 0)) return first_percent_;
  const double position = std::clamp((std::log10(value) - low_) / (high_ - low_), 0.0, 1.0);
  return first_percent_ + position * (last_percent_ - first_percent_);
}

std::vector<double> LogAxis::ticks(std::size_t wanted) const {
  // From coarse to fine, the last for what lies around 1: the first grid with enough marks, thinned if it has too many.
  const std::vector<std::vector<double>> grids = {{1},
                                                  {1, 3},
                                                  {1, 2, 5},
                                                  {1, 1.5, 2, 3, 4, 5, 6, 8},
                                                  {1, 1.1, 1.2, 1.3, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9},
                                                  {1, 1.01, 1.02, 1.03, 1.05, 1.1, 9, 9.5, 9.7, 9.8, 9.9}};
  std::vector<double> marks;
  for (const auto& grid : grids) {
    marks.clear();
    for (double decade = std::floor(low_); decade <= high_; ++decade) {
      for (const double mantissa : grid) {
        const double value = mantissa * std::pow(10, decade);
        const double log = std::log10(value);
        if (log >= low_ - 1e-9 && log <= high_ + 1e-9) marks.push_back(value);
      }
    }
    if (marks.size() >= std::min<std::size_t>(wanted, 3)) break;
  }
  const std::size_t every = std::max<std::size_t>(1, (marks.size() + wanted - 1) / std::max<std::size_t>(wanted, 1));
  std::vector<double> kept;
  for (std::size_t i = 0; i < marks.size(); i += every) kept.push_back(marks[i]);
  return kept;
}

std::string percent_text(double percent) { return fmt::format("{:.2f}%", percent); }

}  // namespace regatta::report

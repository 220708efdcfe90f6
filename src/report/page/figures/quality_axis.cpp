#include "report/page/figures/quality_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace regatta::report {
namespace {

constexpr double top = 6;
constexpr double bottom = 86;
constexpr std::size_t most_ticks = 7;

std::string grid_line(double at, const std::string& text) {
  const std::string y = percent_text(at);
  return fmt::format(R"(<line class="grid" x1="0" x2="100%" y1="{0}" y2="{0}"/><text x="0" y="{0}" dy="-4">{1}</text>)",
                     y, text);
}

}  // namespace

QualityAxis::QualityAxis(const analysis::Learning& learning, const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax_element(values);
  if (values.empty()) return;
  if (analysis::is_accuracy(learning.objective.metric)) {
    counts_errors_ = true;
    least_error_ = learning.parts.validation > 0 ? 0.5 / static_cast<double>(learning.parts.validation) : 1e-3;
    std::vector<double> errors;
    for (const double value : values) errors.push_back(std::max(1 - value, least_error_));
    log_.emplace(errors, top, bottom);
  } else if (*low > 0) {
    log_.emplace(values, bottom, top);
  } else {
    const double room = *high > *low ? 0 : 0.5;
    low_ = *low - room;
    high_ = *high + room;
  }
}

double QualityAxis::percent(double value) const {
  if (counts_errors_) return log_->percent(std::max(1 - value, least_error_));
  if (log_) return log_->percent(value);
  return bottom + (top - bottom) * (value - low_) / (high_ - low_);
}

std::string QualityAxis::scale() const {
  std::string svg;
  if (log_) {
    for (const double tick : log_->ticks(most_ticks)) {
      const std::string text = counts_errors_ ? fmt::format("{:.4g} %", 100 * (1 - tick)) : fmt::format("{:.3g}", tick);
      svg += grid_line(log_->percent(tick), text);
    }
    return svg;
  }
  for (int i = 0; i <= 4; ++i) {
    const double value = low_ + (high_ - low_) * i / 4;
    svg += grid_line(percent(value), fmt::format("{:.3g}", value));
  }
  return svg;
}

}  // namespace regatta::report

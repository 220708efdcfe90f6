#include "regatta/stats/crossover.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>

namespace regatta::stats {
namespace {

bool differs(const AxisPoint& point) { return point.verdict == Verdict::faster || point.verdict == Verdict::slower; }

/// Where the broken line through `value` of the points first (or last) crosses 0.
double zero(std::span<const AxisPoint> points, bool last, const std::function<double(const AxisPoint&)>& value) {
  std::optional<double> found;
  for (std::size_t i = 1; i < points.size() && (last || !found); ++i) {
    const double before = value(points[i - 1]);
    const double after = value(points[i]);
    if (before == after || before * after > 0) continue;
    found = points[i - 1].at + (points[i].at - points[i - 1].at) * before / (before - after);
  }
  return found.value_or(last ? points.back().at : points.front().at);
}

/// `points` begins with a faster and ends with a slower level, or the other way round; none between them differs.
Crossover crossover(std::span<const AxisPoint> points) {
  Crossover result;
  result.becomes_slower = points.back().verdict == Verdict::slower;
  const auto upper = [](const AxisPoint& p) { return p.log_ratio.range.high; };
  const auto lower = [](const AxisPoint& p) { return p.log_ratio.range.low; };
  const auto middle = [](const AxisPoint& p) { return p.log_ratio.value; };
  result.at.value = zero(points, false, middle);
  // Rising: the band holds 0 from where its upper edge crosses 0 until its lower edge does.
  if (result.becomes_slower) {
    result.at.range = {zero(points, false, upper), zero(points, true, lower)};
  } else {
    result.at.range = {zero(points, false, lower), zero(points, true, upper)};
  }
  return result;
}

}  // namespace

std::vector<Crossover> crossovers(std::vector<AxisPoint> points) {
  std::sort(points.begin(), points.end(), [](const auto& x, const auto& y) { return x.at < y.at; });
  const bool logarithmic = !points.empty() && points.front().at > 0;
  for (AxisPoint& point : points) {
    if (logarithmic) point.at = std::log(point.at);
  }
  std::vector<Crossover> found;
  std::optional<std::size_t> known;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!differs(points[i])) continue;
    if (known && points[*known].verdict != points[i].verdict) {
      found.push_back(crossover({points.data() + *known, i - *known + 1}));
    }
    known = i;
  }
  for (Crossover& each : found) {
    if (logarithmic) {
      each.at = {std::exp(each.at.value), {std::exp(each.at.range.low), std::exp(each.at.range.high)}};
    }
  }
  return found;
}

}  // namespace regatta::stats

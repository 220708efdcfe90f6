#include "regatta/stats/call_lengths.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

namespace regatta::stats {
namespace {

constexpr std::size_t least_lengths = 4;

std::vector<CallTime> mean_of_each_length(std::span<const CallTime> calls) {
  std::map<double, std::pair<double, double>> sums;  // seconds and calls of each length
  for (const CallTime& call : calls) {
    auto& [seconds, count] = sums[call.steps];
    seconds += call.seconds;
    count += 1;
  }
  std::vector<CallTime> means;
  for (const auto& [steps, sum] : sums) means.push_back({steps, sum.first / sum.second});
  return means;
}

}  // namespace

std::optional<CallLengthFit> fit_call_lengths(std::span<const CallTime> calls) {
  const auto means = mean_of_each_length(calls);
  if (means.size() < least_lengths) return std::nullopt;
  double sw = 0;  // weighted sums with w = 1 / seconds^2
  double sn = 0;
  double snn = 0;
  double st = 0;
  double snt = 0;
  for (const auto& [steps, seconds] : means) {
    const double w = 1 / (seconds * seconds);
    sw += w;
    sn += w * steps;
    snn += w * steps * steps;
    st += w * seconds;
    snt += w * steps * seconds;
  }
  CallLengthFit fit;
  fit.lengths = means.size();
  fit.per_step_seconds = (sw * snt - sn * st) / (sw * snn - sn * sn);
  fit.per_call_seconds = (st - fit.per_step_seconds * sn) / sw;
  for (const auto& [steps, seconds] : means) {
    const double fitted = fit.per_call_seconds + fit.per_step_seconds * steps;
    const double error = fitted > 0 ? std::abs(std::log(seconds / fitted)) : std::numeric_limits<double>::infinity();
    fit.residual = std::max(fit.residual, error);
  }
  return fit;
}

}  // namespace regatta::stats

#include "regatta/stats/call_lengths.hpp"

#include <map>
#include <vector>

#include "stats/relative_line.hpp"

namespace regatta::stats {
namespace {

constexpr std::size_t least_lengths = 4;

std::vector<std::pair<double, double>> mean_of_each_length(std::span<const CallTime> calls) {
  std::map<double, std::pair<double, double>> sums;  // seconds and calls of each length
  for (const CallTime& call : calls) {
    auto& [seconds, count] = sums[call.steps];
    seconds += call.seconds;
    count += 1;
  }
  std::vector<std::pair<double, double>> means;
  for (const auto& [steps, sum] : sums) means.emplace_back(steps, sum.first / sum.second);
  return means;
}

}  // namespace

std::optional<CallLengthFit> fit_call_lengths(std::span<const CallTime> calls) {
  const auto means = mean_of_each_length(calls);
  if (means.size() < least_lengths) return std::nullopt;
  const RelativeLine line = relative_line(means);
  CallLengthFit fit;
  fit.lengths = means.size();
  fit.per_step_seconds = line.slope;
  fit.per_call_seconds = line.intercept;
  fit.residual = line.misfit;
  return fit;
}

}  // namespace regatta::stats

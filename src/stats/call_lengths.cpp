#include "regatta/stats/call_lengths.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::stats {
namespace {

/// The fastest call of each length, and the largest distance (log) from one to the next fastest of its length.
struct Fastest {
  std::vector<CallTime> calls;
  double scatter = 0;
};

Fastest fastest_of(const PilotCalls& pilot) {
  std::map<double, std::vector<double>> by_length;
  for (const CallTime& call : pilot) by_length[call.steps].push_back(std::max(call.seconds, 1e-12));
  Fastest fastest;
  for (auto& [steps, seconds] : by_length) {
    std::ranges::sort(seconds);
    fastest.calls.push_back({steps, seconds.front()});
    if (seconds.size() > 1) fastest.scatter = std::max(fastest.scatter, std::log(seconds[1] / seconds[0]));
  }
  return fastest;
}

/// Half the range of seconds per step (log): where no line above 0 goes through the calls.
double half_range(const std::vector<CallTime>& calls) {
  std::vector<double> step_seconds;
  for (const CallTime& call : calls) step_seconds.push_back(std::log(call.seconds / call.steps));
  const auto [least, most] = std::ranges::minmax(step_seconds);
  return (most - least) / 2;
}

std::optional<double> misfit_of(const PilotCalls& pilot) {
  const Fastest fastest = fastest_of(pilot);
  const auto fit = fit_call_lengths(fastest.calls);
  if (!fit) return std::nullopt;
  const double residual = std::isfinite(fit->residual) ? fit->residual : half_range(fastest.calls);
  return std::max(0.0, residual - fastest.scatter);
}

}  // namespace

std::vector<PilotCalls> pilot_calls(std::span<const Sample> of_arm) {
  std::vector<PilotCalls> processes(1);
  for (std::size_t i = 0; i < of_arm.size(); ++i) {
    const Sample& sample = of_arm[i];
    if (sample.phase == Phase::first) processes.emplace_back();
    const auto is_beside = [&](std::size_t other) { return of_arm[other].slice == sample.slice; };
    const bool is_alone = !(i > 0 && is_beside(i - 1)) && !(i + 1 < of_arm.size() && is_beside(i + 1));
    if (sample.phase == Phase::warmup && is_alone && sample.steps > 1)
      processes.back().push_back({static_cast<double>(sample.steps), sample.seconds});
  }
  std::erase_if(processes, [](const PilotCalls& calls) { return calls.size() < rules::fewest_pilot_calls; });
  return processes;
}

std::optional<CallLengths> call_lengths(std::span<const PilotCalls> pilots) {
  CallLengths found{0, std::numeric_limits<double>::infinity(), 0};
  std::vector<double> misfits;
  for (const PilotCalls& pilot : pilots) {
    const auto misfit = misfit_of(pilot);
    if (!misfit) continue;
    misfits.push_back(*misfit);
    for (const CallTime& call : pilot) {
      found.shortest_steps = std::min(found.shortest_steps, call.steps);
      found.longest_steps = std::max(found.longest_steps, call.steps);
    }
  }
  if (misfits.empty()) return std::nullopt;
  found.misfit = median(std::move(misfits));
  return found;
}

}  // namespace regatta::stats

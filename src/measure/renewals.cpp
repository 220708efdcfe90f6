#include "measure/renewals.hpp"

#include <algorithm>

#include "measure/comparisons.hpp"
#include "measure/pilot.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::measure {
namespace {

constexpr std::int64_t enough_pairs = stats::rules::enough_process_pairs;

/// What a pair takes: processes, models and warm-up.
double start_seconds(const BlockRun& run) {
  double seconds = 0;
  for (const std::size_t at : run.living) {
    const Arm& arm = run.arms[at];
    seconds += arm.start_seconds + static_cast<double>(arm.warmup_steps) * arm.step_seconds;
  }
  return seconds;
}

}  // namespace

Renewals planned_renewals(const BlockRun& run, const SliceLengths& lengths,
                          std::span<const stats::ContrastForecast> forecasts, double affordable_squares) {
  if (sweep::is_of_processes(run.task.measure.metric)) return {};  // a process gives one value
  const double start_squares = start_seconds(run) / std::max(square_seconds(run, lengths), 1e-6);
  return {.squares_each = stats::squares_per_pair(forecasts, {start_squares, affordable_squares}, judge_options(run))};
}

double price_of_start(const Renewals& renewals, double square_seconds) {
  if (renewals.pairs < enough_pairs) return 0;
  return std::max(0.0, renewals.start_seconds - static_cast<double>(renewals.squares_each) * square_seconds);
}

void renew_processes(BlockRun& run, const SliceLengths& lengths, const std::vector<std::size_t>& turn,
                     double square_seconds, Renewals& renewals) {
  const double before = run.port.now();
  for (const std::size_t at : turn)
    for_living(run, at, [&](Arm& arm) { renew_process(run, arm, lengths.of(at).reentry_steps); });
  renewals.start_seconds = run.port.now() - before;
  renewals.paid_seconds += price_of_start(renewals, square_seconds);
  ++renewals.pairs;
  renewals.served = 0;
}

}  // namespace regatta::measure

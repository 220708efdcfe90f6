#include "pilot.hpp"

#include <algorithm>
#include <cmath>

namespace regatta::launcher {
namespace {

using stats::Phase;

constexpr double pilot_seconds = 0.010;        // a pilot slice this long tells the step time well enough
constexpr double pilot_total_seconds = 0.250;  // and a slow model is not run for longer than needed
constexpr double warmup_seconds = 0.010;       // caches and pages of a fresh process
constexpr std::int64_t pilot_samples = 50;

}  // namespace

void pilot(BlockRun& run, Arm& arm) {
  arm.step_seconds = take_slice(run, arm, Phase::first, {.steps = 1});
  const sweep::Measure& measure = run.bench.sweep.measure;
  if ((measure.slices && measure.steps) || !arm.in_worker()) return;
  double total_seconds = 0;
  for (std::int64_t steps = 1;;) {
    const std::int64_t group = std::max<std::int64_t>(1, steps / pilot_samples);
    const double seconds = take_slice(run, arm, Phase::warmup, {.steps = steps, .group = group});
    arm.step_seconds = seconds / static_cast<double>(steps);
    total_seconds += seconds;
    if (seconds >= pilot_seconds || total_seconds >= pilot_total_seconds) break;
    const double growth = std::clamp(1.2 * pilot_seconds / std::max(seconds, 1e-9), 2.0, 100.0);
    steps = static_cast<std::int64_t>(std::ceil(static_cast<double>(steps) * growth));
  }
  arm.warmup_steps = static_cast<std::int64_t>(std::ceil(warmup_seconds / std::max(arm.step_seconds, 1e-9)));
}

void renew_process(BlockRun& run, Arm& arm) {
  if (!arm.in_worker()) return;  // each step of a program is a fresh process
  run.bench.pool.retire(arm.key);
  prepare_arm(run.bench, arm);
  take_slice(run, arm, Phase::first, {.steps = 1});
  const std::int64_t group = std::max<std::int64_t>(1, arm.warmup_steps / pilot_samples);
  take_slice(run, arm, Phase::warmup, {.steps = arm.warmup_steps, .group = group});
}

}  // namespace regatta::launcher

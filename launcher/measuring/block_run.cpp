#include "measuring/block_run.hpp"

#include <algorithm>

#include "regatta/stats/coarsen.hpp"

namespace regatta::launcher {
namespace {

constexpr std::size_t most_samples = 300'000;  // of a block: they travel in one message of 16 MiB at most

std::uint8_t disturbance_flags(Arm& arm, const std::vector<stats::Sample>& samples) {
  const auto disturbance = arm.watch->end();
  if (!disturbance) return 0;
  double seconds = 0;
  for (const stats::Sample& sample : samples) seconds += sample.seconds;
  return flags_of(*disturbance, seconds);
}

}  // namespace

bool BlockRun::is_living(std::size_t at) const { return std::ranges::find(living, at) != living.end(); }

void end_arm(BlockRun& run, Arm& arm, const sweep::Outcome& outcome) {
  arm.report.outcome = outcome;
  std::erase(run.living, arm.index.value);
}

double take_slice(BlockRun& run, Arm& arm, stats::Phase phase, const stats::ArmSlices& length, std::uint16_t square) {
  const bool watched = arm.watch && phase == stats::Phase::steady;
  if (watched) arm.watch->begin();
  auto samples = run_slice(run.bench, arm, phase, run.slices++, length);
  const std::uint8_t flags = watched ? disturbance_flags(arm, samples) : 0;
  double seconds = 0;
  std::int64_t steps = 0;
  for (stats::Sample& sample : samples) {
    sample.square = square;
    sample.flags = flags;
    if (sample.phase != phase) continue;
    seconds += sample.seconds;
    steps += sample.steps;
  }
  run.samples.insert(run.samples.end(), samples.begin(), samples.end());
  if (run.samples.size() > most_samples) stats::join_neighbours(run.samples);
  return steps > 0 ? seconds * static_cast<double>(length.steps) / static_cast<double>(steps) : 0;
}

}  // namespace regatta::launcher

// A block while it is measured: what pilot, same-work check and slice loop share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include "measuring/worker_arm.hpp"
#include "regatta/stats/samples.hpp"
#include "regatta/sweep/plan.hpp"

namespace regatta::launcher {

struct BlockRun {
  Bench& bench;
  const sweep::Block& block;
  std::vector<Arm> arms;
  std::vector<std::size_t> living;  ///< positions in `arms` that are still measured
  std::vector<stats::Sample> samples;
  std::uint32_t slices = 0;
  double active_seconds = 0;   ///< of scored slices and their re-entry
  std::int64_t undecided = 0;  ///< comparisons that were measured and got no verdict

  [[nodiscard]] bool is_living(std::size_t at) const;
  [[nodiscard]] bool is_compared() const { return arms.size() > 1; }
};

/// Ends the attempt: the worker died while this arm ran.
struct ArmDied {
  ArmIndex arm;
  WorkerDied death;
};

/// Runs one slice and keeps its samples; returns the seconds that length.steps steps of `phase` took (an arm whose
/// calls take several steps may have run more).
double take_slice(BlockRun& run, Arm& arm, stats::Phase phase, const stats::ArmSlices& length,
                  std::uint16_t square = 0);

/// The arm is measured no more. Its samples stay: they tell where the slices of the others stood.
void end_arm(BlockRun& run, Arm& arm, const sweep::Outcome& outcome);

/// Runs `action` for one arm if it lives. An arm that ends by itself leaves the run; throws ArmDied if its worker dies.
template <class Action>
void for_living(BlockRun& run, std::size_t at, const Action& action) {
  if (!run.is_living(at)) return;
  Arm& arm = run.arms[at];
  try {
    action(arm);
  } catch (const ArmEnded& ended) {
    end_arm(run, arm, ended.outcome);
  } catch (const WorkerDied& died) {
    if (died.kind != sweep::FailureKind::could_not_start) throw ArmDied{arm.index, died};
    end_arm(run, arm, sweep::Failed{died.kind, died.what()});
  }
}

template <class Action>
void for_each_living(BlockRun& run, const Action& action) {
  const std::vector<std::size_t> living = run.living;
  for (const std::size_t at : living) for_living(run, at, action);
}

}  // namespace regatta::launcher

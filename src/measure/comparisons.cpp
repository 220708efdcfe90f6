#include "measure/comparisons.hpp"

#include <algorithm>

#include "regatta/stats/many_contrasts.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/slice_values.hpp"
#include "regatta/sweep/judging.hpp"

namespace regatta::measure {
namespace {

std::vector<std::vector<stats::SliceValue>> values_of(const BlockRun& run) {
  std::vector<stats::ArmReading> readings;
  for (const Arm& arm : run.arms) readings.push_back({arm.task->work_per_step, arm.is_program()});
  return stats::slice_values(run.samples, readings);
}

/// A clone has none: it is no contrast.
bool has_family(const BlockRun& run, std::size_t at) { return at > 0 && at <= run.task.families.size(); }

/// With which a difference stays one, whatever the contrasts after it show: as the k-th of those that are found among
/// m it needs what e-BH asks where no further one is found, in the sweep and among those of its pair of arms (R12). And
/// enough for all cells of its setting that the fastest has to be told from.
double needed_evidence(const BlockRun& run, std::size_t at) {
  const double alpha = judge_options(run).alpha;
  const double of_rivals = std::max(1.0, static_cast<double>(run.task.rivals)) / alpha;
  const double of_sweep = stats::evidence_needed(run.task.contrasts, run.discoveries.all() + 1, alpha);
  if (!has_family(run, at)) return std::max(of_rivals, of_sweep);
  const sweep::Family& family = run.task.families[at - 1];
  return std::max(
      {of_rivals, of_sweep, stats::evidence_needed(family.contrasts, run.discoveries.of(family) + 1, alpha)});
}

/// Decided, narrow enough, and with enough evidence.
bool is_settled(const BlockRun& run, std::size_t at, const stats::Judgement& judgement) {
  if (judgement.verdict == stats::Verdict::undecided || !judgement.precise) return false;
  return judgement.verdict == stats::Verdict::same || judgement.e_value >= needed_evidence(run, at);
}

}  // namespace

stats::JudgeOptions judge_options(const BlockRun& run) {
  stats::JudgeOptions options = sweep::judge_options(run.task.measure);
  options.floor = run.task.floor;
  options.process_effect = stats::rules::assumed_process_effect;
  return options;
}

stats::JudgeOptions judge_options(const BlockRun& run, std::size_t a, std::size_t b) {
  stats::JudgeOptions options = judge_options(run);
  options.call_length_misfit = std::max(run.arms[a].call_length_misfit, run.arms[b].call_length_misfit);
  return options;
}

std::vector<std::size_t> still_open(BlockRun& run, const std::vector<std::size_t>& turn) {
  const auto values = values_of(run);
  std::vector<std::size_t> open = {turn.front()};
  for (const std::size_t at : turn) {
    if (at == turn.front() || !run.is_living(at)) continue;
    const auto judgement = stats::judge({values[at], values[turn.front()]}, judge_options(run, at, turn.front()));
    if (!is_settled(run, at, judgement)) {
      open.push_back(at);
    } else if (judgement.verdict != stats::Verdict::same && has_family(run, at)) {
      run.discoveries.add(run.task.block, run.task.families[at - 1]);
    }
  }
  return open;
}

std::int64_t undecided_comparisons(const BlockRun& run) {
  if (!run.task.has_baseline || !run.is_living(0)) return 0;
  const auto values = values_of(run);
  const std::size_t distinct_arms = run.arms.size() - (run.task.has_clone ? 1 : 0);
  return std::ranges::count_if(run.living, [&](std::size_t at) {
    const bool is_contrast = at != 0 && at < distinct_arms;
    return is_contrast &&
           stats::judge({values[at], values[0]}, judge_options(run, at, 0)).verdict == stats::Verdict::undecided;
  });
}

}  // namespace regatta::measure

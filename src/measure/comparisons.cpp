#include "measure/comparisons.hpp"

#include <algorithm>

#include "regatta/stats/rules.hpp"
#include "regatta/stats/slice_values.hpp"
#include "regatta/sweep/judging.hpp"
#include "regatta/sweep/work_per_step.hpp"

namespace regatta::measure {
namespace {

std::vector<std::vector<stats::SliceValue>> values_of(const BlockRun& run) {
  if (run.task.measure.metric == sweep::Metric::peak_memory) {
    std::vector<std::vector<stats::SliceValue>> values;
    for (const Arm& arm : run.arms) values.push_back(stats::process_values(arm.process_peaks));
    return values;
  }
  std::vector<stats::ArmReading> readings;
  for (const Arm& arm : run.arms)
    readings.push_back(
        sweep::reading_of(run.task.measure, arm.task->parameters, arm.task->work_per_step, arm.is_program()));
  return stats::slice_values(run.samples, readings);
}

/// With evidence to spare for the other contrasts of the sweep, and for all cells of its setting that the fastest has
/// to be told from (R12).
double needed_evidence(const BlockRun& run) {
  const double of_many = run.task.one_of_many ? 2 : 1;  // e-BH then passes if half of all are differences
  return std::max(of_many, static_cast<double>(run.task.rivals)) / judge_options(run).alpha;
}

/// Decided, narrow enough, and with enough evidence.
bool is_settled(const BlockRun& run, const stats::Judgement& judgement) {
  if (judgement.verdict == stats::Verdict::undecided || !judgement.precise) return false;
  return judgement.verdict == stats::Verdict::same || judgement.e_value >= needed_evidence(run);
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
  if (!sweep::is_step_time(run.task.measure.metric)) return options;  // it knows no length of calls
  options.call_length_misfit = std::max(run.arms[a].call_length_misfit, run.arms[b].call_length_misfit);
  return options;
}

std::vector<std::size_t> still_open(const BlockRun& run, const std::vector<std::size_t>& turn) {
  const auto values = values_of(run);
  std::vector<std::size_t> open = {turn.front()};
  for (const std::size_t at : turn) {
    if (at == turn.front() || !run.is_living(at)) continue;
    const auto judgement = stats::judge({values[at], values[turn.front()]}, judge_options(run, at, turn.front()));
    if (!is_settled(run, judgement)) open.push_back(at);
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

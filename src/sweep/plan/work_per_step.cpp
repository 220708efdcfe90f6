#include "regatta/sweep/work_per_step.hpp"

#include <algorithm>

#include "regatta/sweep/capabilities.hpp"

namespace regatta::sweep {

bool is_per_sample(Metric metric, Batches batches) {
  if (metric != Metric::time_per_sample) return false;
  const auto has_batch = [](const std::optional<std::int64_t>& batch) { return batch.has_value(); };
  const auto differs = [&](const std::optional<std::int64_t>& batch) { return batch != batches.front(); };
  return std::ranges::all_of(batches, has_batch) && std::ranges::any_of(batches, differs);
}

stats::ArmReading reading_of(const Measure& measure, const Parameters& parameters, double work_of_step,
                             bool is_program) {
  const bool counts_start = measure.metric == Metric::time_to_n;
  return {work_of_step, is_program, info(measure.metric).quantile.value_or(0), steps_per_call(parameters),
          counts_start ? measure.n.value_or(0) : 0};
}

stats::JudgeOptions judge_options(const Measure& measure) {
  stats::JudgeOptions options;
  options.margin = measure.margin;
  options.absolute_margin = measure.result_margin;
  options.half_width = measure.half_width;
  options.relative_half_width = measure.relative_half_width;
  return options;
}

std::vector<double> work_per_step(Metric metric, Batches batches) {
  std::vector<double> work(batches.size(), 1);
  if (!is_per_sample(metric, batches)) return work;
  std::ranges::transform(batches, work.begin(), [](const auto& batch) { return static_cast<double>(*batch); });
  return work;
}

}  // namespace regatta::sweep

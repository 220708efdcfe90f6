#include "analysis/judging/judge.hpp"

#include <utility>

#include "analysis/judging/spec.hpp"
#include "regatta/sweep/judging.hpp"

namespace regatta::analysis {

namespace {

sweep::Metric metric_of(const std::optional<sweep::Sweep>& spec) {
  return spec ? spec->measure.metric : sweep::Measure{}.metric;
}

}  // namespace

sweep::Metric Judge::metric() const { return metric_of(spec); }

stats::JudgeOptions Judge::options_for(const results::TrialRow& a, const results::TrialRow& b) const {
  stats::JudgeOptions both = options;
  both.floor = floors.floor_of(a, b);
  both.process_effect = floors.process_effect_of(a, b);
  return both;
}

Judge judge_of(const results::Results& results) {
  auto spec = spec_of(results);
  const stats::JudgeOptions options = spec ? sweep::judge_options(spec->measure) : stats::JudgeOptions{};
  auto values = block_values(results, metric_of(spec));
  Floors floors(results, values, options);
  return {results, std::move(spec), axes_of(results), options, std::move(values), std::move(floors)};
}

}  // namespace regatta::analysis

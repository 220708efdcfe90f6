#include "analysis/judging/judge.hpp"

#include <algorithm>
#include <utility>

#include "analysis/judging/judging.hpp"
#include "regatta/results/told_results.hpp"
#include "regatta/sweep/work_per_step.hpp"

namespace regatta::analysis {

namespace {

sweep::Measure measure_of(const std::optional<sweep::Sweep>& spec) { return spec ? spec->measure : sweep::Measure{}; }

/// Takes the axes whose levels repeat a comparison out of those of its arms and settings.
Axes apart_from_replicates(Axes axes, const std::optional<sweep::Sweep>& spec) {
  if (!spec || !spec->compare) return axes;
  for (const sweep::Param& param : spec->compare->replicates) {
    const std::size_t found = std::erase(axes.arm, param) + std::erase(axes.stratum, param);
    if (found > 0) axes.replicates.push_back(param);
  }
  return axes;
}

}  // namespace

sweep::Metric Judge::metric() const { return measure_of(spec).metric; }

std::optional<sweep::ComparedResult> Judge::result() const { return measure_of(spec).result; }

std::string Judge::result_unit() const {
  if (!result()) return {};
  const auto units = results::result_units(results.trials);
  const auto found = units.find(result()->name);
  return found == units.end() ? "1" : found->second;
}

stats::JudgeOptions Judge::options_for(const results::TrialRow& a, const results::TrialRow& b) const {
  stats::JudgeOptions both = options;
  both.prior = spreads.prior_of(a, b);
  return both;
}

stats::JudgeOptions Judge::options_for(BlockIndex block, std::size_t a, std::size_t b) const {
  stats::JudgeOptions both = options;
  both.prior = spreads.prior_of(block, a, b);
  if (!sweep::is_step_time(metric())) return both;  // single calls and memory know no length of calls
  const BlockFindings& of_arms = findings[block.value];
  both.call_length_misfit = std::max(call_length_misfit(of_arms[a]), call_length_misfit(of_arms[b]));
  return both;
}

Judge judge_of(const results::Results& results) {
  auto spec = spec_of(results);
  const stats::JudgeOptions options = spec ? sweep::judge_options(spec->measure) : stats::JudgeOptions{};
  auto values = block_values(results, measure_of(spec));
  Spreads spreads(results, values, options);
  auto findings = pilot_findings(results, options);
  Axes axes = apart_from_replicates(axes_of(results), spec);
  return {results,           std::move(spec),    std::move(axes),    options,
          std::move(values), std::move(spreads), std::move(findings)};
}

}  // namespace regatta::analysis

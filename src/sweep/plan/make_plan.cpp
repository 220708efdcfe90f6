#include "regatta/sweep/make_plan.hpp"

#include <algorithm>

#include "sweep/plan/blocks.hpp"
#include "sweep/plan/interventions.hpp"

namespace regatta::sweep {
namespace {

/// Adds the clones to the smallest blocks with a baseline: which ones have them does not change how many arms there
/// are.
void add_clones(std::map<PlanSummary::Shape, std::size_t>& blocks) {
  std::size_t contrasts = 0;
  std::size_t compared = 0;
  for (const auto& [shape, count] : blocks) {
    if (!shape.has_baseline) continue;
    contrasts += count * (shape.arms - 1);
    compared += count;
  }
  std::size_t left = std::min(clones_wanted(contrasts), compared);
  const auto before = blocks;
  for (const auto& [shape, count] : before) {
    if (!shape.has_baseline || left == 0) continue;
    const std::size_t taken = std::min(left, count);
    blocks[shape] -= taken;
    blocks[{shape.arms + 1, true}] += taken;
    left -= taken;
  }
  std::erase_if(blocks, [](const auto& entry) { return entry.second == 0; });
}

PlanSummary summary_of(const Plan& plan) {
  PlanSummary summary;
  summary.points = plan.points;
  summary.merged = plan.merged;
  summary.trials = plan.trials.size();
  for (const Trial& trial : plan.trials) {
    if (trial.skip_reason) ++summary.skipped[*trial.skip_reason];
  }
  for (const NoContrast& line : plan.no_contrasts) summary.no_contrasts.emplace_back(line.reason, line.trials.size());
  for (const Block& block : plan.blocks) ++summary.blocks[{block.arms.size(), block.has_baseline}];
  return summary;
}

}  // namespace

Plan make_plan(const Sweep& sweep) {
  const Points points(sweep);
  Kinds kinds(sweep, points);
  const Expansion expansion = expand(sweep, points, kinds);
  Plan plan;
  plan.points = static_cast<std::int64_t>(expansion.trial_of_point.size());
  plan.merged = plan.points - static_cast<std::int64_t>(expansion.trials());
  const Arrangement arrangement = arrange(sweep, points, kinds, expansion);
  plan.trials = make_trials(sweep, points, kinds, expansion);
  form_blocks(arrangement, plan);
  if (sweep.measure.explain) add_explanations(sweep, plan);
  return plan;
}

PlanSummary summarize(const Sweep& sweep) {
  if (sweep.measure.explain)
    return summary_of(make_plan(sweep));  // only the trials themselves tell what can be changed
  const Points points(sweep);
  Kinds kinds(sweep, points);
  const Expansion expansion = expand(sweep, points, kinds);
  const Arrangement arrangement = arrange(sweep, points, kinds, expansion);
  PlanSummary summary;
  summary.points = static_cast<std::int64_t>(expansion.trial_of_point.size());
  summary.merged = summary.points - static_cast<std::int64_t>(expansion.trials());
  summary.trials = expansion.trials();
  for (const std::uint32_t skip : expansion.skip_of_trial) {
    if (skip != 0) ++summary.skipped[kinds.reasons()[skip]];
  }
  for (const NoContrastNumbers& line : arrangement.no_contrasts)
    summary.no_contrasts.emplace_back(line.reason, line.trials.size());
  for (std::size_t i = 0; i < arrangement.blocks(); ++i)
    ++summary.blocks[{arrangement.arms_of(i).size(), arrangement.has_baseline[i]}];
  add_clones(summary.blocks);
  return summary;
}

}  // namespace regatta::sweep

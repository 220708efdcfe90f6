#include "regatta/sweep/make_plan.hpp"

#include "sweep/plan/blocks.hpp"
#include "sweep/plan/interventions.hpp"

namespace regatta::sweep {

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

}  // namespace regatta::sweep

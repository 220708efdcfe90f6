#include "regatta/sweep/make_plan.hpp"

#include "sweep/plan/plan.hpp"

namespace regatta::sweep {

Plan make_plan(const Sweep& sweep) {
  const Points points(sweep);
  Kinds kinds(sweep);
  Plan plan;
  const std::vector<TrialIndex> trial_of_point = add_trials(sweep, points, kinds, plan);
  if (sweep.training)
    add_legs(sweep, plan);
  else
    add_blocks(sweep, points, kinds, trial_of_point, plan);
  if (sweep.measure.explain) add_explanations(sweep, plan);
  return plan;
}

}  // namespace regatta::sweep

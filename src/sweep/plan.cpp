#include "regatta/sweep/plan.hpp"

#include "sweep/blocks.hpp"
#include "sweep/expand.hpp"
#include "sweep/explain.hpp"
#include "sweep/grid.hpp"

namespace regatta::sweep {

Plan make_plan(const Sweep& sweep) {
  const Grid grid = make_grid(sweep);
  Expansion expansion = expand(sweep, grid);
  Plan plan;
  plan.points = expansion.points;
  plan.merged = expansion.points - static_cast<std::int64_t>(expansion.trials.size());
  form_blocks(sweep, grid, expansion, plan);
  plan.trials = std::move(expansion.trials);
  if (sweep.measure.explain) add_explanations(sweep, plan);
  return plan;
}

}  // namespace regatta::sweep

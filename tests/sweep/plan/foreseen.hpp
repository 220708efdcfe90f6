// A sweep whose engines start as slowly as a test says.
#pragma once

#include <optional>
#include <string>

#include "regatta/sweep/budget.hpp"
#include "regatta/sweep/forecast.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {

/// Four trials: two blocks of an engine beside the other.
inline const std::string two_blocks = R"("axes": {"model": "mlp-10", "engine": ["native", "numpy"], "batch": [1, 8]},
  "compare": {"over": ["engine"], "baseline": {"engine": "native"}}, "measure": {)";

struct Foreseen {
  Sweep sweep;
  Plan plan;
  Starts starts;
  std::size_t slots = 1;

  explicit Foreseen(const std::string& measure, const StartTimes& of_numpy, bool has_clones = false)
      : sweep(sweep_with(two_blocks + measure + (has_clones ? "" : R"(, "again": false)") + "}")),
        plan(make_plan(sweep)) {
    for (const Trial& trial : plan.trials)
      starts.of_trials.emplace_back(text_of(trial.parameters, Param::engine) == "numpy" ? of_numpy : StartTimes());
  }

  [[nodiscard]] Sharing sharing() const { return sharing_of(sweep, plan, starts, slots); }

  [[nodiscard]] std::optional<Forecast> now() const { return foretell(sweep, plan, sharing()); }
};

}  // namespace regatta::sweep

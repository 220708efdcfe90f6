#include <algorithm>

#include "regatta/base/error.hpp"
#include "regatta/sweep/model_of.hpp"
#include "sweep/plan/plan.hpp"

namespace regatta::sweep {
namespace {

bool is_repetition(const Parameters& parameters) {
  const auto* repeat = std::get_if<std::int64_t>(&parameters[Param::repeat]);
  return repeat != nullptr && *repeat > 0;
}

Block explanation_of(const Trial& trial, std::vector<Intervention> interventions, std::size_t index) {
  Block block;
  block.index = BlockIndex{static_cast<std::uint32_t>(index)};
  std::string identity = "explain " + to_string(trial.hash);
  for (const Intervention& intervention : interventions) identity += ' ' + text_of(intervention);
  block.hash = hash128(identity);
  block.arms.assign(interventions.size(), trial.index);
  block.has_baseline = true;
  add_demand(block.demand, trial.parameters);
  block.interventions = std::move(interventions);
  return block;
}

}  // namespace

void add_explanations(const Sweep& sweep, Plan& plan) {
  for (const Trial& trial : plan.trials) {
    if (trial.skip_reason || is_repetition(trial.parameters)) continue;
    const auto model = model_of(sweep, trial.parameters);
    auto interventions = interventions_for(trial.parameters, model ? &*model : nullptr);
    if (interventions.size() < 2) continue;
    expect(interventions.size() <= max_distinct_arms, "a cell and its interventions fit into a block");
    plan.blocks.push_back(explanation_of(trial, std::move(interventions), plan.blocks.size()));
  }
}

}  // namespace regatta::sweep

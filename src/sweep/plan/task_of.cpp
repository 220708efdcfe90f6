#include "regatta/sweep/task_of.hpp"

#include <vector>

#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/model_of.hpp"
#include "regatta/sweep/processes.hpp"
#include "regatta/sweep/spec.hpp"
#include "regatta/sweep/work_per_step.hpp"
#include "sweep/plan/plan.hpp"

namespace regatta::sweep {
namespace {

ArmTask arm_task(const Sweep& sweep, const Plan& plan, const Block& block, std::size_t at) {
  ArmTask arm;
  if (block.is_intervention()) arm.intervention = block.interventions[at];
  arm.parameters = changed(plan.trials.at(block.arms[at].value).parameters, arm.intervention);
  arm.model = model_of(sweep, arm.parameters);
  if (block.leg) arm.parameters[Param::seed] = block.leg->seed;
  const auto* command = std::get_if<std::string>(&arm.parameters[Param::command]);
  if (command != nullptr) {
    arm.command = with_values(sweep.commands.at(*command), arm.parameters);
    arm.command->trial = plan.trials.at(block.arms[at].value).hash;
  }
  arm.launch = launch_of_loop(sweep, arm.parameters);
  if (const Dataset* dataset = dataset_of(sweep, arm.parameters)) arm.dataset = *dataset;
  return arm;
}

void count_work(BlockTask& task) {
  std::vector<std::optional<std::int64_t>> batches;
  for (const ArmTask& arm : task.arms) batches.push_back(batch_of(arm.parameters));
  const std::vector<double> work = work_per_step(task.measure.metric, batches);
  for (std::size_t at = 0; at < work.size(); ++at) task.arms[at].work_per_step = work[at];
}

/// Earlier spreads of each arm against the one that it is compared with: the baseline, or the arm that a clone repeats.
std::vector<stats::SpreadHistory> spreads_of(const BlockTask& task, const stats::SpreadPool& pool) {
  std::vector<stats::SpreadHistory> spreads;
  const std::string baseline = process_class(task.arms.front().parameters);
  for (std::size_t at = 1; at < task.arms.size(); ++at) {
    const std::string of_arm = process_class(task.arms[at].parameters);
    const bool is_clone = task.has_clone && at + 1 == task.arms.size();
    spreads.push_back(pool.of(of_arm, is_clone ? of_arm : baseline));
  }
  return spreads;
}

}  // namespace

BlockTask task_of(const Sweep& sweep, const Plan& plan, const Block& block, const RunFacts& facts) {
  BlockTask task;
  task.block = block.index;
  task.hash = block.hash;
  for (std::size_t at = 0; at < block.arms.size(); ++at) task.arms.push_back(arm_task(sweep, plan, block, at));
  task.has_baseline = block.has_baseline;
  task.has_clone = block.has_clone;
  task.explains = block.is_intervention();
  task.measure = sweep.measure;
  if (task.explains) task.measure.metric = Metric::time_per_step;  // interventions are compared by it
  count_work(task);
  task.limits = sweep.limits;
  task.wanted_seconds = wanted_seconds(sweep, block);
  task.planning_seconds = planning_seconds(sweep, block);
  task.wall_seconds = wall_share_seconds(sweep, plan, block, facts.sharing);
  if (task.has_baseline && !facts.spreads.is_empty()) task.spreads = spreads_of(task, facts.spreads);
  if (!task.explains) task.contrasts = plan.contrasts;
  task.families = block.families;
  task.exclusions = block.exclusions;
  task.takes_one_pair = block.takes_one_pair;
  task.confirms = facts.confirms;
  task.leg = block.leg;
  if (sweep.training) task.training = *sweep.training;
  if (sweep.training) task.objective = sweep.objective;
  return task;
}

}  // namespace regatta::sweep

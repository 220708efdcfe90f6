#include "dispatch/block_records.hpp"

namespace regatta::dispatch {
namespace {

/// An agent's report of an arm with what the plan knows of it.
sweep::ArmOutcome completed(const sweep::Plan& plan, const sweep::Block& block, sweep::ArmOutcome arm) {
  const sweep::Trial& trial = plan.trials.at(block.arms.at(arm.arm.value).value);
  if (block.is_intervention()) arm.intervention = sweep::text_of(block.interventions.at(arm.arm.value));
  arm.trial = trial.hash;
  arm.engine = sweep::engine_of(trial.parameters);
  return arm;
}

}  // namespace

double own_seconds(const protocol::BlockResult& result) {
  return result.visits_seconds > 0 ? result.visits_seconds : result.end_wall_seconds - result.start_wall_seconds;
}

results::BlockRecord record_of(const sweep::Plan& plan, AgentId agent, const protocol::BlockResult& result) {
  const sweep::Block& block = plan.blocks.at(result.block.value);
  results::BlockRecord record;
  record.block = block.hash;
  record.attempt = result.attempt.value;
  record.agent = agent.value;
  record.start_wall_seconds = result.start_wall_seconds;
  record.end_wall_seconds = result.end_wall_seconds;
  record.own_seconds = own_seconds(result);
  record.flags = result.flags;
  record.device = result.device;
  record.interrupted = result.interrupted;
  record.measured_again = block.is_final;
  for (const sweep::ArmOutcome& arm : result.arms) record.arms.push_back(completed(plan, block, arm));
  return record;
}

results::BlockRecord record_without_run(const sweep::Plan& plan, const sweep::Block& block, AttemptId attempt,
                                        const std::vector<sweep::ArmOutcome>& arms, double wall_seconds) {
  results::BlockRecord record;
  record.block = block.hash;
  record.attempt = attempt.value;
  record.start_wall_seconds = record.end_wall_seconds = wall_seconds;
  record.measured_again = block.is_final;
  for (const sweep::ArmOutcome& arm : arms) record.arms.push_back(completed(plan, block, arm));
  return record;
}

}  // namespace regatta::dispatch

#include "dispatch/block_records.hpp"

namespace regatta::dispatch {
namespace {

results::ArmRecord arm_record(const sweep::Plan& plan, const sweep::Block& block, const protocol::ArmReport& report) {
  const sweep::Trial& trial = plan.trials.at(block.arms.at(report.arm.value).value);
  results::ArmRecord record;
  if (block.is_intervention()) record.intervention = sweep::text_of(block.interventions.at(report.arm.value));
  record.trial = trial.hash;
  record.outcome = report.outcome;
  record.environment = report.environment;
  record.engine = sweep::split_engine(sweep::text_of(trial.parameters, sweep::Param::engine)).engine;
  record.engine_version = report.engine_version;
  record.prepare_seconds = report.prepare_seconds;
  record.peak_bytes = report.peak_bytes;
  record.verified = report.verified;
  record.verified_detail = report.verified_detail;
  record.kernels = report.kernels;
  return record;
}

}  // namespace

results::BlockRecord record_of(const sweep::Plan& plan, AgentId agent, const protocol::BlockResult& result) {
  const sweep::Block& block = plan.blocks.at(result.block.value);
  results::BlockRecord record;
  record.block = block.hash;
  record.attempt = result.attempt.value;
  record.agent = agent.value;
  record.start_wall_seconds = result.start_wall_seconds;
  record.end_wall_seconds = result.end_wall_seconds;
  record.flags = result.flags;
  for (const protocol::ArmReport& arm : result.arms) record.arms.push_back(arm_record(plan, block, arm));
  return record;
}

results::BlockRecord record_without_run(const sweep::Plan& plan, const sweep::Block& block, AttemptId attempt,
                                        const std::vector<protocol::ArmReport>& arms, double wall_seconds) {
  results::BlockRecord record;
  record.block = block.hash;
  record.attempt = attempt.value;
  record.start_wall_seconds = record.end_wall_seconds = wall_seconds;
  for (const protocol::ArmReport& arm : arms) record.arms.push_back(arm_record(plan, block, arm));
  return record;
}

}  // namespace regatta::dispatch

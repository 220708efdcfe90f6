#include "regatta/results/open_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <unordered_map>

#include "regatta/results/log_file.hpp"
#include "regatta/results/store.hpp"
#include "results/collect/collect.hpp"
#include "results/journal/record_codec.hpp"

namespace regatta::results {
namespace {

/// Records of the last session.
std::span<const Record> last_session(const std::vector<Record>& records) {
  const auto header = std::find_if(records.rbegin(), records.rend(),
                                   [](const Record& record) { return record.kind == RecordKind::header; });
  const auto first = header == records.rend() ? records.begin() : header.base() - 1;
  return {first, records.end()};
}

using Attempts = std::unordered_map<Hash128, std::vector<FailedAttemptRecord>>;  ///< by block

Attempts read_session(std::span<const Record> session, OpenWork& work) {
  Attempts attempts;
  std::set<std::uint32_t> agents;  // one that calibrates reports twice
  for (const Record& record : session) {
    if (record.kind == RecordKind::session_end) work.ended = true;
    if (record.kind == RecordKind::failed_attempt) attempts[record.hash].push_back(parse_failed_attempt(record));
    if (record.kind == RecordKind::agent) {
      const AgentRecord agent = parse_agent(record);
      if (agents.insert(agent.agent).second)
        work.slots.push_back(fmt::format("{} {}", agent.host.name, agent.slot.name));
    }
    if (record.kind == RecordKind::result) {
      const BlockRecord block = parse_result(record).block;
      work.block_seconds.push_back(block.end_wall_seconds - block.start_wall_seconds);
      work.last_result_wall_seconds = std::max(work.last_result_wall_seconds, block.end_wall_seconds);
    }
  }
  return attempts;
}

std::vector<AttemptRow> rows_of(const std::vector<FailedAttemptRecord>& records, const sweep::Block& block,
                                const sweep::Plan& plan) {
  std::vector<AttemptRow> rows;
  for (const FailedAttemptRecord& record : records) {
    const auto arm =
        std::ranges::find(block.arms, record.trial, [&](TrialIndex t) { return plan.trials[t.value].hash; });
    const TrialIndex trial = arm == block.arms.end() ? TrialIndex{} : *arm;
    rows.push_back({block.index, trial, static_cast<std::int32_t>(record.attempt), record.kind, record.message});
  }
  return rows;
}

/// The arms of a block that have no result, each once.
std::vector<TrialIndex> waiting_arms(const Results& results, const sweep::Block& block) {
  std::vector<TrialIndex> waiting;
  if (block.is_intervention()) return waiting;
  for (std::size_t at = 0; at < block.distinct_arms(); ++at) {
    const TrialIndex trial = block.arms[at];
    if (std::holds_alternative<sweep::Lost>(results.trials[trial.value].outcome)) waiting.push_back(trial);
  }
  return waiting;
}

}  // namespace

OpenWork open_work(const std::filesystem::path& folder) {
  OpenWork work;
  const Scan scan = read_journal(journal_file(folder));
  const LastPlan planned = last_plan(folder, scan.records);
  Attempts attempts = read_session(last_session(scan.records), work);
  work.attempts = planned.sweep.limits.attempts;
  const std::set<Hash128> finished = finished_blocks(scan);
  work.results = collect(folder);
  for (const sweep::Block& block : planned.plan.blocks) {
    if (finished.contains(block.hash)) continue;
    work.blocks.push_back({waiting_arms(work.results, block), block.is_intervention(), block.demand, work.blocks.size(),
                           rows_of(attempts[block.hash], block, planned.plan)});
  }
  return work;
}

bool is_being_written(const std::filesystem::path& folder) { return is_locked(journal_file(folder)); }

}  // namespace regatta::results

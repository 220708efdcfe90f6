#include "regatta/results/open_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <unordered_map>

#include "regatta/results/changed.hpp"
#include "regatta/results/lives.hpp"
#include "regatta/results/log_file.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/budget.hpp"
#include "results/collect/collect.hpp"
#include "results/journal/record_codec.hpp"
#include "results/rows/row_tables.hpp"

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

struct Grant {
  GrantedRecord record;
  std::size_t number = 0;  ///< among the session's
};

/// The open work that the last session left.
struct Session {
  Attempts attempts;
  std::unordered_map<Hash128, Grant> held;  ///< by block; no result of them yet
  std::size_t grants = 0;
  std::map<std::uint32_t, std::string> slots;  ///< slots of its agents
};

void take_grant(Session& session, const GrantedRecord& granted) {
  session.held.insert_or_assign(granted.block, Grant{granted, session.grants++});
}

/// The next attempt of a block may be granted before the record of the one that failed.
void let_go(Session& session, const Record& ended) {
  const auto held = session.held.find(ended.hash);
  if (held != session.held.end() && held->second.record.attempt <= ended.attempt) session.held.erase(held);
}

std::unordered_map<Hash128, Held> held_blocks(const Session& session) {
  std::vector<Grant> in_order;
  for (const auto& [block, grant] : session.held) in_order.push_back(grant);
  std::ranges::sort(in_order, {}, &Grant::number);
  std::unordered_map<Hash128, Held> all;
  std::set<std::uint32_t> busy;
  for (const auto& [held, number] : in_order) {
    const auto slot = session.slots.find(held.agent);
    all[held.block] = {slot == session.slots.end() ? fmt::format("rank {}", held.agent) : slot->second,
                       busy.insert(held.agent).second};
  }
  return all;
}

Session read_session(std::span<const Record> records, OpenWork& work) {
  Session session;
  for (const Record& record : records) {
    if (record.kind == RecordKind::session_end) work.ended = true;
    if (record.kind == RecordKind::granted) take_grant(session, parse_granted(record));
    if (record.kind == RecordKind::failed_attempt || record.kind == RecordKind::result) let_go(session, record);
    if (record.kind == RecordKind::failed_attempt)
      session.attempts[record.hash].push_back(parse_failed_attempt(record));
    if (record.kind == RecordKind::agent) {
      const AgentRecord agent = parse_agent(record);
      const auto [slot, is_new] =  // one that calibrates reports twice
          session.slots.emplace(agent.agent, fmt::format("{} {}", place_of(agent.host), agent.slot.name));
      if (is_new) work.slots.push_back(slot->second);
    }
    if (record.kind == RecordKind::result) {
      const ResultHead block = read_result_head(record);
      work.block_seconds.push_back(block.own_seconds);
      if (work.block_seconds.size() == 1 || block.start_wall_seconds < work.first_start_wall_seconds)
        work.first_start_wall_seconds = block.start_wall_seconds;
      work.last_result_wall_seconds = std::max(work.last_result_wall_seconds, block.end_wall_seconds);
    }
  }
  return session;
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

/// The arms of a block that have no result, each once. One that trains has a result from its first leg on.
std::vector<TrialIndex> waiting_arms(const Results& results, const sweep::Block& block) {
  std::vector<TrialIndex> waiting;
  if (block.is_intervention()) return waiting;
  if (block.leg) return block.arms;
  for (std::size_t at = 0; at < block.distinct_arms(); ++at) {
    const TrialIndex trial = block.arms[at];
    if (std::holds_alternative<sweep::Lost>(results.trials[trial.value].outcome)) waiting.push_back(trial);
  }
  return waiting;
}

/// Without the arms that were skipped: a block that was begun goes on without them.
sweep::Demand demand_left(const LastPlan& planned, const Results& results, const sweep::Block& block) {
  const auto is_skipped = [&](TrialIndex arm) {
    return std::holds_alternative<sweep::Skipped>(results.trials.at(arm.value).outcome);
  };
  if (block.is_intervention() || std::ranges::none_of(block.arms, is_skipped)) return block.demand;
  std::vector<TrialIndex> arms = block.arms;
  std::erase_if(arms, is_skipped);
  return arms.empty() ? block.demand : sweep::demand_of(planned.plan, arms);
}

}  // namespace

void reopen(Results& results, const HashSet& interrupted_blocks) {
  std::set<TrialIndex> done;
  for (const BlockRow& block : results.blocks) {
    if (block.attempt > 0 && !interrupted_blocks.contains(block.hash))
      done.insert(block.arms.begin(), block.arms.end());
  }
  for (const BlockRow& block : results.blocks) {
    if (!interrupted_blocks.contains(block.hash)) continue;
    for (const TrialIndex trial : block.arms) {
      sweep::Outcome& outcome = results.trials.at(trial.value).outcome;
      if (std::holds_alternative<sweep::Finished>(outcome) && !done.contains(trial)) outcome = sweep::Lost{};
    }
  }
}

OpenWork open_work(const std::filesystem::path& folder) {
  OpenWork work;
  const Scan scan = read_store(folder);
  LastPlan planned = last_plan(folder, scan.records);
  Session session = read_session(last_session(scan.records), work);
  const auto held = held_blocks(session);
  work.attempts = planned.sweep.limits.attempts;
  const SessionEndRecord left = left_by_sessions(scan, planned.sweep);
  work.passes_due = sweep::takes_passes(planned.sweep) && left.passes_due;
  work.out_of_reach = left.out_of_reach;
  HashSet finished = finished_blocks(scan);
  const LastOrigins last = last_origins(scan);
  if (!last.keeps_changed) {
    for (const auto& [block, arms] : changed_blocks(scan, planned.plan, last.origins)) finished.erase(block);
  }
  work.results = collect_rows(folder, scan, planned, Samples::left);
  reopen(work.results, interrupted_blocks(scan));
  work.sweep = planned.sweep;
  for (const sweep::Block& block : planned.plan.blocks) {
    if (block.is_final || block.has_clone || finished.contains(block.hash)) continue;
    const auto attempts = session.attempts.find(block.hash);
    work.blocks.push_back({waiting_arms(work.results, block), block.is_intervention(),
                           demand_left(planned, work.results, block), work.blocks.size(),
                           attempts == session.attempts.end() ? std::vector<AttemptRow>()
                                                              : rows_of(attempts->second, block, planned.plan)});
    work.blocks.back().leg = block.leg;
    if (const auto slot = held.find(block.hash); slot != held.end()) work.blocks.back().held = slot->second;
  }
  return work;
}

bool is_being_written(const std::filesystem::path& folder) { return is_locked(journal_file(folder)); }

}  // namespace regatta::results

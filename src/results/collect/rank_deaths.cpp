#include <algorithm>
#include <cstddef>
#include <span>
#include <unordered_map>
#include <utility>

#include "regatta/results/lives.hpp"
#include "results/journal/record_codec.hpp"
#include "results/rows/row_tables.hpp"

namespace regatta::results {
namespace {

struct HandedOut {
  std::uint32_t agent = 0;
  std::uint32_t attempt = 0;
  std::size_t number = 0;  ///< among the session's
};

/// A session as far as it was read.
struct CutOff {
  std::unordered_map<Hash128, HandedOut> held;  ///< by block: handed out, and no end of it recorded
  std::unordered_map<std::uint32_t, std::string> hosts;
  std::size_t grants = 0;
};

/// The records of a session, its header first.
using SessionRecords = std::span<const Record>;

/// The next attempt of a block may be granted before the record of the one that failed.
void strike(CutOff& session, const Record& ended) {
  const auto held = session.held.find(ended.hash);
  if (held != session.held.end() && held->second.attempt <= ended.attempt) session.held.erase(held);
}

void hand_out(CutOff& session, const GrantedRecord& granted) {
  session.held.insert_or_assign(granted.block, HandedOut{granted.agent, granted.attempt, session.grants++});
}

/// The block that each agent of a session was running when it was cut off.
std::unordered_map<std::uint32_t, Hash128> ran_in(const CutOff& session) {
  std::unordered_map<std::uint32_t, Hash128> first;
  for (const auto& [block, grant] : session.held) {
    const auto [found, is_new] = first.try_emplace(grant.agent, block);
    if (!is_new && grant.number < session.held.at(found->second).number) found->second = block;
  }
  return first;
}

void blame(const CutOff& session, std::map<Hash128, RankDeaths>& deaths) {
  for (const auto& [agent, block] : ran_in(session)) {
    RankDeaths& of_block = deaths[block];
    ++of_block.count;
    of_block.was_alone = of_block.was_alone || session.held.size() == 1;
    const auto host = session.hosts.find(agent);
    of_block.host = host == session.hosts.end() ? "rank " + std::to_string(agent) : host->second;
  }
}

/// The session at the front of these records.
SessionRecords first_session(SessionRecords records) {
  const auto next = std::find_if(records.begin() + 1, records.end(),
                                 [](const Record& record) { return record.kind == RecordKind::header; });
  return {records.begin(), next};
}

bool was_cut_off(SessionRecords session) {
  return std::ranges::none_of(session, [](const Record& record) {
    return record.kind == RecordKind::stop_asked || record.kind == RecordKind::session_end;
  });
}

CutOff read_cut_off(SessionRecords records) {
  CutOff session;
  for (const Record& record : records) {
    switch (record.kind) {
      case RecordKind::agent: {
        const AgentRecord agent = parse_agent(record);
        session.hosts.insert_or_assign(agent.agent, place_of(agent.host));
        break;
      }
      case RecordKind::granted:
        hand_out(session, parse_granted(record));
        break;
      case RecordKind::result:
      case RecordKind::failed_attempt:
        strike(session, record);
        break;
      default:
        break;
    }
  }
  return session;
}

}  // namespace

std::map<Hash128, RankDeaths> rank_deaths(const Scan& journal) {
  std::map<Hash128, RankDeaths> deaths;
  for (SessionRecords left = journal.records; !left.empty();) {
    const SessionRecords session = first_session(left);
    left = left.subspan(session.size());
    for (const Record& record : session) {
      if (record.kind == RecordKind::result) deaths.erase(record.hash);
    }
    if (was_cut_off(session)) blame(read_cut_off(session), deaths);  // the others are not read
  }
  return deaths;
}

}  // namespace regatta::results

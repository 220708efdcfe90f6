#include <cstddef>
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
  bool was_asked_to_end = false;  ///< or ended in order
};

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
  if (session.was_asked_to_end) return;
  for (const auto& [agent, block] : ran_in(session)) {
    RankDeaths& of_block = deaths[block];
    ++of_block.count;
    of_block.was_alone = of_block.was_alone || session.held.size() == 1;
    const auto host = session.hosts.find(agent);
    of_block.host = host == session.hosts.end() ? "rank " + std::to_string(agent) : host->second;
  }
}

void read_on(CutOff& session, const Record& record, std::map<Hash128, RankDeaths>& deaths) {
  switch (record.kind) {
    case RecordKind::header:
      blame(session, deaths);
      session = {};
      break;
    case RecordKind::agent: {
      const AgentRecord agent = parse_agent(record);
      session.hosts.insert_or_assign(agent.agent, place_of(agent.host));
      break;
    }
    case RecordKind::granted:
      hand_out(session, parse_granted(record));
      break;
    case RecordKind::result:
      strike(session, record);
      deaths.erase(record.hash);
      break;
    case RecordKind::failed_attempt:
      strike(session, record);
      break;
    case RecordKind::stop_asked:
    case RecordKind::session_end:
      session.was_asked_to_end = true;
      break;
    default:
      break;
  }
}

}  // namespace

std::map<Hash128, RankDeaths> rank_deaths(const Scan& journal) {
  std::map<Hash128, RankDeaths> deaths;
  CutOff session;
  for (const Record& record : journal.records) read_on(session, record, deaths);
  blame(session, deaths);
  return deaths;
}

}  // namespace regatta::results

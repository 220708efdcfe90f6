#include "results/collect/gather.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "results/journal/record_codec.hpp"
#include "results/rows/row_tables.hpp"

namespace regatta::results {
namespace {

using Devices = std::unordered_map<std::uint32_t, std::int32_t>;  ///< agent of the running session -> device

void take_agent(Gathered& gathered, Devices& devices, const AgentRecord& agent) {
  SlotRow device = agent.slot;
  device.host = position_of(gathered.hosts, agent.host, same_host);
  const std::int32_t position = position_of(gathered.devices, device, same_slot);
  devices[agent.agent] = position;
  if (device.calibration.threads > 0)
    gathered.devices[static_cast<std::size_t>(position)].calibration = device.calibration;
}

/// Whether both arms measured the same trial in the same engine, environment and version.
bool same_arm(const sweep::ArmOutcome& a, const sweep::ArmOutcome& b) {
  return std::tie(a.trial, a.intervention, a.environment, a.engine) ==
             std::tie(b.trial, b.intervention, b.environment, b.engine) &&
         sweep::text_of(a.facts, sweep::Fact::engine_version) == sweep::text_of(b.facts, sweep::Fact::engine_version);
}

/// Squares of two sessions, or of two visits, are of one comparison if nothing but time lies between them.
bool continues(const Gathered& gathered, const Taken& earlier, const Taken& later) {
  const BlockRecord& block = later.result.block;
  if ((!block.continues && block.visit == 0) || earlier.device < 0 || later.device < 0) return false;
  const auto host = [&](const Taken& taken) { return gathered.devices[static_cast<std::size_t>(taken.device)].host; };
  return host(earlier) == host(later) &&
         std::ranges::equal(earlier.result.block.arms, later.result.block.arms, same_arm);
}

bool is_finished(const sweep::ArmOutcome& arm) { return std::holds_alternative<sweep::Finished>(arm.outcome); }

/// The best of many were measured again, but not all of them to the end: their first figures stay.
bool failed_again(const Taken& earlier, const Taken& later) {
  const auto finished = [](const Taken& taken) { return std::ranges::count_if(taken.result.block.arms, is_finished); };
  return later.result.block.measured_again && finished(later) < finished(earlier);
}

void take_later(const Gathered& gathered, Taken& earlier, Taken later) {
  if (failed_again(earlier, later)) return;
  if (!continues(gathered, earlier, later)) {
    earlier = std::move(later);
    return;
  }
  earlier.session = later.session;
  earlier.more.push_back(std::move(later.result));
}

/// Whether the session went on with the block: else it has sent the record twice.
bool is_next_visit(const Taken& earlier, const Taken& later) {
  const BlockRecord& last = earlier.more.empty() ? earlier.result.block : earlier.more.back().block;
  return later.result.block.visit > last.visit;
}

/// The first result of a block within a session counts, and the visits behind it; a later session's replaces or
/// continues it.
void take_result(Gathered& gathered, const Devices& devices, Taken taken) {
  const auto device = devices.find(taken.result.block.agent);
  if (device != devices.end()) taken.device = device->second;
  const auto [known, is_new] = gathered.position.emplace(taken.result.block.block, gathered.taken.size());
  if (is_new) {
    gathered.taken.push_back(std::move(taken));
    return;
  }
  Taken& earlier = gathered.taken[known->second];
  if (earlier.session != taken.session || is_next_visit(earlier, taken))
    take_later(gathered, earlier, std::move(taken));
}

}  // namespace

std::vector<const BlockRecord*> last_of_attempts(const Taken& taken) {
  std::vector<const BlockRecord*> last = {&taken.result.block};
  for (const ResultRecord& more : taken.more) {
    const bool repeats = more.block.visit > 0 && more.block.attempt == last.back()->attempt;
    if (repeats) last.pop_back();
    last.push_back(&more.block);
  }
  return last;
}

Gathered gather(const std::vector<Record>& records, const HashSet& blocks) {
  Gathered gathered;
  gathered.position.reserve(blocks.size());
  std::size_t session = 0;
  Devices devices;
  std::set<std::tuple<std::size_t, Hash128, std::uint32_t>> attempts;
  for (const Record& record : records) {
    if (record.kind == RecordKind::header) {
      ++session;
      devices.clear();
    } else if (record.kind == RecordKind::agent) {
      take_agent(gathered, devices, parse_agent(record));
    } else if (record.kind == RecordKind::result) {
      if (blocks.contains(record.hash))
        take_result(gathered, devices, {parse_result(record), session, -1, {}});
      else
        gathered.other_blocks.insert(record.hash);
    } else if (record.kind == RecordKind::failed_attempt && blocks.contains(record.hash)) {
      if (attempts.emplace(session, record.hash, record.attempt).second) {
        gathered.failed_attempts.push_back(parse_failed_attempt(record));
      }
    }
  }
  return gathered;
}

}  // namespace regatta::results

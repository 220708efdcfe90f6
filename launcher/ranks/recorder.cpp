#include "ranks/recorder.hpp"

#include <fmt/format.h>

#include <variant>

#include "host/host.hpp"
#include "measuring/calibration.hpp"
#include "regatta/results/slot_cores.hpp"

namespace regatta::launcher {
namespace {

/// "NVIDIA H200 (GPU-1f2e3d4c)": which of several, whatever the order in which processes see them.
std::string name_of(const sweep::SlotDevice& device) {
  const std::size_t first = device.uuid.find('-');
  return fmt::format("{} ({})", device.name, device.uuid.substr(0, device.uuid.find('-', first + 1)));
}

void put_kind(results::StoreWriter& store, const dispatch::AgentToStore& agent) {
  results::AgentRecord record;
  record.agent = agent.agent.value;
  record.host = parse_host(agent.ready.host_json);
  const sweep::Slot& slot = agent.ready.slot;
  record.slot.kind = sweep::to_string(slot.device ? slot.device->kind : sweep::DeviceKind::cpu);
  record.slot.cores = slot.cores;
  record.slot.name = slot.device ? name_of(*slot.device) : results::name_of_cores(slot.cores);
  record.slot.flags = agent.ready.flags;
  if (!agent.calibration_json.empty()) record.slot.calibration = parse_calibration(agent.calibration_json);
  store.agent(record);
}

void put_kind(results::StoreWriter& store, const dispatch::BlockToStore& block) {
  store.result(block.record, block.samples);
}

void put_kind(results::StoreWriter& store, const results::FailedAttemptRecord& failed) {
  store.failed_attempt(failed.block, failed.trial, failed.attempt, failed.kind, failed.message);
}

}  // namespace

void put(results::StoreWriter& store, const dispatch::StoreRecord& record) {
  std::visit([&](const auto& kind) { put_kind(store, kind); }, record);
}

void Recorder::note(const std::vector<results::GrantedRecord>& grants) {
  for (const results::GrantedRecord& grant : grants) store_.granted(grant.block, {grant.agent}, {grant.attempt});
}

void Recorder::write(const std::vector<dispatch::StoreRecord>& records) {
  if (records.empty()) return;
  for (const dispatch::StoreRecord& record : records) put(store_, record);
  written_ += records.size();
  sync_.request(written_);
}

}  // namespace regatta::launcher

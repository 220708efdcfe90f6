#include "store.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <variant>

#include "results/journal/record_codec.hpp"

namespace regatta::simulation {
namespace {

using results::RecordKind;

constexpr std::uint64_t operations_of_sync = 4;  // on both files: samples, records, the mark that they are durable

void put(results::StoreWriter& writer, const dispatch::AgentToStore& agent) {
  writer.agent({agent.agent.value, {}, {}});
}

void put(results::StoreWriter& writer, const dispatch::BlockToStore& block) {
  writer.result(block.record, block.samples);
}

void put(results::StoreWriter& writer, const results::FailedAttemptRecord& failed) {
  writer.failed_attempt(failed.block, failed.trial, failed.attempt, failed.kind, failed.message);
}

/// Nobody compares what was kept with an arm that died since.
bool has_failed_arm(const results::BlockRecord& block) {
  return std::ranges::any_of(
      block.arms, [](const sweep::ArmOutcome& arm) { return std::holds_alternative<sweep::Failed>(arm.outcome); });
}

/// The state of a block in the journal.
struct Seen {
  bool interrupted = false;
};

void check_order(const results::BlockRecord& block, std::map<Hash128, Seen>& seen) {
  const auto [known, is_first] = seen.try_emplace(block.block);
  if (!is_first && !known->second.interrupted) throw Violation("a block has two results");
  if (block.continues && is_first) throw Violation("a block goes on with squares that nobody kept");
  if (!block.continues && !is_first && !has_failed_arm(block))
    throw Violation("a block replaces the squares that a drain kept");
  known->second.interrupted = block.interrupted;
}

}  // namespace

results::Scan Store::scan() { return results::scan_journal(results::MemoryLogFile(disk_.journal)); }

void Store::begin_session() {
  ++session_;
  appended_ = 0;
  writer_.emplace(results::StoreFiles{std::make_unique<BreakingFile>(disk_, disk_.journal),
                                      std::make_unique<BreakingFile>(disk_, disk_.samples)},
                  sweep_, plan_, results::Provenance());
}

void Store::append(const std::vector<results::GrantedRecord>& grants,
                   const std::vector<dispatch::StoreRecord>& records) {
  for (const results::GrantedRecord& grant : grants) writer_->granted(grant.block, {grant.agent}, {grant.attempt});
  for (const dispatch::StoreRecord& record : records)
    std::visit([&](const auto& kind) { put(*writer_, kind); }, record);
  appended_ += records.size();
}

void Store::sync(bool disk_breaks) {
  if (disk_breaks) disk_.operations_left = disk_.random.below(operations_of_sync);
  writer_->sync();
}

void Store::crash() {
  const std::size_t promised = scan().durable_records;
  writer_.reset();
  disk_.lose_power();
  if (scan().records.size() < promised) throw Violation("a record that was marked as durable is lost");
}

dispatch::Earlier Store::earlier() {
  const results::Scan journal = scan();
  const HashSet interrupted = results::interrupted_blocks(journal);
  return {results::finished_blocks(journal), {interrupted.begin(), interrupted.end()}};
}

void Store::check_samples(const results::Record& record) {
  const results::ResultRecord result = results::parse_result(record);
  const results::SampleLogReader reader(std::make_shared<results::MemoryLogFile>(disk_.samples));
  const auto block = std::ranges::find(plan_.blocks, record.hash, &sweep::Block::hash);
  for (const stats::Sample& sample : reader.read(result.samples)) {
    if (sample.slice != block->index.value) throw Violation("a block has the samples of another one");
  }
}

void Store::check() {
  std::map<Hash128, Seen> seen;
  std::set<Attempt> kept;
  std::set<Attempt> failed;
  std::uint32_t session = 0;
  for (const results::Record& record : scan().records) {
    if (record.kind == RecordKind::header) ++session;
    if (record.kind == RecordKind::result) {
      check_order(results::parse_result(record).block, seen);
      check_samples(record);
      kept.insert({record.hash, session, record.attempt});
    }
    if (record.kind == RecordKind::failed_attempt && !failed.insert({record.hash, session, record.attempt}).second)
      throw Violation("a failed attempt is recorded twice");
  }
  for (const Attempt& attempt : acknowledged_) {
    if (!kept.contains(attempt)) throw Violation("an acknowledged result is lost");
  }
}

void Store::check_complete() {
  const HashSet finished = earlier().finished;
  for (const sweep::Block& block : plan_.blocks) {
    if (!finished.contains(block.hash)) throw Violation("a block of a finished run has no result");
  }
}

}  // namespace regatta::simulation

#include "regatta/results/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "results/journal/record_json.hpp"

namespace regatta::results {
namespace {

/// The journal of a folder that may not be there yet.
std::filesystem::path journal_in(const std::filesystem::path& folder) {
  create_private_folder(folder);
  return journal_file(folder);
}

void refuse_other_sweep(const std::filesystem::path& folder, const std::string& name) {
  const Scan scan = scan_journal(journal_file(folder));
  const auto header = std::ranges::find(scan.records, RecordKind::header, &Record::kind);
  if (header == scan.records.end()) return;
  const std::string held = parse_header(*header).name;
  if (held == name) return;
  throw InputError(
      fmt::format("'{}' holds the sweep '{}', not '{}' (their results would mix); choose another folder "
                  "with --out",
                  folder.string(), held, name));
}

PlanRecord plan_record(const sweep::Sweep& sweep, const sweep::Plan& plan) {
  PlanRecord record{sweep.text, std::filesystem::absolute(sweep.file), sweep.axes, {}, {}, sweep.changes};
  for (const sweep::Trial& trial : plan.trials) record.trials.push_back(trial.hash);
  for (const sweep::Block& block : plan.blocks) record.blocks.push_back(block.hash);
  return record;
}

bool has_failed_arm(const BlockRecord& block) {
  return std::ranges::any_of(block.arms,
                             [](const ArmRecord& arm) { return std::holds_alternative<sweep::Failed>(arm.outcome); });
}

}  // namespace

StoreWriter::StoreWriter(const std::filesystem::path& folder, const sweep::Sweep& sweep, const sweep::Plan& plan,
                         const Provenance& provenance, double lock_seconds)
    : journal_(journal_in(folder), lock_seconds), samples_(samples_file(folder)), sweep_hash_(sweep_hash(sweep)) {
  refuse_other_sweep(folder, sweep.name);
  queue(to_record(HeaderRecord{sweep.name, provenance}, sweep_hash_));
  queue(to_record(plan_record(sweep, plan), sweep_hash_));
  sync();
  sync_folder(folder);
}

void StoreWriter::queue(Record record) {
  if (failed_) throw StorageError("an earlier write of results failed; free or repair the disk, then run again");
  const std::lock_guard lock(queue_mutex_);
  queued_.push_back(std::move(record));
}

void StoreWriter::agent(const AgentRecord& record) { queue(to_record(record, sweep_hash_)); }

void StoreWriter::result(const BlockRecord& record, std::span<const stats::Sample> samples) {
  SampleExtent extent;
  try {
    extent = samples_.append(samples);
  } catch (...) {
    failed_ = true;
    throw;
  }
  queue(to_record(ResultRecord{record, extent}));
}

void StoreWriter::failed_attempt(const Hash128& block, const Hash128& trial, std::uint32_t attempt,
                                 sweep::FailureKind kind, const std::string& message) {
  queue(to_record(FailedAttemptRecord{block, trial, attempt, kind, message}));
}

void StoreWriter::sync() {
  const std::lock_guard one(sync_mutex_);
  std::vector<Record> records;
  {
    const std::lock_guard lock(queue_mutex_);
    records.swap(queued_);
  }
  try {
    samples_.sync();
    for (const Record& record : records) journal_.append(record);
    journal_.sync();
  } catch (...) {
    failed_ = true;
    throw;
  }
}

void StoreWriter::end_session() {
  queue({RecordKind::session_end, sweep_hash_, 0, "{}"});
  sync();
}

std::set<Hash128> finished_blocks(const std::filesystem::path& folder, bool finished_only) {
  std::set<Hash128> finished;
  for (const Record& record : scan_journal(journal_file(folder)).records) {
    if (record.kind != RecordKind::result) continue;
    // A later session's record of the same block replaces an earlier one.
    if (finished_only && has_failed_arm(parse_result(record).block))
      finished.erase(record.hash);
    else
      finished.insert(record.hash);
  }
  return finished;
}

bool is_current(const std::filesystem::path& folder, const sweep::Sweep& sweep) {
  const Scan scan = scan_journal(journal_file(folder));
  std::optional<Hash128> last;
  for (const Record& record : scan.records) {
    if (record.kind == RecordKind::plan) last = record.hash;
  }
  return last == sweep_hash(sweep);
}

}  // namespace regatta::results

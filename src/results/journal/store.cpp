#include "regatta/results/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "results/journal/record_codec.hpp"
#include "results/journal/session_plan.hpp"

namespace regatta::results {
namespace {

/// Opens the files of a folder that may not be there yet.
StoreFiles open_store(const std::filesystem::path& folder, double lock_seconds,
                      const std::optional<LeaseFence>& fence) {
  create_private_folder(folder);
  auto journal = std::make_unique<PosixLogFile>(journal_file(folder));
  journal->lock(lock_seconds);
  auto samples = std::make_unique<PosixLogFile>(samples_file(folder));
  if (fence) journal->fence(*fence);
  if (fence) samples->fence(*fence);
  sync_way_to(folder);
  return {std::move(journal), std::move(samples)};
}

void refuse_other_sweep(const JournalWriter& journal, const std::string& file, const std::string& name) {
  const std::vector<Record>& records = journal.found().records;
  const auto header = std::ranges::find_if(records, is_header);
  if (header == records.end()) return;
  const std::string held = parse_header(*header).name;
  if (held == name) return;
  throw InputError(
      fmt::format("'{}' holds the sweep '{}', not '{}' (their results would mix); choose another folder "
                  "with --out",
                  std::filesystem::path(file).parent_path().string(), held, name));
}

}  // namespace

StoreWriter::StoreWriter(const std::filesystem::path& folder, const sweep::Sweep& sweep, const sweep::Plan& plan,
                         const Provenance& provenance, double lock_seconds, Scan before,
                         const std::optional<LeaseFence>& fence)
    : StoreWriter(open_store(folder, lock_seconds, fence), sweep, plan, provenance, std::move(before)) {}

StoreWriter::StoreWriter(StoreFiles files, const sweep::Sweep& sweep, const sweep::Plan& plan,
                         const Provenance& provenance, Scan before)
    : journal_name_(files.journal->name()),
      journal_(std::move(files.journal), std::move(before)),
      samples_(std::move(files.samples)),
      sweep_hash_(sweep_hash(sweep)) {
  refuse_other_sweep(journal_, journal_name_, sweep.name);
  begin(sweep, plan, provenance);
  journal_.forget_found();
}

void StoreWriter::next_session(const sweep::Sweep& sweep, const sweep::Plan& plan, const Provenance& provenance) {
  expect(sweep_hash(sweep) == sweep_hash_, "one writer's sessions are of one sweep");
  begin(sweep, plan, provenance);
}

void StoreWriter::begin(const sweep::Sweep& sweep, const sweep::Plan& plan, const Provenance& provenance) {
  const Record header = to_record(HeaderRecord{sweep.name, provenance}, sweep_hash_);
  const PlanRecord planned = plan_record(sweep, plan);
  Record record = to_record(planned, sweep_hash_);
  plan_copy_ = plan_copy(header, planned, record);
  queue(header);
  queue(plan_stands_ || holds_plan(journal_.found().records, record) ? plan_again(record) : std::move(record));
  plan_stands_ = true;
  sync();
}

void StoreWriter::queue(Record record) {
  if (failed_) throw StorageError("an earlier write of results failed; free or repair the disk, then run again");
  const std::lock_guard lock(queue_mutex_);
  queued_.push_back(std::move(record));
}

void StoreWriter::agent(const AgentRecord& record) { queue(to_record(record, sweep_hash_)); }

void StoreWriter::granted(const Hash128& block, AgentId agent, AttemptId attempt) {
  queue(to_record(GrantedRecord{block, attempt.value, agent.value}));
}

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

void StoreWriter::orchestration(const Orchestration& self) { queue(to_record(self, sweep_hash_)); }

void StoreWriter::stop_asked() { queue({RecordKind::stop_asked, sweep_hash_, 0, {}}); }

void StoreWriter::sync() {
  const std::lock_guard one(sync_mutex_);
  std::vector<Record> records;
  {
    const std::lock_guard lock(queue_mutex_);
    records.swap(queued_);
  }
  try {
    samples_.sync();
    journal_.append(records);
    journal_.sync();
  } catch (...) {
    failed_ = true;
    throw;
  }
}

void StoreWriter::end_session(const SessionEndRecord& end) {
  queue(plan_copy_);
  queue(to_record(end, sweep_hash_));
  sync();
}

namespace {

/// The blocks whose last result is such: a later session's record of the same block replaces an earlier one.
template <class Is>
HashSet blocks_that(const Scan& journal, const Is& is) {
  HashSet blocks;
  blocks.reserve(journal.records.size() / 2);  // a result stands behind its grant
  for (const Record& record : journal.records) {
    if (record.kind != RecordKind::result) continue;
    if (is(read_result_head(record)))
      blocks.insert(record.hash);
    else
      blocks.erase(record.hash);
  }
  return blocks;
}

}  // namespace

HashSet finished_blocks(const Scan& journal, bool finished_only, double tried_since) {
  return blocks_that(journal, [&](const ResultHead& result) {
    const bool is_to_try = finished_only && result.has_failed_arm && result.end_wall_seconds < tried_since;
    return !result.interrupted && !is_to_try;
  });
}

HashSet interrupted_blocks(const Scan& journal, bool finished_only) {
  return blocks_that(journal, [&](const ResultHead& result) {
    return result.interrupted && !(finished_only && result.has_failed_arm);
  });
}

std::map<Hash128, BlockRecord> last_results(const Scan& journal, const std::set<Hash128>& blocks) {
  std::map<Hash128, BlockRecord> results;
  for (const Record& record : journal.records) {
    if (record.kind == RecordKind::result && blocks.contains(record.hash))
      results[record.hash] = parse_result(record).block;
  }
  return results;
}

bool is_current(const Scan& journal, const sweep::Sweep& sweep) {
  std::optional<Hash128> last;
  for (const Record& record : journal.records) {
    if (is_plan(record)) last = record.hash;
  }
  return last == sweep_hash(sweep);
}

}  // namespace regatta::results

#include "recorded_run.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "regatta/results/salvage.hpp"
#include "regatta/results/store.hpp"
#include "results/journal/memory_log_file.hpp"
#include "results/journal/record_codec.hpp"
#include "scans.hpp"
#include "scratch.hpp"
#include "support/temporary_folder.hpp"
#include "system_calls.hpp"

namespace regatta::crashes {
namespace {

using results::Record;
using results::RecordKind;

constexpr double lock_seconds = 1;

std::vector<stats::Sample> samples_of(const std::string& samples, const Record& record) {
  results::MemoryDisk disk{samples};
  const results::SampleLogReader reader(std::make_shared<results::MemoryLogFile>(disk, "samples.bin"));
  return reader.read(results::parse_result(record).samples);
}

bool same_samples(const std::vector<stats::Sample>& a, const std::vector<stats::Sample>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const auto& one, const auto& other) {
           return std::memcmp(&one, &other, sizeof one) == 0;
         });
}

/// All that stands in the journal now.
void promise(Recording& recording, const std::filesystem::path& folder) {
  recording.promise(results::scan_journal(results::journal_file(folder)).records.size());
}

}  // namespace

RecordedRun::RecordedRun() : sample_(results::sample_sweep("8, 16, 32, 64")) {}

Recorded RecordedRun::sessions() const {
  const auto open = [this](const std::filesystem::path& folder) {
    return std::make_unique<results::StoreWriter>(folder, sample_.sweep, sample_.plan,
                                                  results::sample_provenance(sample_.sweep.text), lock_seconds);
  };
  const auto put = [this](results::StoreWriter& writer, std::uint32_t block, bool interrupted, bool continues) {
    results::BlockRecord record = results::finished_block(sample_.plan, {block});
    record.interrupted = interrupted;
    record.continues = continues;
    writer.granted(record.block, {0}, {1});
    writer.result(record, results::block_samples(sample_.plan, {block}, 3 + 7 * block));
  };
  const auto act = [&](const std::filesystem::path& root, Recording& recording) {
    const std::filesystem::path folder = root / run_path;
    auto writer = open(folder);
    promise(recording, folder);
    writer->agent(results::sample_agent());
    put(*writer, 0, false, false);
    writer->sync();
    promise(recording, folder);
    const sweep::Block& block = sample_.plan.blocks[1];
    writer->failed_attempt(block.hash, sample_.plan.trials[block.arms[0].value].hash, 1, sweep::FailureKind::crashed,
                           std::string("signal 11\n\0 and more", 20));
    put(*writer, 1, false, false);
    put(*writer, 2, true, false);
    writer->sync();
    promise(recording, folder);
    writer->end_session();
    promise(recording, folder);
    writer.reset();
    writer = open(folder);
    promise(recording, folder);
    put(*writer, 2, false, true);
    writer->sync();
    promise(recording, folder);
    put(*writer, 3, false, false);
    writer->end_session({.passes_due = true});
    promise(recording, folder);
  };
  return {{}, recorded({}, act)};
}

Recorded RecordedRun::after_kill(const Recorded& earlier, std::size_t done) const {
  Recorded later{earlier.before, {}, done + 1};
  later.operations.assign(earlier.operations.begin(), earlier.operations.begin() + static_cast<std::ptrdiff_t>(done));
  const Recorded added = after_crash(all_done(earlier.before, earlier.operations, done));
  later.operations.insert(later.operations.end(), added.operations.begin(), added.operations.end());
  return later;
}

Recorded RecordedRun::after_crash(const Disk& left) const {
  const auto act = [this](const std::filesystem::path& root, Recording& recording) {
    const std::filesystem::path folder = root / run_path;
    const results::Scan journal = results::resume_store(folder, {sample_.sweep, sample_.plan}, lock_seconds);
    go_on(folder, journal);
    promise(recording, folder);
  };
  return {left, recorded(left, act)};
}

/// Measures what is open, as the same command does that is run again.
void RecordedRun::go_on(const std::filesystem::path& folder, const results::Scan& journal) const {
  const HashSet finished = results::finished_blocks(journal);
  const HashSet interrupted = results::interrupted_blocks(journal);
  results::StoreWriter writer(folder, sample_.sweep, sample_.plan, results::sample_provenance(sample_.sweep.text),
                              lock_seconds);
  for (const sweep::Block& block : sample_.plan.blocks) {
    if (finished.contains(block.hash)) continue;
    results::BlockRecord record = results::finished_block(sample_.plan, block.index, 2);
    record.continues = interrupted.contains(block.hash);
    writer.result(record, results::block_samples(sample_.plan, block.index, 5));
    writer.sync();
  }
  writer.end_session();
}

/// The records and samples that the run had written in the end.
struct RecordedRun::Expected {
  std::vector<Record> records;
  std::vector<std::vector<stats::Sample>> samples;  ///< a record's; empty for one that is no result

  explicit Expected(const Disk& disk) : records(scan_of(disk.at(journal_path)).records) {
    const std::string bytes = disk.at(samples_path);
    for (const Record& record : records) {
      samples.emplace_back();
      if (record.kind == RecordKind::result) samples.back() = samples_of(bytes, record);
    }
  }

  /// Expects that these records are the first of them, with their samples.
  void expect_first(const results::Scan& journal, const std::filesystem::path& folder) const {
    if (journal.records.size() > records.size()) throw Violation("there are more records than were written");
    for (std::size_t at = 0; at < journal.records.size(); ++at) {
      const Record& record = journal.records[at];
      if (!same(record, records[at])) throw Violation("record " + std::to_string(at) + " is another one");
      if (record.kind != RecordKind::result) continue;
      const auto read = results::read_samples(results::samples_file(folder), results::parse_result(record).samples);
      if (!same_samples(read, samples[at])) throw Violation("a result has other samples");
    }
  }
};

namespace {

/// Each block was measured to its end once, on top of what was interrupted.
void expect_each_once(const results::Scan& journal, const sweep::Plan& plan) {
  std::map<Hash128, int> ends;
  std::map<Hash128, bool> kept;
  for (const Record& record : journal.records) {
    if (record.kind != RecordKind::result) continue;
    const results::BlockRecord block = results::parse_result(record).block;
    if (block.continues && !kept[block.block]) throw Violation("a block goes on with squares that nobody kept");
    if (!block.continues && ends[block.block] + kept[block.block] > 0) throw Violation("a block is there twice");
    kept[block.block] = block.interrupted;
    ends[block.block] += block.interrupted ? 0 : 1;
  }
  for (const sweep::Block& block : plan.blocks) {
    if (ends[block.hash] != 1) throw Violation("a block does not end once");
  }
}

}  // namespace

std::size_t RecordedRun::resume(const Disk& disk, const Expected& expected) const {
  const support::TemporaryFolder scratch(memory_folder());
  disk.put_into(scratch.path());
  const std::filesystem::path folder = scratch.path() / run_path;
  const CaughtErrors warnings;
  const results::Scan found = results::resume_store(folder, {sample_.sweep, sample_.plan}, lock_seconds);
  expected.expect_first(found, folder);
  const bool has_plan = std::ranges::any_of(found.records, [](const Record& record) {
    return record.kind == RecordKind::plan || record.kind == RecordKind::plan_again;
  });
  if (has_plan) static_cast<void>(results::collect(folder));
  go_on(folder, found);
  const bool has_warned = warnings.text().find("half-written record") != std::string::npos;
  if (has_warned != found.torn_tail) throw Violation("what was cut was not told: " + warnings.text());
  results::Scan after = results::scan_journal(results::journal_file(folder));
  if (after.records.size() < found.records.size() + 4) throw Violation("the next session is not whole");
  expect_each_once(after, sample_.plan);
  if (!results::collect(folder).complete) throw Violation("the next session does not complete the run");
  if (after.torn_tail) throw Violation("the next session leaves a torn record");
  after.records.erase(after.records.begin() + static_cast<std::ptrdiff_t>(found.records.size()), after.records.end());
  expected.expect_first(after, folder);
  return found.records.size();
}

Count RecordedRun::survive(const Recorded& recorded, const Effort& effort, std::uint64_t seed) const {
  const Expected expected(all_done(recorded.before, recorded.operations, recorded.operations.size()));
  // Acknowledged records, and records that a reader could have been shown: both must be there.
  const auto promised = [&](std::size_t done) {
    std::size_t least = 0;
    for (std::size_t at = 0; at < done; ++at) {
      if (recorded.operations[at].kind == Operation::Kind::promise) least = recorded.operations[at].promise;
    }
    const std::string journal = all_done(recorded.before, recorded.operations, done).at(journal_path);
    try {
      return std::max(least, scan_of(journal).durable_records);
    } catch (const results::DamagedJournal&) {
      return least;  // until it is mended
    }
  };
  return crashes::survive(recorded, effort, seed, promised, [&](const Disk& disk) { return resume(disk, expected); });
}

}  // namespace regatta::crashes

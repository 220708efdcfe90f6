#include "regatta/results/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "regatta/base/bytes.hpp"
#include "regatta/base/crc32c.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/shell.hpp"
#include "results/journal/frames.hpp"
#include "results/journal/journal.hpp"

namespace regatta::results {
namespace {

constexpr std::uint64_t largest_journal_bytes = std::uint64_t{1} << 36;

void expect_known(const Record& record, const std::string& name) {
  const bool tells_version = record.kind == RecordKind::opening || record.kind == RecordKind::header;
  const bool is_newer = tells_version && record.attempt > journal_version;
  const bool is_unknown = record.kind == RecordKind::other && !record.other_kind.ends_with('?');
  if (!is_newer && !is_unknown) return;
  throw InputError(
      fmt::format("'{}' was written by a newer Regatta ({}, this one reads up to {}); "
                  "use that version, or run into another folder with --out",
                  name,
                  is_newer ? fmt::format("journal version {}", record.attempt)
                           : fmt::format("it holds a record '{}'", record.other_kind),
                  journal_version));
}

void expect_whole(const Scan& scan, const std::string& name) {
  if (scan.lost.empty()) return;
  const bool has_plan = std::ranges::any_of(scan.records, [](const Record& record) {
    return record.kind == RecordKind::plan || record.kind == RecordKind::plan_copy;
  });
  const LostPiece& lost = scan.lost.front();
  throw DamagedJournal(
      fmt::format("'{}' is damaged at byte {}: {} (a result may be lost there); the file was left untouched", name,
                  lost.place.byte, lost.why),
      fmt::format("put back a good copy, or save what is whole with `regatta collect {} --salvage -o salvaged{}`",
                  shell_path(std::filesystem::path(name).parent_path()), has_plan ? "" : " --sweep SWEEP.json"),
      has_plan);
}

Scan whole_records(const LogFile& file) {
  const std::uint64_t size = file.size_bytes();
  const std::string name = file.name();
  if (size > largest_journal_bytes) throw InputError(fmt::format("'{}' is larger than 64 GiB", name));
  const std::optional<FileStamp> stamp = file.stamp();
  const std::string bytes = file.read(0, size);
  Scan scan = pieces_of(bytes);
  if (stamp && stamp->bytes == bytes.size()) scan.stamp = stamp;
  for (const Record& record : scan.records) expect_known(record, name);
  return scan;
}

}  // namespace

Scan scan_journal(const LogFile& file) {
  Scan scan = whole_records(file);
  expect_whole(scan, file.name());
  return scan;
}

Scan scan_journal(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return {};
  return scan_journal(*open_for_reading(file));
}

Scan read_journal(const std::filesystem::path& file) { return read_journal(scan_journal(file), file); }

Scan read_journal(Scan scan, const std::filesystem::path& file) {
  // Asked after the scan: a writer that has ended since left its last records as durable as they will ever be.
  if (is_locked(file)) {
    scan.records.erase(scan.records.begin() + static_cast<std::ptrdiff_t>(scan.durable_records), scan.records.end());
    scan.stamp.reset();
  }
  return scan;
}

Hash128 fingerprint(const Scan& journal) {
  ByteWriter all;
  for (const Record& record : journal.records) {
    all.number(static_cast<std::uint8_t>(record.kind));
    all.hash(record.hash);
    all.number(record.attempt);
    all.number(static_cast<std::uint64_t>(record.payload.size()));
    all.number(crc32c(record.payload));
  }
  return hash128(all.take());
}

Scan whole_records(const std::filesystem::path& file) { return whole_records(*open_for_reading(file)); }

namespace {

std::unique_ptr<LogFile> open_locked(const std::filesystem::path& file, double lock_seconds) {
  auto opened = std::make_unique<PosixLogFile>(file);
  opened->lock(lock_seconds);
  return opened;
}

}  // namespace

JournalWriter::JournalWriter(const std::filesystem::path& file, double lock_seconds)
    : JournalWriter(open_locked(file, lock_seconds)) {
  sync_folder(file.parent_path());
}

namespace {

bool is_whole_still(const Scan& before, const LogFile& file) { return before.lost.empty() && is_still(before, file); }

}  // namespace

JournalWriter::JournalWriter(std::unique_ptr<LogFile> file, Scan before)
    : file_(std::move(file)), found_(is_whole_still(before, *file_) ? std::move(before) : scan_journal(*file_)) {
  next_sequence_ = found_.next_sequence;
  if (found_.torn_tail) {
    log::warn(
        fmt::format("'{}' ends in a half-written record at byte {} (the run before was cut off there); cutting it",
                    file_->name(), found_.valid_bytes));
    file_->truncate(found_.valid_bytes);
  }
  if (found_.lacks_newline) end_last_line();
  if (next_sequence_ == 0) write(opening_frame());
  sync();
}

/// Ends the last line, whatever bytes stand there: the next record begins a line.
void JournalWriter::end_last_line() {
  if (file_->size_bytes() > found_.valid_bytes) file_->truncate(found_.valid_bytes);
  file_->append("\n");
}

void JournalWriter::expect_working() const {
  if (!failed_) return;
  throw StorageError(
      fmt::format("an earlier write to '{}' failed (what reached the disk is unknown); free or repair the "
                  "disk, then run the same command again: it resumes",
                  file_->name()));
}

/// One record's bytes; the caller holds the mutex, or is alone.
void JournalWriter::write(std::string_view bytes) {
  try {
    file_->append(bytes);
  } catch (...) {
    failed_ = true;
    throw;
  }
  ++next_sequence_;
  dirty_ = true;
}

void JournalWriter::append(std::span<const Record> records) {
  expect_working();
  if (records.empty()) return;
  const std::lock_guard lock(mutex_);
  std::string bytes;
  for (std::size_t i = 0; i < records.size(); ++i) bytes += frame_of(records[i], next_sequence_ + i);
  write(bytes);
  next_sequence_ += records.size() - 1;
}

void JournalWriter::sync() {
  expect_working();
  if (!dirty_.exchange(false)) return;
  std::uint64_t durable = 0;
  {
    const std::lock_guard lock(mutex_);
    durable = next_sequence_;
  }
  try {
    file_->sync();
  } catch (...) {
    // Never again: the kernel may have dropped the pages, and a second call would report success.
    failed_ = true;
    throw;
  }
  const std::lock_guard lock(mutex_);
  const bool was_dirty = dirty_;
  write(frame_of({RecordKind::durable, {}, 0, std::to_string(durable)}, next_sequence_));
  dirty_ = was_dirty;  // the mark itself need not be synced
}

}  // namespace regatta::results

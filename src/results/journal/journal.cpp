#include "regatta/results/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/log.hpp"
#include "results/journal/frames.hpp"
#include "results/journal/lines.hpp"

namespace regatta::results {
namespace {

constexpr std::uint64_t largest_journal_bytes = std::uint64_t{1} << 36;

/// A walk over the bytes of a journal, whichever versions its parts have.
class Scanner {
 public:
  Scanner(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  Scan scan() {
    while (at_ < bytes_.size() && !scan_.torn_tail) {
      if (in_version_2_)
        take_frame();
      else
        take_line();
    }
    scan_.valid_bytes = at_;
    if (!in_version_2_) scan_.durable_records = scan_.records.size();  // version 1 has no marks
    return std::move(scan_);
  }

 private:
  [[noreturn]] void throw_damaged(std::size_t at, const std::string& what) const {
    throw InputError(
        fmt::format("'{}' is damaged at byte {}: {} (what is recorded from there on cannot be trusted); the "
                    "file was left untouched: put back a good copy, or save what is whole with `regatta salvage`",
                    name_, at, what));
  }

  void refuse_zero_bytes(std::string_view text) const {
    const std::size_t zero = text.find('\0');
    if (zero == std::string_view::npos) return;
    const std::size_t after = std::min(text.find_first_not_of('\0', zero), text.size());
    throw_damaged(at_ + zero, fmt::format("{} zero byte(s) where a record should stand", after - zero));
  }

  void expect_known(const Record& record) const {
    const bool is_newer = record.kind == RecordKind::header && record.attempt > journal_version;
    const bool is_unknown = record.kind == RecordKind::other && !record.other_kind.ends_with('?');
    if (!is_newer && !is_unknown) return;
    throw InputError(
        fmt::format("'{}' was written by a newer Regatta ({}, this one reads up to {}); "
                    "use that version, or run into another folder with --out",
                    name_,
                    is_newer ? fmt::format("journal version {}", record.attempt)
                             : fmt::format("it holds a record '{}'", record.other_kind),
                    journal_version));
  }

  void expect_next(std::uint64_t sequence) {
    if (sequence != scan_.next_sequence)
      throw_damaged(at_, fmt::format("record {} where record {} should stand", sequence, scan_.next_sequence));
    ++scan_.next_sequence;
  }

  void take_line() {
    const std::string_view rest = bytes_.substr(at_);
    const std::size_t end = rest.find('\n');
    refuse_zero_bytes(rest.substr(0, end));
    if (end == std::string_view::npos) {
      scan_.torn_tail = true;
      return;
    }
    std::string why;
    std::optional<Line> line = parse_line(rest.substr(0, end), why);
    if (!line) throw_damaged(at_, why);
    expect_known(line->record);
    expect_next(line->sequence);
    at_ += end + 1;
    in_version_2_ = opens_later_version(line->record);
    scan_.version = in_version_2_ ? journal_version : 1;
    if (in_version_2_)
      scan_.durable_records = scan_.records.size();  // it is written behind what was synced
    else
      scan_.records.push_back(std::move(line->record));
  }

  void take_frame() {
    const std::string_view rest = bytes_.substr(at_);
    Frame frame = read_frame(rest);
    const bool has_head = frame.bytes > 0;
    if (!has_head && (frame.state == FrameState::torn || rest.front() == '\0')) refuse_zero_bytes(rest);
    if (frame.state == FrameState::torn) {
      scan_.torn_tail = true;
      return;
    }
    if (frame.state == FrameState::damaged) throw_damaged(at_, frame.why);
    expect_known(frame.record);
    expect_next(frame.sequence);
    at_ += frame.bytes;
    if (frame.record.kind == RecordKind::durable) {
      take_mark(frame.record);
    } else {
      sequences_.push_back(frame.sequence);
      scan_.records.push_back(std::move(frame.record));
    }
  }

  void take_mark(const Record& mark) {
    std::string_view text = mark.payload;
    std::uint64_t end = 0;
    if (!take_number(text, end)) throw_damaged(at_, "a durable mark without a number");
    const auto behind = std::ranges::lower_bound(sequences_, end) - sequences_.begin();
    const std::size_t older = scan_.records.size() - sequences_.size();  // version 1
    scan_.durable_records = std::max(scan_.durable_records, older + static_cast<std::size_t>(behind));
  }

  std::string_view bytes_;
  std::string name_;
  std::size_t at_ = 0;
  bool in_version_2_ = false;
  std::vector<std::uint64_t> sequences_;  ///< one for each record of version 2
  Scan scan_;
};

/// The front of what is left of a damaged journal: a whole record, or nothing, and how many bytes that is.
struct Piece {
  std::optional<Line> record;
  std::size_t bytes = 0;
  bool opens_version_2 = false;
};

Piece next_piece(std::string_view rest, bool in_version_2) {
  Piece piece;
  piece.bytes = std::min(rest.find('\n'), rest.size() - 1) + 1;
  std::string why;
  piece.record = parse_line(rest.substr(0, piece.bytes - (rest[piece.bytes - 1] == '\n' ? 1 : 0)), why);
  if (piece.record && opens_later_version(piece.record->record)) {
    piece.opens_version_2 = true;
  } else if (!piece.record || in_version_2) {
    Frame frame = read_frame(rest);
    piece.record.reset();
    if (frame.bytes > 0) piece.bytes = frame.bytes;
    if (frame.state == FrameState::whole) piece.record = Line{frame.sequence, std::move(frame.record)};
  }
  return piece;
}

}  // namespace

Scan scan_journal(const LogFile& file) {
  const std::uint64_t size = file.size_bytes();
  if (size > largest_journal_bytes) throw InputError(fmt::format("'{}' is larger than 64 GiB", file.name()));
  const std::string bytes = file.read(0, size);
  return Scanner(bytes, file.name()).scan();
}

Scan scan_journal(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return {};
  return scan_journal(*open_for_reading(file));
}

Scan read_journal(const std::filesystem::path& file) {
  Scan scan = scan_journal(file);
  // Asked after the scan: a writer that has ended since left its last records as durable as they will ever be.
  if (is_locked(file))
    scan.records.erase(scan.records.begin() + static_cast<std::ptrdiff_t>(scan.durable_records), scan.records.end());
  return scan;
}

Remains whole_records(const std::filesystem::path& file) {
  Remains remains;
  const std::string bytes = read_file(file, largest_journal_bytes);
  std::uint64_t next_sequence = 0;
  bool in_version_2 = false;
  bool was_damaged = false;
  for (std::size_t at = 0; at < bytes.size();) {
    Piece piece = next_piece(std::string_view(bytes).substr(at), in_version_2);
    at += piece.bytes;
    const bool counts = piece.record && piece.record->sequence >= next_sequence;
    if (!counts) {
      if (!was_damaged) ++remains.damaged_lines;  // a payload may hold newlines: one damaged place, however many
      was_damaged = in_version_2 || piece.record;
      continue;
    }
    was_damaged = false;
    in_version_2 = in_version_2 || piece.record->record.version > 1 || piece.opens_version_2;
    remains.missing_records += piece.record->sequence - next_sequence;
    next_sequence = piece.record->sequence + 1;
    if (!piece.opens_version_2 && piece.record->record.kind != RecordKind::durable)
      remains.records.push_back(std::move(piece.record->record));
  }
  return remains;
}

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

JournalWriter::JournalWriter(std::unique_ptr<LogFile> file) : file_(std::move(file)), found_(scan_journal(*file_)) {
  next_sequence_ = found_.next_sequence;
  if (found_.torn_tail) {
    log::warn(
        fmt::format("'{}' ends in a half-written record at byte {} (the run before was cut off there); cutting it",
                    file_->name(), found_.valid_bytes));
    file_->truncate(found_.valid_bytes);
  }
  if (found_.version < journal_version) {
    file_->sync();  // the line says that what stands before it is durable
    write(opening_line(next_sequence_));
  }
  sync();
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

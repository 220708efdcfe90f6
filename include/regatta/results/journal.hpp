// The store of record: an append-only file of checksummed lines, `crc seq kind hash attempt {json}`.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "regatta/base/digest.hpp"
#include "regatta/base/unique_fd.hpp"

namespace regatta::results {

/// Version of the line format and of the JSON inside; a header carries it in place of an attempt.
inline constexpr std::uint32_t journal_version = 1;

enum class RecordKind { header, plan, agent, result, failed_attempt, session_end };

struct Record {
  RecordKind kind;
  Hash128 hash;               ///< of the sweep (header, plan), or of the block
  std::uint32_t attempt = 0;  ///< in a header: the version of the journal
  std::string json;           ///< one object, no newline
};

/// What a scan found. A torn last line is reported, not an error.
struct Scan {
  std::vector<Record> records;
  std::uint64_t valid_bytes = 0;
  bool torn_tail = false;
};

/// Reads a journal without changing it. Throws InputError naming the offset of damage (bad CRC, a gap
/// in the sequence, zero bytes), or for a newer version. A missing file is an empty scan; a last line
/// without its newline is a torn tail. JSON is not parsed.
Scan scan_journal(const std::filesystem::path& file);

/// What is still whole of a damaged journal.
struct Remains {
  std::vector<Record> records;
  std::uint64_t damaged_lines = 0;
  std::uint64_t missing_records = 0;  ///< gaps in the sequence: those of damaged lines, and those cut out whole
};

/// Every line that checks out, in order, whatever stands between them. Throws InputError if the file cannot be read.
Remains whole_records(const std::filesystem::path& file);

/// The one writer. Locks the file for its lifetime.
class JournalWriter {
 public:
  /// Opens or creates, waits up to `lock_seconds` for another writer to end, cuts a torn tail (with
  /// a warning), continues the sequence. Throws InputError if another writer holds it, StorageError for I/O errors.
  JournalWriter(const std::filesystem::path& file, double lock_seconds);

  /// Appends a record with one write(); durable only after sync(). Throws StorageError, and does so
  /// for every call after a failure.
  void append(const Record& record);

  /// fdatasync; after a failure every further call throws StorageError. May be called from another thread than append.
  void sync();

 private:
  void expect_working() const;

  std::filesystem::path file_;
  UniqueFd fd_;
  std::uint64_t next_sequence_ = 0;
  std::atomic<bool> failed_ = false;
};

}  // namespace regatta::results

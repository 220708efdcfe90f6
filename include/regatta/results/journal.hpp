// The store of record: an append-only file of checksummed lines, `crc seq kind hash attempt {json}`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/base/digest.hpp"
#include "regatta/base/unique_fd.hpp"

namespace regatta::results {

enum class RecordKind { header, plan, agent, result, failed_attempt, session_end };

struct Record {
  RecordKind kind;
  Hash128 hash;               ///< of the sweep (header, plan), or of the block
  std::uint32_t attempt = 0;
  std::string json;           ///< one object, no newline
};

/// What a scan found. A torn last line is reported, not an error.
struct Scan {
  std::vector<Record> records;
  std::uint64_t valid_bytes = 0;
  bool torn_tail = false;
};

/// Reads a journal without changing it. Throws InputError naming the offset of damage in the middle
/// (bad CRC, a gap in the sequence, zero bytes) and how to salvage; a missing file is an empty scan.
Scan scan_journal(const std::filesystem::path& file);

/// The one writer. Locks the file for its lifetime.
class JournalWriter {
 public:
  /// Opens or creates, waits up to `lock_seconds` for another writer to end, cuts a torn tail (with
  /// a warning), continues the sequence. Throws InputError if another writer holds it, StorageError for I/O errors.
  JournalWriter(const std::filesystem::path& file, double lock_seconds);

  /// Appends a record; durable only after sync(). Throws StorageError.
  void append(const Record& record);

  /// fdatasync; after a failure every further call throws StorageError. May be called from another thread than append.
  void sync();

 private:
  UniqueFd fd_;
  std::uint64_t next_sequence_ = 0;
  bool failed_ = false;
};

}  // namespace regatta::results

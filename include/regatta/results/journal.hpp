// The store of record: an append-only file of checksummed records (docs/reference/results.md, "The journal").
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "regatta/base/digest.hpp"
#include "regatta/base/error.hpp"
#include "regatta/results/log_file.hpp"

namespace regatta::results {

/// Version of the framing and of the payloads; the first record and headers carry it in place of an attempt.
inline constexpr std::uint32_t journal_version = 3;

enum class RecordKind : std::uint8_t {
  header,
  plan,
  agent,
  result,
  failed_attempt,
  session_end,
  granted,        ///< a block was handed to an agent
  plan_again,     ///< the plan is one that stands earlier in the journal
  durable,        ///< everything before the sequence number that it names was synced; consumed by scan_journal()
  plan_copy,      ///< the session's header and plan again, where it ends
  orchestration,  ///< the cost of the session's orchestration until then
  stop_asked,     ///< the session was asked to end: however it does, no block is to blame
  opening,  ///< the first one, synced before anything follows: its attempt is the journal's version; consumed, too
  other     ///< a kind of a later version that may be skipped
};

/// Where a record stands.
struct RecordPlace {
  std::uint64_t sequence = 0;
  std::uint64_t byte = 0;
};

struct Record {
  RecordKind kind;
  Hash128 hash;                 ///< names the sweep (header, plan), or the block
  std::uint32_t attempt = 0;    ///< in the first record and in headers: the version of the journal
  std::string payload;          ///< JSON in headers and agents; else as record_codec writes it
  std::string other_kind = {};  ///< the name of a kind `other`, "curve?"
  RecordPlace place = {};       ///< in the journal from which it was read
};

/// A place where something else stands than the next record, or nothing: damaged, written over, cut out.
struct LostPiece {
  RecordPlace place;          ///< where the missing record should stand
  std::uint64_t missing = 0;  ///< records that are lost with it; 0: what stands there is too much
  std::uint64_t bytes = 0;
  std::size_t behind = 0;           ///< so many whole records stand before it
  std::optional<Record> head = {};  ///< the lost record's, where its payload alone is damaged
  std::string why = {};
};

/// The result of a scan. A torn tail is reported, not an error. A record counts with or without its newline.
struct Scan {
  std::vector<Record> records;      ///< without the durable marks
  std::vector<LostPiece> lost;      ///< damaged places between them
  std::size_t durable_records = 0;  ///< how many of them the last durable mark promises
  std::uint64_t next_sequence = 0;
  std::uint64_t valid_bytes = 0;        ///< behind them stands nothing, or what is torn, or what is no newline
  bool torn_tail = false;               ///< it ends in the beginning of a record
  bool lacks_newline = false;           ///< the last piece has no newline
  std::optional<FileStamp> stamp = {};  ///< stamp of the file that was read, if it has one and nobody wrote meanwhile
};

/// A journal that is damaged in its middle; what() says how to save the rest.
struct DamagedJournal : InputError {
  DamagedJournal(const std::string& what_is, const std::string& advice, bool plan_is_there)
      : InputError(what_is + "; " + advice), damage(what_is), has_plan(plan_is_there) {}
  std::string damage;  ///< the damage, without advice
  bool has_plan;       ///< salvage needs no sweep
};

/// Reads a journal without changing it: everything that checks out. Throws DamagedJournal naming the offset of damage
/// (bad checksum, a gap in the sequence, zero bytes), InputError for a newer version. A missing file is an empty scan.
/// Payloads are not parsed.
Scan scan_journal(const std::filesystem::path& file);
Scan scan_journal(const LogFile& file);

/// The records that a reader may show. They are all, or, of a journal that is being written now, those that its last
/// durable mark promises.
Scan read_journal(const std::filesystem::path& file);
/// The same of what a scan of the file gave.
Scan read_journal(Scan scan, const std::filesystem::path& file);

/// One hash of the records that were read: two journals with the same records have the same.
Hash128 fingerprint(const Scan& journal);

/// The whole records of a damaged journal, in order, whatever lies between them. Throws InputError if the file cannot
/// be read, or for a newer version.
Scan whole_records(const std::filesystem::path& file);

/// Whether this is what a scan of the file would give now.
inline bool is_still(const Scan& scan, const LogFile& file) { return scan.stamp && scan.stamp == file.stamp(); }

/// The one writer.
class JournalWriter {
 public:
  /// Opens or creates the file and locks it for this writer's lifetime; waits up to `lock_seconds` for another writer
  /// to end. Throws InputError if it does not, and as the other constructor.
  JournalWriter(const std::filesystem::path& file, double lock_seconds);

  /// Cuts a torn tail (with a warning), ends the last line where its newline is lost, continues the sequence, syncs
  /// what stands there. Throws InputError for damage, StorageError for I/O errors. `before`: what a scan gave before;
  /// the file is read again only if somebody wrote to it since.
  explicit JournalWriter(std::unique_ptr<LogFile> file, Scan before = {});

  /// The records that stood there when it was opened, until they are forgotten.
  [[nodiscard]] const Scan& found() const { return found_; }
  /// A writer lives as long as its run, and does not go on with what a million trials left behind.
  void forget_found() { found_ = {}; }

  /// Appends records with one write; durable only after sync(). Throws StorageError, and does so for every call after a
  /// failure.
  void append(std::span<const Record> records);
  void append(const Record& record) { append({&record, 1}); }

  /// Makes durable what was appended, then says so with a mark. After a failure every further call throws StorageError.
  /// May be called from another thread than append.
  void sync();

 private:
  void end_last_line();
  void expect_working() const;
  void write(std::string_view bytes);

  std::unique_ptr<LogFile> file_;
  Scan found_;
  std::mutex mutex_;  ///< guards the sequence and the order of writes
  std::uint64_t next_sequence_ = 0;
  std::atomic<bool> failed_ = false;
  std::atomic<bool> dirty_ = true;  ///< something was written since the last sync
};

}  // namespace regatta::results

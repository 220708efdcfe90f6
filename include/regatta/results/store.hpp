// The folder NAME.regatta as one thing: what the coordinator records, and what is rebuilt from it.
#pragma once

#include <atomic>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/base/lease.hpp"
#include "regatta/results/journal.hpp"
#include "regatta/results/log_file.hpp"
#include "regatta/results/records.hpp"
#include "regatta/results/sample_log.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::results {

/// Where things lie in the folder NAME.regatta.
inline std::filesystem::path journal_file(const std::filesystem::path& folder) { return folder / "journal"; }
inline std::filesystem::path samples_file(const std::filesystem::path& folder) { return folder / "samples.bin"; }

/// The two files of a run's folder.
struct StoreFiles {
  std::unique_ptr<LogFile> journal;
  std::unique_ptr<LogFile> samples;
};

/// A sweep, and the plan that was made of it.
struct GivenSweep {
  const sweep::Sweep& sweep;
  const sweep::Plan& plan;
};

/// Writes the records of one session after the other. Records handed over before a call of sync() are durable, and may
/// be acknowledged, when that call returns: samples are synced before the journal line that names them is written.
/// sync() may run on another thread than the rest. After a failure every call throws StorageError.
class StoreWriter {
 public:
  /// Opens the folder NAME.regatta (creating it, 0700) and writes header and plan records.
  /// Waits up to `lock_seconds` for another session to end. Throws InputError if it does not, or if the
  /// folder holds a sweep of another name. `before`: what a scan of its journal gave before, as JournalWriter takes it.
  /// `fence`: of the folder's owner for whom it writes; once there is another owner, every write throws FencedOff.
  StoreWriter(const std::filesystem::path& folder, const sweep::Sweep& sweep, const sweep::Plan& plan,
              const Provenance& provenance, double lock_seconds = 5, Scan before = {},
              const std::optional<LeaseFence>& fence = {});
  /// The same on files that nobody else writes.
  StoreWriter(StoreFiles files, const sweep::Sweep& sweep, const sweep::Plan& plan, const Provenance& provenance,
              Scan before = {});

  void agent(const AgentRecord& record);
  /// Recorded with the next sync(), never waited for.
  void granted(const Hash128& block, AgentId agent, AttemptId attempt);
  void result(const BlockRecord& record, std::span<const stats::Sample> samples);
  void failed_attempt(const Hash128& block, const Hash128& trial, std::uint32_t attempt, sweep::FailureKind kind,
                      const std::string& message);
  /// As granted().
  void orchestration(const Orchestration& self);
  /// The session is to end, because somebody asked. Recorded with the next sync().
  void stop_asked();
  void sync();  ///< samples first, then the journal
  void end_session(const SessionEndRecord& end = {});

  /// Begins another session of the same sweep and plan, without letting go of the folder.
  void next_session(const sweep::Sweep& sweep, const sweep::Plan& plan, const Provenance& provenance);

 private:
  void begin(const sweep::Sweep& sweep, const sweep::Plan& plan, const Provenance& provenance);
  void queue(Record record);

  std::string journal_name_;
  JournalWriter journal_;
  SampleLogWriter samples_;
  Hash128 sweep_hash_;
  Record plan_copy_{};        ///< goes to the end of what is written
  bool plan_stands_ = false;  ///< an earlier session of this writer has recorded it
  std::mutex sync_mutex_;     ///< one sync at a time; taken before queue_mutex_
  std::mutex queue_mutex_;    ///< guards queued_
  std::vector<Record> queued_;
  std::atomic<bool> failed_ = false;
};

/// The journal of a folder, as a reader may show it; empty if there is none. One reading answers all that follows.
inline Scan read_store(const std::filesystem::path& folder) { return read_journal(journal_file(folder)); }

/// Hashes of the blocks that are recorded, without those that were
/// interrupted. Deaths of workers do not count: attempts start anew with each session. `finished_only` leaves out
/// blocks with an arm that failed, or that was not answerable on the machine where it was (for --rerun failed), but for
/// those that ended after `tried_since`, by the wall clock: they were tried again.
HashSet finished_blocks(const Scan& journal, bool finished_only = false,
                        double tried_since = std::numeric_limits<double>::infinity());

/// Hashes of the blocks whose last result was interrupted: what they kept is to be continued. `finished_only` leaves
/// out blocks with an arm that failed, too.
HashSet interrupted_blocks(const Scan& journal, bool finished_only = false);

/// The last results of those of these blocks that have one.
std::map<Hash128, BlockRecord> last_results(const Scan& journal, const std::set<Hash128>& blocks);

/// The legs of a plan that are recorded, whatever sweep they were recorded for.
std::vector<LegRow> recorded_legs(const Scan& journal, const sweep::Plan& plan);

/// Whether the plan recorded last is that of this very sweep, command line changes to its axes included.
bool is_current(const Scan& journal, const sweep::Sweep& sweep);

/// Rebuilds everything from journal and samples.bin, for the plan recorded last. Planned trials without a
/// record are Lost. Throws InputError for damage, or naming ids where planned and recorded trials differ.
Results collect(const std::filesystem::path& folder);

/// The same from what was read of its journal.
Results collect(const std::filesystem::path& folder, const Scan& journal);

/// The same for one who has made a sweep's plan: if that is the one recorded last, it is not made again.
Results collect(const std::filesystem::path& folder, const Scan& journal, const GivenSweep& given);

}  // namespace regatta::results

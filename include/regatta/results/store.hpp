// The folder NAME.regatta as one thing: what the coordinator records, and what is rebuilt from it.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "regatta/results/journal.hpp"
#include "regatta/results/sample_log.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::results {

/// How one arm of a block ended.
struct ArmRecord {
  Hash128 trial;
  sweep::Outcome outcome;
  std::string environment;
  std::string engine;
  std::string engine_version;
  double prepare_seconds = 0;
  std::uint64_t peak_bytes = 0;
  std::string verified = "unchecked";
};

/// A finished block, as recorded.
struct BlockRecord {
  Hash128 block;
  std::uint32_t attempt = 0;
  std::uint32_t agent = 0;
  double start_wall_seconds = 0;
  double end_wall_seconds = 0;
  std::vector<std::string> flags;
  std::vector<ArmRecord> arms;
};

struct AgentRecord {
  std::uint32_t agent = 0;
  Host host;
  Device device;
};

/// Writes one session's records. Results are durable, and may be acknowledged, after sync().
class StoreWriter {
 public:
  /// Opens DIR/NAME.regatta (creating it, 0700) and writes header and plan records of this session.
  /// Throws InputError if another session writes there, or if the folder holds a different `name`.
  StoreWriter(const std::filesystem::path& folder, const sweep::Sweep& sweep, const sweep::Plan& plan,
              const Provenance& provenance);

  void agent(const AgentRecord& record);
  void result(const BlockRecord& record, std::span<const stats::Sample> samples);
  void failed_attempt(const Hash128& block, const Hash128& trial, std::uint32_t attempt, sweep::FailureKind kind,
                      const std::string& message);
  void sync();         ///< samples first, then the journal
  void end_session();  ///< appends session_end and syncs

 private:
  JournalWriter journal_;
  SampleLogWriter samples_;
};

/// Hashes of the blocks that are finished in this folder (empty if it does not exist). A block counts
/// when it was recorded; `finished_only` leaves out blocks with an arm that failed (for --rerun failed).
std::set<Hash128> finished_blocks(const std::filesystem::path& folder, bool finished_only = false);

/// Unexplained deaths recorded for each block in earlier sessions are not counted again: attempts start anew.
/// Rebuilds everything from journal and samples.bin, for the sweep text recorded last. Planned trials
/// without a record are Lost. Throws InputError for damage.
Results collect(const std::filesystem::path& folder);

}  // namespace regatta::results

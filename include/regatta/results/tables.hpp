// The results of a sweep in memory: what the result file holds, and what the report reads.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "regatta/base/digest.hpp"
#include "regatta/base/ids.hpp"
#include "regatta/results/calibration.hpp"
#include "regatta/results/orchestration.hpp"
#include "regatta/stats/flags.hpp"
#include "regatta/stats/pair_spreads.hpp"
#include "regatta/stats/samples.hpp"
#include "regatta/sweep/facts.hpp"
#include "regatta/sweep/intervention.hpp"
#include "regatta/sweep/origins.hpp"
#include "regatta/sweep/outcome.hpp"
#include "regatta/sweep/parameters.hpp"
#include "regatta/sweep/slot.hpp"
#include "regatta/sweep/training.hpp"

namespace regatta::results {

/// A machine that took part.
struct Host {
  std::string name;
  std::string cpu_model;
  std::int64_t sockets = 0;
  std::int64_t cores = 0;
  std::int64_t memory_bytes = 0;
  std::string kernel;
  std::string governor;   ///< empty if not readable
  std::string node = {};  ///< its name in the batch system; empty: in no job
};

/// A slot: what one agent owned.
struct SlotRow {
  std::int32_t host = 0;        ///< index into hosts
  std::string kind;             ///< "cuda", or "cpu" for a slot without a device
  std::string name;             ///< its device's; "cores 0,1" for a slot without one
  stats::Flags flags;           ///< neighbours, cores_shared, slow_device
  Calibration calibration{};    ///< the last one that was used; without threads if none was
  std::vector<int> cores = {};  ///< as the kernel numbers them; empty: not known
};

/// An installation of an engine.
struct Env {
  std::string name;  ///< "native", "numpy", "tf-2.15"
  std::string engine;
  std::string version;
};

/// One row per planned trial, in plan order.
struct TrialRow {
  Hash128 hash;
  sweep::Parameters parameters;
  sweep::Outcome outcome;
  std::int32_t attempt = 0;  ///< the attempt of its block that gave the result; 0 if it never ran
  std::int32_t env = -1;     ///< index into envs, -1 if none
  std::int32_t host = -1;
  std::int32_t device = -1;
  std::int32_t source = -1;  ///< index into sources: the file it was merged from; -1 if it was not
  sweep::Verified verified = sweep::Verified::unchecked;
  sweep::Facts facts;             ///< the texts that are columns of /trials; numbers are metrics
  double start_wall_seconds = 0;  ///< when its block began
  double end_wall_seconds = 0;
  std::map<std::string, double> metrics;  ///< base units: step_time, step_time_mean, samples_per_second, cold_start,
                                          ///< start_time, prepare_time, first_step, peak_memory, latency_p95, ..., n
                                          ///< (steady samples)
};

/// A sample with its owner; ordered by trial, then block, then time.
struct SampleRow {
  TrialIndex trial;
  BlockIndex block;
  stats::Sample sample;
};

struct BlockRow {
  Hash128 hash;
  std::vector<TrialIndex> arms;
  bool has_baseline = false;
  bool has_clone = false;       ///< both arms are one trial, which other blocks hold too
  bool measured_again = false;  ///< chosen for its figures, which these have replaced
  std::int32_t attempt = 0;     ///< 0: not done
  double start_wall_seconds = 0;
  double end_wall_seconds = 0;
  double own_seconds = 0;  ///< wall time that it took of its slot: others take turns with it between start and end
  stats::Flags flags;
  sweep::DeviceReadings device = {};  ///< readings of its slot's device, where arms computed on it
};

/// A comparison as it was judged when the file was written; samples hold all that is needed to judge it again.
struct ContrastRow {
  BlockIndex block;
  TrialIndex a;
  TrialIndex b;      ///< the baseline
  double ratio = 0;  ///< time(a) / time(b)
  double low = 0;    ///< NaN without an interval
  double high = 0;
  double margin = 0;      ///< as a fraction
  double resolution = 0;  ///< the smallest difference that would have been told, as a fraction; NaN without an interval
  double e_value = 1;
  std::int64_t squares = 0;
  std::int64_t processes = 0;
  std::string verdict;
  bool confirmed = false;  ///< by signs of pairs of processes alone; if not, a verdict is an early one
  std::string why_stopped;
  std::string flags;  ///< comma separated
  std::string text;
  std::string metric = {};  ///< metric of the ratio (sweep::metric_table)
  std::string unit = {};
  std::string scale = {};  ///< "difference": ratio is NaN, low, high, margin and resolution are in `unit`; else a ratio
  double difference = std::numeric_limits<double>::quiet_NaN();  ///< a less b
  std::string replicates = {};  ///< "10 seeds": a, b and block are those of the first; empty: it is of one block
};

/// A cell measured again, as it is or with one thing changed (measuring.md, R17): no trial and no contrast. The rows
/// of a block stand together, the cell as it is first.
struct InterventionRow {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  Hash128 block;
  TrialIndex trial;
  sweep::Intervention intervention;
  sweep::Outcome outcome = sweep::Lost{};
  std::int32_t attempt = 0;  ///< the attempt of its block that gave the result; 0: not done
  sweep::Verified verified = sweep::Verified::unchecked;
  std::string verified_detail;
  double start_wall_seconds = 0;  ///< when its block began
  double end_wall_seconds = 0;
  // As judged when the file was written; the samples hold all that is needed to judge them again.
  double step_seconds = unknown;  ///< mean over the scored slices
  double ratio = unknown;         ///< time of a step / that of the cell as it is
  double low = unknown;
  double high = unknown;
  double removed_seconds = unknown;  ///< time that the change takes off a step of the cell
  std::int64_t squares = 0;
  std::int64_t processes = 0;
  std::string verdict;             ///< the changed cell against the cell as it is
  std::string flags;               ///< comma separated
  double calls_seconds = unknown;  ///< a of T = a + b batch, for the cell as it is
  double calls_low = unknown;
  double calls_high = unknown;
  double seconds_per_row = unknown;  ///< b
  double misfit = unknown;           ///< largest |log(measured / fitted)| over the batches
};

/// A sample of an intervention; `arm` is its place in its block.
struct InterventionSampleRow {
  std::uint32_t row = 0;  ///< position in Results::interventions
  stats::Sample sample;
};

/// A leg of training that was trained: of a trial that trains, which has no samples and stands in no block.
struct LegRow {
  Hash128 block;
  TrialIndex trial;
  sweep::Leg leg;
  sweep::Outcome outcome = sweep::Lost{};
  std::int32_t attempt = 0;  ///< the attempt that gave the result
  std::int32_t device = -1;  ///< index into devices, -1 if none
  std::int64_t nodes = 0;    ///< nodes that its ranks were on; 0: all on one
  double start_wall_seconds = 0;
  double end_wall_seconds = 0;
  sweep::Learned learned;  ///< where it finished
};

/// Attempts that did not count: worker deaths.
struct AttemptRow {
  BlockIndex block;
  TrialIndex trial;
  std::int32_t attempt = 0;
  sweep::FailureKind kind = sweep::FailureKind::crashed;
  std::string message;
};

struct Provenance {
  std::string sweep_json;  ///< the file, byte for byte
  std::string sweep_file;
  std::string command_line;
  std::string regatta_version;
  std::string git_commit;                       ///< the commit of the user's folder; empty outside a checkout
  std::string created;                          ///< ISO 8601, UTC
  std::map<std::string, std::string> versions;  ///< mpi, hdf5, compiler, ...
  stats::SpreadPool spreads = {};               ///< how pairs of earlier runs scattered, which verdicts began with
  // In journals alone:
  BatchJob batch_job = {};      ///< the one that the session runs in
  sweep::Origins origins = {};  ///< origins that the session's results depend on beside their trials
  bool keeps_changed = false;   ///< rows of other origins are kept as they are
  double rerun_since = 0;       ///< --rerun failed: when its first session began, by the wall clock; 0: another run
};

/// A file whose rows were merged into this one (`regatta merge`).
struct Source {
  std::string file;
  std::string created;  ///< start of its last session, ISO 8601, UTC
  std::string command_line;
  std::string regatta_version;
  std::string git_commit;
};

/// A session of the journal: a run's, or one of its passes over recorded blocks.
struct SessionRow {
  std::string created;       ///< when its command was given, ISO 8601, UTC
  bool ended = false;        ///< in order
  std::int32_t source = -1;  ///< index into sources: the file it was merged from; -1 if it was not
  Orchestration self = {};   ///< as it said last; without figures where it was killed early
  BatchJob batch_job = {};
};

/// How often the test part of these results was opened in their folder (docs/guide/training.md).
struct TestOpenings {
  std::int64_t passes = 0;  ///< passes that handed out a test of it, of this sweep or of others
  std::int64_t unread = 0;  ///< journals there that could not be read, so that there may be more
  bool operator==(const TestOpenings&) const = default;
};

struct Results {
  std::string name;
  bool complete = false;                ///< every planned trial and intervention has a result
  std::vector<std::string> axis_names;  ///< parameters that the sweep names as axes, in file order
  std::vector<TrialRow> trials;
  std::vector<SampleRow> samples;
  std::vector<BlockRow> blocks;
  std::vector<AttemptRow> failed_attempts;
  std::vector<ContrastRow> contrasts;
  std::vector<InterventionRow> interventions;
  std::vector<InterventionSampleRow> intervention_samples;  ///< ordered by row, then time
  std::vector<LegRow> legs;                                 ///< by trial, then seed, then where they begin
  std::vector<Host> hosts;
  std::vector<SlotRow> devices;
  std::vector<Env> envs;
  std::vector<Source> sources;  ///< empty unless it was merged
  std::vector<SessionRow> sessions;
  Provenance provenance;
  std::int64_t other_blocks = 0;  ///< recorded in the folder, but not part of this plan
  TestOpenings openings;
};

}  // namespace regatta::results

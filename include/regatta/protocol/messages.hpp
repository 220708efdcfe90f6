// Every message of every link, in one file (docs/reference/worker-protocol.md). Version 1.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/stats/flags.hpp"
#include "regatta/stats/samples.hpp"
#include "regatta/stats/slices.hpp"
#include "regatta/sweep/arm_outcome.hpp"
#include "regatta/sweep/block_task.hpp"
#include "regatta/sweep/outcome.hpp"
#include "regatta/sweep/parameters.hpp"
#include "regatta/sweep/slot.hpp"
#include "regatta/sweep/training.hpp"

namespace regatta::protocol {

inline constexpr int version = 1;

// ---- agent -> worker -------------------------------------------------------------------------------------------

struct Hello {
  static constexpr std::string_view type = "hello";
  int version = protocol::version;
  bool operator==(const Hello&) const = default;
};
/// Build an arm: model, weights, batches.
struct Prepare {
  static constexpr std::string_view type = "prepare";
  ArmIndex arm;
  sweep::Parameters parameters;
  std::string model;              ///< JSON of model::to_json
  std::string weights_path;       ///< safetensors; empty if the model has none
  std::string batches_path;       ///< safetensors "x" (n, batch, ...), "y" (n, batch, ...); empty if it reads none
  std::string intervention = {};  ///< one of Ready::interventions, to be measured instead of the trial; empty: none
  /// Rank of this process, if the trial has the parameter `ranks`; nothing: the trial has one process.
  std::optional<std::uint32_t> rank = {};
  bool operator==(const Prepare&) const = default;
};
/// Sum gradients with the other ranks of the trial from the next step on. Paths are those of descriptors under /proc.
struct Join {
  static constexpr std::string_view type = "join";
  ArmIndex arm;
  std::vector<std::string> members;  ///< Prepared::member of each rank, in their order
  std::string stop;                  ///< the ranks' supervisor ends their waits by it
  double patience_seconds = 60;      ///< for a rank that does not come
  bool operator==(const Join&) const = default;
};
/// How a check takes its steps. A worker that cannot answer one of the last three reports no losses for it.
enum class CheckAs : std::uint8_t {
  timed,            ///< as they are timed, but without dropout
  shaken,           ///< uncompiled, from weights that random signs moved by a rounding or a few
  shaken_again,     ///< the same with other signs
  double_precision  ///< uncompiled, in float64: losses of the first step
};
inline constexpr std::array check_as_names = {"timed", "shaken", "shaken_again", "double_precision"};
/// Run `steps` steps from the initial weights on the first batches and report losses; then restore the weights.
struct Check {
  static constexpr std::string_view type = "check";
  ArmIndex arm;
  std::int64_t steps = 3;
  bool evidence = false;  ///< also Checked::evidence, from a worker that can give it
  CheckAs as = CheckAs::timed;
  bool operator==(const Check&) const = default;
};
/// Run `reentry_steps` stamped as re-entry, then `steps` stamped as `phase`, `group` steps to a sample.
struct Slice {
  static constexpr std::string_view type = "slice";
  ArmIndex arm;
  stats::SliceOrder order = {};
  bool operator==(const Slice&) const = default;
};
/// Train an arm on to a part of its horizon: from its checkpoint if there is one, else from its initial weights.
struct Train {
  static constexpr std::string_view type = "train";
  ArmIndex arm;
  double from = 0;  ///< parts of the horizon in samples; evaluations up to `from` are known already
  double to = 1;
  bool tests = false;                 ///< train nothing; the best weights of the checkpoint meet the test part
  std::string data_path;              ///< safetensors "x" (n, input...), "y" (n, ...), "test_x", "test_y"
  std::string checkpoint_path;        ///< safetensors, read and written whole; what is in it is the engine's own
  std::optional<double> epochs = {};  ///< the horizon, in passes over the training part, or ...
  std::optional<std::int64_t> steps = {};
  std::int64_t evaluations = 20;
  double validation = 0.2;  ///< part of x and y that the trial's seed draws
  std::optional<std::int64_t> patience = {};
  double min_delta = 0;
  std::string metric;  ///< the metric that decides which evaluation is the best
  bool maximizes = true;
  bool operator==(const Train&) const = default;
};
/// Forget an arm and free its memory.
struct Release {
  static constexpr std::string_view type = "release";
  ArmIndex arm;
  bool operator==(const Release&) const = default;
};
struct Stop {
  static constexpr std::string_view type = "stop";
  bool operator==(const Stop&) const = default;
};

using WorkerRequest = std::variant<Hello, Prepare, Join, Check, Slice, Train, Release, Stop>;

// ---- worker -> agent -------------------------------------------------------------------------------------------

struct Ready {
  static constexpr std::string_view type = "ready";
  int version = protocol::version;
  std::string engine;
  std::string engine_version;
  std::vector<std::string> modes;
  std::vector<std::string> devices;
  std::map<std::string, std::string> details;   ///< library versions, instruction set, ...
  std::vector<std::string> interventions = {};  ///< interventions of sweep/intervention.hpp that it offers
  /// It takes requests before those ahead of them are answered, and holds its answers back while requests wait: whoever
  /// sends many at once is not woken for each.
  bool answers_together = false;
  std::string packed = {};  ///< packed_layout() of a worker that reads packed messages, and answers those in kind
};
/// Bytes.
struct DeviceMemory {
  std::uint64_t held = 0;   ///< by the arm
  std::uint64_t limit = 0;  ///< the device's, for all arms together; 0: unknown
  friend bool operator==(const DeviceMemory&, const DeviceMemory&) = default;
};
/// Resident memory in bytes, as the kernel counts it, of one process or of all processes of an arm together. 0: not
/// read.
struct ProcessMemory {
  std::uint64_t peak_bytes = 0;      ///< the most since it was prepared
  std::uint64_t resident_bytes = 0;  ///< after its last step
  std::uint64_t warm_bytes = 0;      ///< before its first scored step
  friend bool operator==(const ProcessMemory&, const ProcessMemory&) = default;
};
struct Prepared {
  static constexpr std::string_view type = "prepared";
  ArmIndex arm;
  double seconds = 0;
  std::uint64_t peak_bytes = 0;
  std::int64_t eager_ops = 0;  ///< operations of one step; 0 if unknown
  sweep::Facts facts = {};     ///< facts that a worker may report
  /// Memory of a device of its own; nothing where the arm computes in the host's.
  std::optional<DeviceMemory> device_memory = std::nullopt;
  /// Steady clock, when it began; told by a worker that answers together, whose answers come late.
  std::optional<double> start_seconds = std::nullopt;
  std::string member = {};  ///< path under /proc by which the other ranks find it; empty: there are none
  /// Ranks that tell the same give the same bits; empty: it does not tell, or is alone.
  std::string arithmetic = {};
};
struct Joined {
  static constexpr std::string_view type = "joined";
  ArmIndex arm;
};
/// By parameter: the norm of a tensor, then its sums with eight sets of random signs
/// (docs/reference/worker-protocol.md, "Evidence").
using Projections = std::map<std::string, std::vector<double>>;
/// Evidence of a training step beyond its losses.
struct Evidence {
  std::vector<Projections> gradients;        ///< per step, of its batch at the initial weights
  std::vector<Projections> updates;          ///< per step: weights after it less weights before it
  std::map<std::string, double> resolution;  ///< for updates, by parameter: uncertainty from the rounding of weights
  std::vector<double> probe;  ///< weights from 0 after three steps of the optimizer, gradients 1e-10 to 1
};
/// The coarsest type in which an arm computes, from fine to coarse.
enum class NumberType : std::uint8_t { fp32, tf32, fp16, bf16 };
inline constexpr std::array number_type_names = {"fp32", "tf32", "fp16", "bf16"};
/// The trained weights of a user's own model before its first step, whatever their names, shapes and layout.
struct OwnWeights {
  std::int64_t count = 0;  ///< numbers in all tensors
  double norm = 0;
  friend bool operator==(const OwnWeights&, const OwnWeights&) = default;
};
struct Checked {
  static constexpr std::string_view type = "checked";
  ArmIndex arm;
  std::vector<std::vector<double>> losses;  ///< per step, per sample
  std::optional<Evidence> evidence = {};
  std::string parameter_hash = {};  ///< hash of the weights after as many steps with dropout; empty: not told
  std::optional<NumberType> number_type = std::nullopt;  ///< type of a user's own model; nothing: `precision` says it
  std::optional<OwnWeights> own_weights = std::nullopt;  ///< where the model is a user's own
};
/// Samples of a slice in one or more pieces of at most 256 KiB; `last` ends the slice.
struct Samples {
  static constexpr std::string_view type = "samples";
  ArmIndex arm;
  bool last = true;
  std::vector<stats::Sample> samples;  ///< payload
  sweep::Facts facts = {};             ///< facts that a worker may report; sent with the last piece
};
/// A leg goes on: at least once in limits.trial_timeout, and not more often than each second.
struct Progress {
  static constexpr std::string_view type = "progress";
  ArmIndex arm;
  sweep::Learned learned;  ///< the evaluations of this leg since the last message
};
/// A leg is over.
struct Trained {
  static constexpr std::string_view type = "trained";
  ArmIndex arm;
  sweep::Learned learned;  ///< with all evaluations of this leg
};
struct Released {
  static constexpr std::string_view type = "released";
  ArmIndex arm;
};
struct Error {
  static constexpr std::string_view type = "error";
  std::optional<ArmIndex> arm;
  std::string kind;  ///< out_of_memory | unsupported | device | reported
  std::string message;
  bool final = true;  ///< trying again would give the same
};

using WorkerReply = std::variant<Ready, Prepared, Joined, Checked, Samples, Progress, Trained, Released, Error>;

// ---- agent -> spawner ------------------------------------------------------------------------------------------

/// Start a worker; its end of the protocol link is descriptor 3.
struct SpawnWorker {
  static constexpr std::string_view type = "spawn_worker";
  WorkerId worker;
  std::vector<std::string> argv;
  std::map<std::string, std::string> variables;  ///< added to the scrubbed environment
  std::vector<int> cpus;
  std::string log_path;
  std::uint64_t memory_bytes = 0;  ///< 0: no limit
};
/// Run a program to its end: engine `command`, or a helper. Standard output is returned (last 64 KiB).
struct RunProgram {
  static constexpr std::string_view type = "run_program";
  WorkerId worker;
  std::vector<std::string> argv;
  std::map<std::string, std::string> variables;
  std::vector<int> cpus;
  std::string log_path;  ///< file that receives standard error; empty: it is kept in memory alone
  std::uint64_t memory_bytes = 0;
  std::string folder = {};       ///< the folder that it runs in; empty: the agent's
  std::string output_path = {};  ///< file that receives standard output; empty: it is kept in memory alone
};
/// SIGKILL the whole tree; answered by Exited once nothing of it lives.
struct Kill {
  static constexpr std::string_view type = "kill";
  WorkerId worker;
};
/// Ask a program to end: SIGTERM to its process group. What is left of its tree after so many seconds is killed; Exited
/// follows once nothing of it lives.
struct EndProgram {
  static constexpr std::string_view type = "end_program";
  WorkerId worker;
  double patience_seconds = 0;
};
/// SIGSTOP or SIGCONT the worker's process group.
struct Pause {
  static constexpr std::string_view type = "pause";
  WorkerId worker;
  bool stopped = true;
};

using SpawnerRequest = std::variant<SpawnWorker, RunProgram, Kill, Pause, EndProgram>;

// ---- spawner -> agent ------------------------------------------------------------------------------------------

/// For SpawnWorker, with the agent's end of its link by SCM_RIGHTS. Nobody waits for a program's start.
struct Spawned {
  static constexpr std::string_view type = "spawned";
  WorkerId worker;
  std::int64_t pid = 0;
};
struct SpawnFailed {
  static constexpr std::string_view type = "spawn_failed";
  WorkerId worker;
  std::string message;
};
struct Exited {
  static constexpr std::string_view type = "exited";
  WorkerId worker;
  int wait_status = 0;
  double start_seconds = 0;            ///< steady clock, before the program was started
  double seconds = 0;                  ///< until its exit was noticed
  std::uint64_t peak_bytes = 0;        ///< ru_maxrss
  bool flooded = false;                ///< its log reached the limit
  std::string output;                  ///< payload: standard output of RunProgram, then the end of its standard error
  bool with_spawner = false;           ///< its spawner ended first; nobody was left to send this
  std::uint64_t error_bytes = 0;       ///< how much of `output` is standard error
  std::uint64_t printed_bytes = 0;     ///< to standard output, whatever was kept of it
  std::uint64_t complained_bytes = 0;  ///< to standard error
  bool lost_told = false;              ///< lines with JSON objects were too many to be kept

  /// The lines of standard output with JSON objects, and its end.
  [[nodiscard]] std::string_view printed() const {
    return std::string_view(output).substr(0, output.size() - std::min<std::size_t>(error_bytes, output.size()));
  }
  [[nodiscard]] std::string_view complaints() const { return std::string_view(output).substr(printed().size()); }
};

using SpawnerReply = std::variant<Spawned, SpawnFailed, Exited>;

// ---- coordinator -> agent --------------------------------------------------------------------------------------

using sweep::DroppedArm;
inline constexpr std::uint32_t largest_grant = 64;  ///< blocks
/// Blocks that are visited in tours, all in the same processes. They may come in several grants.
struct TourGrant {
  std::uint32_t number = 0;   ///< blocks with the same number belong together
  std::uint32_t to_come = 0;  ///< how many of them later grants bring: none is begun before
  friend bool operator==(const TourGrant&, const TourGrant&) = default;
};
/// Run the blocks first .. first + count - 1, each as its task says: an agent holds no plan to look them up in.
/// `dropped` is only given with a single block.
struct Grant {
  static constexpr std::string_view type = "grant";
  BlockIndex first;
  std::uint32_t count = 1;
  AttemptId attempt;
  std::vector<DroppedArm> dropped;
  std::vector<AgentId> gang = {};   ///< all agents of a block of several ranks, the leader first; empty: it runs alone
  std::string without_device = {};  ///< not empty: arms on a device are not to be run, and why
  std::vector<sweep::BlockTask> tasks = {};  ///< payload, without what stands above: index, attempt, dropped arms
  std::optional<TourGrant> tour = {};        ///< nothing: each block is measured by itself
};
/// This block's result is on disk: forget it.
struct Acknowledge {
  static constexpr std::string_view type = "acknowledge";
  BlockIndex block;
  AttemptId attempt;
};
struct Finish {
  static constexpr std::string_view type = "finish";
};  ///< no more work: stop workers and leave

using AgentRequest = std::variant<Grant, Acknowledge, Finish>;

// ---- agent -> coordinator --------------------------------------------------------------------------------------

/// First word of an agent: what it runs on.
struct AgentReady {
  static constexpr std::string_view type = "agent_ready";
  std::string host_json;  ///< results::Host as JSON
  sweep::Slot slot;
  stats::Flags flags;              ///< neighbours, cores_shared, slow_device
  std::string memory_domain = {};  ///< agents that say the same can share memory
};
/// A block that ran to its end; all its samples travel in the payload.
struct BlockResult {
  static constexpr std::string_view type = "block_result";
  BlockIndex block;
  AttemptId attempt;
  double start_wall_seconds = 0;
  double end_wall_seconds = 0;
  std::vector<sweep::ArmOutcome> arms;
  stats::Flags flags;
  std::string calibration_json;  ///< calibration of the slot, with the first block after it was measured; else empty
  std::int64_t undecided = 0;    ///< comparisons that its time left without a verdict, as far as this block tells
  std::vector<stats::Sample> samples;  ///< payload
  bool interrupted = false;            ///< a drain ended it after a complete square: to be continued
  sweep::DeviceReadings device = {};   ///< readings of the slot's device, where arms computed on it
  /// A visit of a tour is over, and the block is not: samples are those since the last message, numbered from 0, and
  /// what is said of the arms takes the place of what was said before. Nobody acknowledges it.
  bool goes_on = false;
  double visits_seconds = 0;  ///< wall time of its visits between start and end; 0: all of it
};
/// A worker died or hung while `arm` ran; nothing of the block counts.
struct AttemptFailed {
  static constexpr std::string_view type = "attempt_failed";
  BlockIndex block;
  AttemptId attempt;
  ArmIndex arm;
  sweep::FailureKind kind;
  std::string message;
};
/// How a block stands while it is measured. Nobody waits for it, and quick blocks never send one.
struct BlockStand {
  static constexpr std::string_view type = "block_stand";
  BlockIndex block;
  AttemptId attempt;
  std::uint32_t arms = 0;      ///< arms that are measured still
  std::uint32_t prepared = 0;  ///< how many of them
  std::uint32_t piloted = 0;   ///< how many of them
  std::int64_t pair = 0;       ///< number of the pair of processes, from 1; 0: no square has begun
  std::int64_t pairs = 0;      ///< expected number of pairs
  bool starts = false;         ///< the processes of this pair are starting
  std::int64_t squares = 0;    ///< complete
  double left_seconds = 0;     ///< until the block is done, about
};
/// Granted blocks it will not run any more (drain).
struct GivenBack {
  static constexpr std::string_view type = "given_back";
  std::vector<BlockIndex> blocks;
};

/// Its device was set aside, for this reason. The granted blocks go to others; it goes on with its cores.
struct DeviceLost {
  static constexpr std::string_view type = "device_lost";
  sweep::DeviceKind kind = sweep::DeviceKind::cuda;
  std::string reason;
  std::vector<BlockIndex> blocks;
};

using AgentReply = std::variant<AgentReady, BlockStand, BlockResult, AttemptFailed, GivenBack, DeviceLost>;

// ---- between the agents of a gang ------------------------------------------------------------------------------
// The leader orders, the others answer each order but the last with one of the last two.

/// The arm and the attempt that a message belongs to. A message of another attempt is late, and is dropped.
struct GangPlace {
  BlockIndex block;
  AttemptId attempt;
  ArmIndex arm;
  bool operator==(const GangPlace&) const = default;
};
struct GangPrepare {
  static constexpr std::string_view type = "gang_prepare";
  GangPlace place;
  bool fresh = false;  ///< in a process that has prepared nothing yet
};
struct GangJoin {
  static constexpr std::string_view type = "gang_join";
  GangPlace place;
  std::vector<std::string> members;
  std::string stop;                     ///< the leader's; ranks on its node can open it
  std::vector<std::string> hosts = {};  ///< GangDone::host of each rank, where they are on several nodes; else empty
  std::uint32_t join = 0;               ///< counts the exchanges of this arm
};
/// As Slice.
struct GangSlice {
  static constexpr std::string_view type = "gang_slice";
  GangPlace place;
  stats::SliceOrder order = {};
};
struct GangCheck {
  static constexpr std::string_view type = "gang_check";
  GangPlace place;
  std::int64_t steps = 3;
  CheckAs as = CheckAs::timed;
};
/// The leg of its task, trained with the leader's checkpoint.
struct GangTrain {
  static constexpr std::string_view type = "gang_train";
  GangPlace place;
  std::string checkpoint_path;
  std::string checkpoint_hash = {};  ///< hash of the checkpoint, where ranks are on several nodes; empty: there is none
};
/// Stop or wake its process.
struct GangPause {
  static constexpr std::string_view type = "gang_pause";
  GangPlace place;
  bool stopped = true;
};
/// End its process, or only free what the arm holds there.
struct GangRelease {
  static constexpr std::string_view type = "gang_release";
  GangPlace place;
  bool evicts = false;
};
/// The block is over, or never began. Nobody answers.
struct GangEnd {
  static constexpr std::string_view type = "gang_end";
  GangPlace place;
};
struct GangDone {
  static constexpr std::string_view type = "gang_done";
  GangPlace place;
  std::string host;                         ///< after GangPrepare: two that say the same see the same paths
  std::string member;                       ///< Prepared::member
  ProcessMemory memory;                     ///< after GangPrepare and GangTrain its peak, after GangSlice all of it
  std::vector<std::vector<double>> losses;  ///< Checked::losses of its part of the batch
  std::vector<stats::Sample> samples;       ///< payload
  std::string arithmetic = {};              ///< Prepared::arithmetic
};
struct GangFailed {
  static constexpr std::string_view type = "gang_failed";
  GangPlace place;
  double seconds = 0;  ///< when, on the steady clock of its host
  bool died = false;   ///< the process; else it has answered, and lives
  sweep::FailureKind kind = sweep::FailureKind::reported;
  bool skips = false;                                   ///< it cannot be run here
  sweep::SkipKind skip = sweep::SkipKind::unsupported;  ///< why, if it skips
  bool gave_up = false;                                 ///< a drain that cannot wait has ended it
  std::string message;
  bool told = false;  ///< another rank had failed before, and said so: this is no cause
};

using GangMessage = std::variant<GangPrepare, GangJoin, GangSlice, GangCheck, GangTrain, GangPause, GangRelease,
                                 GangEnd, GangDone, GangFailed>;

}  // namespace regatta::protocol

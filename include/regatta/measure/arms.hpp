// The interface that measuring needs to the arms of a block. Behind it stand processes in an agent, a model of noise in
// tests, or a gang of ranks for a data-parallel trial. The loops over it start nothing, wait for nothing and read no
// clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/stats/samples.hpp"
#include "regatta/stats/slices.hpp"
#include "regatta/sweep/arm_outcome.hpp"
#include "regatta/sweep/outcome.hpp"
#include "regatta/sweep/training.hpp"

namespace regatta::measure {

/// An arm ended without dying: it is skipped, or failed for a reason that repeating does not change.
struct ArmEnded {
  sweep::Outcome outcome;
};

/// Where in a gang a process died.
struct DeathPlace {
  std::uint32_t rank = 0;  ///< inside the trial
  std::int64_t step = 0;   ///< steps that it had completed in this slice
};

/// A process of the arm died, hung or talked nonsense: the attempt ends.
struct ArmDied {
  ArmIndex arm;
  sweep::FailureKind kind = sweep::FailureKind::crashed;
  std::string message;
  std::optional<DeathPlace> place = std::nullopt;  ///< nothing for an arm of one process
};

/// A drain that cannot wait for the end of the square: a verb that would take too long throws this instead.
struct Interrupted {};

struct Prepared {
  double start_seconds = 0;               ///< for the process to start, imports included, and for the model to be built
  std::uint64_t peak_bytes = 0;           ///< memory that the arm needs, as far as its worker knows
  std::vector<stats::Sample> parts = {};  ///< the same apart: start, of a process that was not warm already; prepare
  std::optional<protocol::DeviceMemory> device_memory = std::nullopt;  ///< nothing: it computes in the host's
};

/// Most operations per second that a device was seen to do, of products in each arithmetic; NaN: unknown.
struct DevicePeaks {
  double fp32 = std::numeric_limits<double>::quiet_NaN();
  double tf32 = std::numeric_limits<double>::quiet_NaN();
  double bf16 = std::numeric_limits<double>::quiet_NaN();
};

struct SliceRequest {
  stats::SliceOrder order;
  std::string result = {};  ///< the number that its program or loop must tell; empty: none
};

struct SliceResult {
  std::vector<stats::Sample> samples;   ///< re-entry included; more steps than asked for where a call takes several
  protocol::ProcessMemory memory = {};  ///< a program tells the largest peak of its runs, and nothing else
  std::optional<double> result = {};    ///< the one that arms are compared by, if it told it
};

/// The leg to train, and the objective that decides which result is better.
struct TrainRequest {
  sweep::Leg leg;
  sweep::Training training;
  sweep::Objective objective;
};

/// How far to go for what the hardware can do at most.
enum class Calibrate : std::uint8_t { never, once, anew };

/// Arms are named by their place in the block. Verbs that give something back throw ArmEnded, ArmDied or Interrupted.
/// At most one arm is awake: the loop parks it before another one starts, resumes or is asked for anything.
class Arms {
 public:
  Arms() = default;
  Arms(const Arms&) = delete;
  Arms& operator=(const Arms&) = delete;
  virtual ~Arms() = default;

  /// Starts the arm's processes where none are warm, and builds its model in them. It is awake then.
  virtual Prepared prepare(ArmIndex arm) = 0;

  /// The same in fresh processes; the old ones end.
  virtual Prepared renew(ArmIndex arm) = 0;

  /// Ends the processes of these arms, which are renewed next and in this order: fresh ones may begin at once, as far
  /// as there are cores for them beside those that are measured on. How they begin is no cold start then, so renew()
  /// returns no parts. Nothing is scored before the last of them was renewed.
  virtual void begin_renewals(const std::vector<ArmIndex>& arms) = 0;

  /// How many of these begin at once, while another one is prepared.
  [[nodiscard]] virtual std::size_t places_beside() const = 0;

  virtual SliceResult slice(ArmIndex arm, const SliceRequest& request) = 0;

  /// Trains the arm on, through one leg. Throws Interrupted where a drain cannot wait: what was trained since the last
  /// checkpoint is trained again.
  virtual sweep::Learned train(ArmIndex arm, const TrainRequest& request) = 0;

  /// Computes the first steps; afterwards the arm is as it was before.
  virtual protocol::Checked check(ArmIndex arm, std::int64_t steps, protocol::CheckAs as) = 0;

  /// Stops all processes of the arm, or wakes all of them: never only some of a gang. Without effect on an arm that has
  /// no process.
  virtual void park(ArmIndex arm) = 0;
  virtual void resume(ArmIndex arm) = 0;

  /// Ends the processes of an arm that does not fit into memory.
  virtual void evict(ArmIndex arm) = 0;

  /// A visit of its block is over: what the arm holds is freed. Its process stays, parked, for the arm of another block
  /// at the same place, which prepare() builds in it. Without effect on an arm that has no process.
  virtual void clear(ArmIndex arm) = 0;

  /// The block is over for this arm: what it holds is freed.
  virtual void release(ArmIndex arm) = 0;

  /// The facts known of the arm so far: installation, version, time to prepare, memory.
  [[nodiscard]] virtual sweep::ArmOutcome report(ArmIndex arm) const = 0;

  /// Memory of the machine that the arms share.
  [[nodiscard]] virtual std::uint64_t memory_bytes() const = 0;

  /// Peak of one core in fp32 multiply-adds per second; nothing if it is unknown. All arms are parked.
  virtual std::optional<double> core_peak_flops_per_second(Calibrate how) = 0;

  /// The same of the slot's device; nothing if it has none.
  virtual std::optional<DevicePeaks> device_peaks(Calibrate how) = 0;

  /// Whether a drain was asked for. The loop asks before each arm is prepared and after each complete square.
  [[nodiscard]] virtual bool interrupted() const = 0;

  /// How the block stands: once in two seconds at most, and not before it has run for two.
  virtual void tell(const protocol::BlockStand& stand) = 0;

  /// Steady clock, in seconds.
  [[nodiscard]] virtual double now() const = 0;
};

}  // namespace regatta::measure

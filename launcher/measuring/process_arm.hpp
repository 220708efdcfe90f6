// One arm of a block on an agent's slot: a model inside a worker, or a program that is run once per step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "measuring/agent_slot.hpp"
#include "measuring/disturbance.hpp"
#include "regatta/measure/arms.hpp"
#include "regatta/sweep/block_task.hpp"

namespace regatta::launcher {

/// The verbs of measure::Arms for one arm; they throw ArmEnded as there, and WorkerDied.
class ProcessArm {
 public:
  ProcessArm() = default;
  ProcessArm(const ProcessArm&) = delete;
  ProcessArm& operator=(const ProcessArm&) = delete;
  virtual ~ProcessArm() = default;

  virtual measure::Prepared prepare() = 0;
  virtual measure::Prepared renew() = 0;
  virtual measure::SliceResult slice(const measure::SliceRequest& request) = 0;
  virtual sweep::Learned train(const measure::TrainRequest& request) = 0;
  virtual protocol::Checked check(std::int64_t steps, protocol::CheckAs as) = 0;
  virtual void park() = 0;
  virtual void resume() = 0;
  virtual void evict() = 0;
  virtual void release() = 0;

  /// Only arms inside one worker share its process with arms of other blocks.
  virtual void clear() {}

  [[nodiscard]] virtual sweep::ArmOutcome report() const = 0;

  /// Hands over prepare(), these slices and release() before they are asked for; false if this process does not take
  /// requests ahead, or is not warm.
  virtual bool send_ahead(const std::vector<measure::SliceRequest>& /*slices*/) { return false; }

  /// Starts the process of the next renew() on the last of these cores and goes on; whether there is something to
  /// start. The old one has ended.
  virtual bool begin(const std::vector<int>& /*cpus*/) { return false; }

  /// Waits for it, and takes it from those cores to its own; false if none was begun. Throws as renew().
  virtual bool await_begun() { return false; }

  /// Cores that its process is bound to.
  [[nodiscard]] virtual std::int64_t threads() const = 0;
};

/// Runs one slice by `run`, watched if it is scored and there is a watch; its samples get the flags of what disturbed
/// them.
template <class Run>
measure::SliceResult watched_slice(DisturbanceWatch* watch, const measure::SliceRequest& request, const Run& run) {
  const bool scored = watch != nullptr && request.order.phase == stats::Phase::steady;
  if (scored) watch->begin();
  measure::SliceResult result = run();
  if (!scored) return result;
  const auto disturbance = watch->end();
  if (!disturbance) return result;
  double seconds = 0;
  for (const stats::Sample& sample : result.samples) seconds += sample.seconds;
  for (stats::Sample& sample : result.samples) sample.flags = flags_of(*disturbance, seconds);
  return result;
}

/// A job that is suspended over and over (gang scheduling) gets a figure all the same.
inline constexpr int most_tries_of_suspended = 3;

/// The place of an arm: its block, and its index there.
struct ArmPlace {
  ArmIndex index;
  bool own_process = false;                ///< arms that are compared share no process
  bool trains = false;                     ///< it gets all samples, in place of batches
  Hash128 block = {};                      ///< the block's identity
  std::optional<std::uint32_t> rank = {};  ///< rank inside the arm; nothing: the arm has one process
};

}  // namespace regatta::launcher

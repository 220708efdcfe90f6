// The arms of a block as processes on an agent's slot.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "measuring/agent_slot.hpp"
#include "measuring/measuring.hpp"
#include "measuring/process_arm.hpp"
#include "regatta/measure/arms.hpp"
#include "regatta/sweep/block_task.hpp"

namespace regatta::launcher {

/// Between a block that runs and its agent.
struct BlockLine {
  std::function<bool()> drain_requested;  ///< asked between squares
  std::function<void(const protocol::BlockStand&)> tell;
  GangLink gang = {};  ///< to the other agents of a block's gang
};

class SlotArms : public measure::Arms {
 public:
  SlotArms(AgentSlot& slot, const sweep::BlockTask& task, BlockLine line);

  /// Hands over what the block will ask for before it does; false if it is not known, or its arm does not take it. The
  /// block is to be run next, after those that were handed over before it.
  bool send_ahead(const sweep::BlockTask& task);

  measure::Prepared prepare(ArmIndex arm) override;
  void begin_renewals(const std::vector<ArmIndex>& arms) override;
  [[nodiscard]] std::size_t places_beside() const override;
  measure::Prepared renew(ArmIndex arm) override;
  measure::SliceResult slice(ArmIndex arm, const measure::SliceRequest& request) override;
  sweep::Learned train(ArmIndex arm, const measure::TrainRequest& request) override;
  protocol::Checked check(ArmIndex arm, std::int64_t steps, protocol::CheckAs as) override;
  void park(ArmIndex arm) override;
  void resume(ArmIndex arm) override;
  void evict(ArmIndex arm) override;
  void clear(ArmIndex arm) override;
  void release(ArmIndex arm) override;
  [[nodiscard]] sweep::ArmOutcome report(ArmIndex arm) const override;
  [[nodiscard]] std::uint64_t memory_bytes() const override;
  std::optional<double> core_peak_flops_per_second(measure::Calibrate how) override;
  std::optional<measure::DevicePeaks> device_peaks(measure::Calibrate how) override;
  [[nodiscard]] bool interrupted() const override { return line_.drain_requested(); }
  void tell(const protocol::BlockStand& stand) override { line_.tell(stand); }
  [[nodiscard]] double now() const override;

  /// Whether another run was seen to measure on the same cores.
  [[nodiscard]] bool beside_other_run() const { return other_run_ || slot_.claim.is_shared(); }

  /// The job was suspended since the block began.
  [[nodiscard]] bool was_suspended() const { return slot_.spawner.stopped_seconds() > stopped_before_seconds_; }

 private:
  using Cores = std::vector<int>;
  [[nodiscard]] std::vector<Cores> cores_beside() const;
  void begin_next();

  AgentSlot& slot_;
  double stopped_before_seconds_;
  bool other_run_ = false;
  std::vector<std::unique_ptr<ProcessArm>> arms_;
  std::vector<std::optional<sweep::Skipped>> skip_;  ///< by arm: why it is not run; nothing: it is
  BlockLine line_;
  std::set<ArmIndex> to_renew_;          ///< arms that begin side by side and are not renewed yet
  std::vector<ArmIndex> to_begin_;       ///< arms that begin next, the next one last
  std::vector<Cores> free_;              ///< on which one of them may begin
  std::map<ArmIndex, Cores> beginning_;  ///< where
};

}  // namespace regatta::launcher

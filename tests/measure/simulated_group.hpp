// A group of blocks whose arms share simulated processes.
#pragma once

#include <deque>
#include <vector>

#include "measure/simulated_arms.hpp"
#include "regatta/measure/run_group.hpp"

namespace regatta::measure {

/// The arms of one block of the group: `machine` with this block's models in its processes.
class SimulatedCell : public Arms {
 public:
  SimulatedCell(SimulatedArms& machine, std::size_t block, std::vector<SimulatedArm> arms)
      : machine_(machine), block_(block), arms_(std::move(arms)) {}

  Prepared prepare(ArmIndex arm) override { return own().prepare(arm); }
  Prepared renew(ArmIndex arm) override { return own().renew(arm); }
  void begin_renewals(const std::vector<ArmIndex>& of) override { own().begin_renewals(of); }
  [[nodiscard]] std::size_t places_beside() const override { return machine_.places; }
  SliceResult slice(ArmIndex arm, const SliceRequest& request) override { return own().slice(arm, request); }
  sweep::Learned train(ArmIndex arm, const TrainRequest& request) override { return own().train(arm, request); }
  protocol::Checked check(ArmIndex arm, std::int64_t steps, protocol::CheckAs as) override {
    return own().check(arm, steps, as);
  }
  void park(ArmIndex arm) override { own().park(arm); }
  void resume(ArmIndex arm) override { own().resume(arm); }
  void evict(ArmIndex arm) override { own().evict(arm); }
  void clear(ArmIndex arm) override { own().clear(arm); }
  void release(ArmIndex arm) override { own().release(arm); }
  [[nodiscard]] sweep::ArmOutcome report(ArmIndex arm) const override { return machine_.report(arm); }
  [[nodiscard]] std::uint64_t memory_bytes() const override { return machine_.machine_bytes; }
  std::optional<double> core_peak_flops_per_second(Calibrate how) override {
    return own().core_peak_flops_per_second(how);
  }
  std::optional<DevicePeaks> device_peaks(Calibrate how) override { return own().device_peaks(how); }
  [[nodiscard]] bool interrupted() const override { return machine_.interrupted(); }
  void tell(const protocol::BlockStand& stand) override { machine_.tell(stand); }
  [[nodiscard]] double now() const override { return machine_.now(); }

 private:
  SimulatedArms& own() {
    machine_.arms = arms_;
    machine_.block = block_;
    return machine_;
  }

  SimulatedArms& machine_;
  std::size_t block_;
  std::vector<SimulatedArm> arms_;
};

/// Blocks whose arms at the same place run in the same process.
struct SimulatedGroup {
  explicit SimulatedGroup(const std::vector<std::vector<SimulatedArm>>& cells) : machine(cells.front()) {
    for (const auto& arms : cells) ports.emplace_back(machine, ports.size(), arms);
  }

  SimulatedArms machine;
  std::deque<SimulatedCell> ports;
  std::vector<sweep::BlockTask> tasks;  ///< one for each of them
  BlockBudget budget;

  struct Visited {
    std::size_t block = 0;
    protocol::BlockResult result;
  };
  std::vector<Visited> visited;                            ///< in the order of time
  std::map<std::size_t, std::vector<BlockOutcome>> ended;  ///< by block

  void run() {
    std::vector<GroupBlock> group;
    for (std::size_t at = 0; at < tasks.size(); ++at) group.push_back({ports[at], tasks[at]});
    run_group(group, budget,
              {.ended = [&](std::size_t at, BlockOutcome outcome) { ended[at].push_back(std::move(outcome)); },
               .visited =
                   [&](std::size_t at, protocol::BlockResult result) {
                     visited.push_back({at, std::move(result)});
                   }});
  }
};

}  // namespace regatta::measure

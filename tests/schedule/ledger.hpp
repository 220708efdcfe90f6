// A second, naive account of what a scheduler was told and what it answered. It scans everything and
// fails the running test where an answer breaks a rule.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "regatta/schedule/scheduler.hpp"

namespace regatta::schedule::testing {

struct LedgerBlock {
  BlockRequest job;
  enum class State { waiting, running, over } state = State::waiting;
  std::vector<AgentId> owners;
  AttemptId attempt;
  std::map<ArmIndex, std::int64_t> deaths;
  std::map<ArmIndex, bool> died_on_device;  ///< the last time
  bool without_device = false;              ///< nobody has the device that it asked for
  std::vector<ArmIndex> dropped;
};

struct LedgerAgent {
  Slot slot;
  bool leaving = false;  ///< gave blocks back, or was dismissed
  bool dismissed = false;
  std::set<BlockIndex> held;
};

class Ledger {
 public:
  Ledger(const std::vector<BlockRequest>& jobs, Options options);

  /// Notes the event, checks each action against it, and checks the scheduler's counts.
  void check(const Event& event, double now_seconds, const std::vector<Action>& actions, const Scheduler& scheduler);

  /// Whether this report would change anything.
  [[nodiscard]] bool is_current(AgentId agent, BlockIndex block, AttemptId attempt) const;

  /// Every block is over, or waits because of a drain or because too few agents are left for it.
  void check_end() const;

  std::map<BlockIndex, LedgerBlock> blocks;
  std::map<AgentId, LedgerAgent> agents;  ///< present
  bool drained = false;

 private:
  /// Some of it would be kept if it began now; no time of a block was told, so that nothing was learnt.
  [[nodiscard]] bool ends_in_time(const BlockRequest& job, double times = 1) const;
  void note(const AgentJoined& event);
  void note(const AgentLeft& event);
  void note(const BlockDone& event);
  void note(const AttemptFailed& event);
  void note(const BlocksGivenBack& event);
  void note(const DeviceLost& event);
  void note(const DrainRequested& event);
  void accept(const Grant& action);
  void accept(const Conclude& action);
  void accept(const Refuse& action);
  void accept(const Dismiss& action);
  void accept_block(const Grant& action, BlockIndex index);
  void go_on_without_devices();
  static void drop_arms_of_device(LedgerBlock& block);
  void release(BlockIndex block, LedgerBlock::State state);
  void check_counts(const Scheduler& scheduler) const;
  void check_nobody_idles() const;
  [[nodiscard]] std::int64_t able_to_hold(const sweep::Demand& demand) const;

  Options options_;
  std::map<AgentId, Slot> ever_joined_;
  std::optional<BlockIndex> to_conclude_;  ///< its last arm was dropped by this event
  bool has_groups_ = false;
  double now_seconds_ = 0;
};

/// Whether a slot can hold one rank.
bool slot_fits(const Slot& slot, const sweep::Demand& demand);

}  // namespace regatta::schedule::testing

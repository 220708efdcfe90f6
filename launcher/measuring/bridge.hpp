// An arm whose ranks are on several nodes, as one of its agents serves it: gradients pass while its worker is waited
// for.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measuring/agent_slot.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/protocol/messages.hpp"

namespace regatta::launcher {

class Bridge {
 public:
  /// For rank `rank` of the gang that joins so, whose worker has so many threads. `stop_own` ends the waits of the own
  /// worker. Throws ArmEnded where memory for what comes from other nodes lacks, or the own worker is gone.
  Bridge(AgentSlot& slot, const std::vector<AgentId>& gang, std::uint32_t rank, const protocol::GangJoin& join,
         std::int64_t worker_threads, std::function<void()> stop_own);
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;
  ~Bridge();

  /// Paths that the own worker is to open.
  [[nodiscard]] const std::vector<std::string>& members() const { return relay_->members(); }

  /// Another rank's end has ended this one's: it is no cause.
  [[nodiscard]] bool was_told() const { return relay_->poisoned_by().has_value(); }

  /// The verb, with gradients passing meanwhile, until all that the own rank had to send is gone. However it fails, the
  /// other ranks are told. Throws what the verb throws, and ArmEnded where the exchange itself fails.
  void run(const std::function<void()>& verb);

  /// This rank goes on no more, and nobody is to wait for it.
  void end_waits();

 private:
  double turn();
  void send_rest();
  [[noreturn]] void fail();

  AgentSlot& slot_;
  bool has_own_core_;  ///< the worker's threads leave it a core
  std::unique_ptr<exchange::Relay> relay_;
  std::function<void()> stop_own_;
  bool has_ended_ = false;  ///< and the others were told
  int idle_turns_ = 0;
  double pause_seconds_ = 0;
};

/// How many nodes the ranks are on that say so; 0: one, where all share memory.
std::int64_t several_nodes(const std::vector<std::string>& hosts);

}  // namespace regatta::launcher

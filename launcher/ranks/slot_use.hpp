// How much of their time the slots of a session run blocks, as rank 0 hears of it.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/protocol/messages.hpp"

namespace regatta::launcher {

/// Shares of the time between joining and leaving in which no block ran; NaN before any slot joined.
struct IdleShares {
  double slots = 0;
  double mean = 0;  ///< over all slots, by their time
  double most = 0;
  double tail = 0;  ///< the part of `mean` behind the last block of each slot
};

/// Times are on rank 0's steady clock; of the agents' own clocks differences alone count.
class SlotUse {
 public:
  void heard(AgentId from, const protocol::AgentReply& message, double now_seconds);
  void told(AgentId to, const protocol::AgentRequest& message, double now_seconds);

  [[nodiscard]] IdleShares shares(double now_seconds) const;

 private:
  struct Slot {
    bool joined = false;
    bool left = false;
    double joined_seconds = 0;
    double left_seconds = 0;
    double news_seconds = 0;  ///< a block ended, or the first was granted: what is granted runs since then
    double busy_seconds = 0;
    double last_end_wall_seconds = 0;  ///< when its last block ended, on its own clock
    std::size_t granted = 0;           ///< blocks that have not ended
  };

  Slot* joined(AgentId agent);
  static void end_block(Slot& slot, double now_seconds);
  void took(Slot& slot, const protocol::BlockResult& result, double now_seconds);

  /// Visits whoever runs the block: the agent that tells of it, or its whole gang, which a block that `is_over` has no
  /// more.
  template <class Visit>
  void each_of(AgentId from, BlockIndex block, bool is_over, const Visit& visit);

  std::vector<Slot> slots_;                           ///< by agent
  std::map<BlockIndex, std::vector<AgentId>> gangs_;  ///< where a granted block has one
};

}  // namespace regatta::launcher

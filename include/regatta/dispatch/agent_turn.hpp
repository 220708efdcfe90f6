// The decisions of an agent: which block it runs next, what it gives back, when it may leave. Messages and outcomes
// come in, messages go out; it knows no MPI, process or clock.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/sweep/block_task.hpp"

namespace regatta::dispatch {

/// A block that a gang was to run together, and that its leader does not begin.
struct GangLeft {
  std::vector<AgentId> agents;  ///< the leader first
  BlockIndex block;
  AttemptId attempt;
};

class AgentTurn {
 public:
  explicit AgentTurn(AgentId own) : own_(own) {}

  void receive(protocol::AgentRequest message);

  /// Gives back the blocks that have not begun, now and from later grants. Blocks of gangs that others lead stay: their
  /// leaders decide on them.
  void drain();

  /// Its device is set aside, for this reason: what it has not begun goes back, and later grants that ask for it.
  void lose_device(sweep::DeviceKind kind, const std::string& reason);

  /// The block to run now, if there is one; `ran` tells its end.
  std::optional<sweep::BlockTask> next();

  /// The same with those behind it that can go with it, in their order: a whole tour, or at most so many others, and
  /// one alone unless all of them `go_together`.
  std::vector<sweep::BlockTask> next_lot(std::size_t at_most,
                                         const std::function<bool(const sweep::BlockTask&)>& go_together);
  void ran(protocol::AgentReply outcome);

  /// Messages to send, in order.
  std::vector<protocol::AgentReply> take_messages() { return std::exchange(messages_, {}); }

  /// To be told to the gangs.
  std::vector<GangLeft> take_gangs_left() { return std::exchange(gangs_left_, {}); }

  /// The coordinator has dismissed it and has acknowledged every result.
  [[nodiscard]] bool done() const;

 private:
  void handle(protocol::Grant& grant);
  void handle(const protocol::Acknowledge& ack) { unacknowledged_.erase({ack.block, ack.attempt}); }
  void handle(const protocol::Finish&) { finish_ = true; }
  [[nodiscard]] std::size_t room() const;
  [[nodiscard]] bool waits_for_more() const;
  std::vector<sweep::BlockTask> take_tour();
  [[nodiscard]] bool may_give_back(const sweep::BlockTask& task) const;
  std::vector<BlockIndex> take_back(const std::function<bool(const sweep::BlockTask&)>& wanted);
  void give_back();
  std::vector<BlockIndex> take_device_blocks();

  AgentId own_;
  std::deque<sweep::BlockTask> queue_;
  std::uint32_t tour_to_come_ = 0;  ///< blocks of the tour at the end of the queue
  std::set<std::pair<BlockIndex, AttemptId>> unacknowledged_;
  std::vector<protocol::AgentReply> messages_;
  std::vector<GangLeft> gangs_left_;
  std::optional<protocol::DeviceLost> lost_;  ///< the message that set its device aside
  bool draining_ = false;
  bool finish_ = false;
};

}  // namespace regatta::dispatch

// The scheduler's words: what happens to it, and what it answers.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/sweep/outcome.hpp"
#include "regatta/sweep/plan.hpp"

namespace regatta::schedule {

using NodeIndex = Id<struct NodeTag>;  ///< machines of a job, as whoever asks numbers them

/// The hardware that an agent owns.
struct Slot {
  AgentId agent;
  std::int64_t cores = 1;
  std::vector<sweep::DeviceKind> devices = {sweep::DeviceKind::cpu};
  NodeIndex node = {0};
};

/// How long a block will take, before anything like it was seen in this job.
struct Estimate {
  double seconds = 0;       ///< from its begin to its end; 0: nobody knows
  double least_share = 1;   ///< how much of that passes until some of it would be kept if the job ended then
  std::uint32_t alike = 0;  ///< estimates of blocks with the same number are off by the same factor
  auto operator<=>(const Estimate&) const = default;
};

/// A block to be run: what it needs and how many arms it has.
struct BlockRequest {
  BlockIndex block;
  sweep::Demand demand;
  std::uint32_t arms = 1;
  Estimate estimate = {};
  std::uint8_t stage = 0;  ///< blocks of a lower one go first among those that ask for the same
  /// Some of its arms can be run by so many agents: they are, where the job has fewer than it asks for. 0: none can.
  std::int64_t least_ranks = 0;
  /// The same of the cores of a rank, where no slot of the job has as many as it asks for.
  std::int64_t least_cores = 0;
  /// Blocks with the same number ask for the same, and go to one agent together if none of them was granted before; 0:
  /// it goes by itself. At most sweep::most_in_tour have the same.
  std::uint32_t tour = 0;
  /// It has taken an agent down before: it runs when nothing else may begin, and nothing else runs beside it.
  bool alone = false;
};

struct Cause {
  sweep::FailureKind kind;
  std::string message;
  bool on_device = false;  ///< the arm ran on a device beside the cores
};

// ---- events ----
struct AgentJoined {
  Slot slot;
};
struct AgentLeft {
  AgentId agent;
};  ///< its blocks are granted to others; that is no attempt
/// In a group, only the leader's event counts.
struct BlockDone {
  AgentId agent;
  BlockIndex block;
  AttemptId attempt;
  double seconds = 0;  ///< time that it took; 0: not known
};
/// Concludes this attempt of this block only: blocks granted with it in one range stay granted to the
/// agent, which goes on with them. Any agent of a group may send it.
struct AttemptFailed {
  AgentId agent;
  BlockIndex block;
  AttemptId attempt;
  ArmIndex arm;
  Cause cause;
};  ///< unexplained death while `arm` ran
/// The agent drains: these blocks go to others (no attempt is counted), it finishes the rest of what it
/// holds and gets no more.
struct BlocksGivenBack {
  AgentId agent;
  std::vector<BlockIndex> blocks;
};
/// The agent goes on without this kind of device. These blocks, which it has not begun, go to others (no attempt is
/// counted). Where no agent that ever joined has such a device any more, blocks that ask for it are granted to any that
/// has the cores, and Grant::without_device says why their arms on it are not run.
struct DeviceLost {
  AgentId agent;
  sweep::DeviceKind device;
  std::vector<BlockIndex> blocks;
  std::string reason;
};
/// No new grants; what runs finishes; what waits stays waiting.
struct DrainRequested {};
using Event =
    std::variant<AgentJoined, AgentLeft, BlockDone, AttemptFailed, BlocksGivenBack, DeviceLost, DrainRequested>;

// ---- actions ----
struct Grant {
  std::vector<AgentId> agents;  ///< one per rank of the demand; the lowest leads
  BlockIndex first;
  std::uint32_t count;  ///< consecutive blocks; 1 for repeated attempts and groups
  AttemptId attempt;
  std::vector<std::pair<ArmIndex, Cause>> dropped;
  std::string without_device = {};  ///< not empty: arms on a device are not to be run, and why
  std::uint32_t tour = 0;           ///< BlockRequest::tour, where its blocks go together
  std::uint32_t to_come = 0;        ///< blocks of the tour in the grants that follow this one
};
/// No arm of the block is left to run: record these causes as its outcome.
struct Conclude {
  BlockIndex block;
  AttemptId attempt;
  std::vector<std::pair<ArmIndex, Cause>> dropped;
};
/// No agent of the job can ever hold this block.
struct Refuse {
  BlockIndex block;
  sweep::Skipped skip;
};
/// This agent will get no more work.
struct Dismiss {
  AgentId agent;
};
using Action = std::variant<Grant, Conclude, Refuse, Dismiss>;

struct Options {
  std::int64_t attempts = 3;      ///< unexplained deaths of one arm before it is given up
  std::uint32_t batch = 1;        ///< blocks per grant while plenty are left
  std::uint32_t outstanding = 1;  ///< blocks granted to an agent beyond the running one, of those that are not quick
  std::uint32_t expected_agents = 1;  ///< refusals wait until all have joined
  bool longest_first = false;         ///< within a stage; else in plan order
  /// When the job's time is over, by the clock that `on` is told: a block is granted only if its least share will
  /// most likely (9 of 10) have passed by then.
  double end_seconds = std::numeric_limits<double>::infinity();
};

}  // namespace regatta::schedule

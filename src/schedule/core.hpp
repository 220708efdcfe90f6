// The state of the scheduler. The functions that change it live beside: agents, attempts, grants, groups, feeding,
// nodes, times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/schedule/events.hpp"
#include "schedule/queue.hpp"

namespace regatta::schedule {

using ClassIndex = Id<struct ClassTag>;          ///< position in Core::queues
using KindIndex = Id<struct KindTag>;            ///< position in Core::kinds
using GatheringIndex = Id<struct GatheringTag>;  ///< key in Core::gatherings; grows with each opening

enum class Phase : std::uint8_t { absent, waiting, granted, concluded };

struct BlockState {
  ClassIndex demand_class;
  std::uint32_t arms = 0;
  std::uint32_t estimate = 0;  ///< position in Core::estimates
  AttemptId attempt;           ///< the last one granted; 0: never granted
  AgentId owner;               ///< leader of the group if there is one
  std::uint32_t place = 0;     ///< position in the owner's `held`
  float held_seconds = 0;      ///< time that was expected of it when it was granted
  Phase phase = Phase::absent;
  std::uint8_t stage = 0;
};

/// How far estimates of blocks that are alike were off: what they took / what was expected, of the last ones.
struct Factor {
  std::uint32_t seen = 0;
  double log_mean = 0;
  double log_variance = 0.25;  ///< where nothing was seen: a factor of 1.6 either way
  double mean = 1;
  double likely = 1.9;  ///< 9 of 10 are below it
  double lined = 1;     ///< `mean` when what waits was lined up
};

enum class Duty : std::uint8_t {
  absent,    ///< never joined, or left
  free,      ///< takes blocks of one rank
  reserved,  ///< finishes what it holds, then joins a group
  grouped,   ///< runs a group's block
  leaving,   ///< gave blocks back: finishes what it holds, then is dismissed
  dismissed,
};

struct AgentState {
  Duty duty = Duty::absent;
  bool joined_before = false;
  KindIndex kind;
  GatheringIndex gathering;      ///< while reserved
  std::vector<BlockIndex> held;  ///< granted to it and not over
  NodeIndex node;
  double held_seconds = 0;     ///< expected of all that it holds
  double free_at_seconds = 0;  ///< when it will have finished that
};

/// Agents of one machine.
struct NodeState {
  std::vector<AgentId> agents;           ///< agents that ever joined
  std::vector<std::uint32_t> capable;    ///< agents at work that can hold a block of a class, by ClassIndex
  std::vector<GatheringIndex> unfilled;  ///< gatherings of its agents only, in the order of their opening
};

/// Agents that own the same can hold the same: they share one list of demand classes.
struct AgentKind {
  std::int64_t cores = 0;
  std::vector<sweep::DeviceKind> devices;  ///< ascending, no duplicates
  std::vector<ClassIndex> classes;         ///< demand classes that such an agent can hold
  std::set<AgentId> idle;                  ///< free, hold nothing, and no waiting block fits them
};

/// Agents collected for one block of several ranks.
struct Gathering {
  ClassIndex demand_class;
  std::optional<NodeIndex> node;  ///< all of them are of this one
  std::vector<AgentId> agents;
  std::size_t busy = 0;  ///< how many of the agents still finish blocks
};

/// The worker deaths of a block, by arm.
struct ArmDeaths {
  std::map<ArmIndex, std::int64_t> deaths;
  std::map<ArmIndex, Cause> last;  ///< how each died
  std::vector<std::pair<ArmIndex, Cause>> dropped;
};

/// Classes and kinds are few (they come from axis levels and machine types) and may be scanned;
/// agents and blocks are many and never are, except when the whole job drains or ends.
struct Core {
  Options options;
  std::vector<DemandQueue> queues;
  std::vector<BlockState> blocks;  ///< by BlockIndex; gaps are absent
  std::vector<Estimate> estimates;
  std::vector<Factor> factors;        ///< by Estimate::alike
  Factor all;                         ///< how far estimates of blocks were off, alike or not
  std::size_t noted_since_lined = 0;  ///< blocks whose time was noted since what waits was lined up
  double now_seconds = 0;             ///< when this event happened
  std::vector<AgentState> agents;     ///< by AgentId
  std::vector<AgentKind> kinds;
  std::vector<NodeState> nodes;  ///< by NodeIndex
  std::map<GatheringIndex, Gathering> gatherings;
  std::vector<GatheringIndex> unfilled;  ///< gatherings of agents of any node, in the order of their opening
  std::uint32_t gatherings_opened = 0;
  std::unordered_map<BlockIndex, std::vector<AgentId>> groups;  ///< agents that run a block of several ranks together
  std::unordered_map<BlockIndex, ArmDeaths> deaths;
  std::unordered_map<BlockIndex, std::uint32_t> tour_of;             ///< blocks that go to one agent with others
  std::unordered_map<std::uint32_t, std::vector<BlockIndex>> tours;  ///< blocks of each tour, ascending
  std::deque<BlockIndex> alone;  ///< wait in no queue until nothing runs and nothing else may begin; ascending
  std::size_t waiting = 0;
  std::size_t running = 0;
  std::size_t concluded = 0;
  std::uint32_t joined = 0;                               ///< different agents that ever joined
  std::uint32_t on_duty = 0;                              ///< agents neither absent nor dismissed
  bool refused = false;                                   ///< blocks that no agent can hold have been refused
  std::map<sweep::DeviceKind, std::string> lost_devices;  ///< the last reason why an agent went on without one
  bool drained = false;
  bool idle_may_have_work = false;  ///< set by this event
  std::vector<AgentId> askers;      ///< agents that this event touched: fed at its end
  std::size_t fed = 0;              ///< how many of them were
  std::vector<Action> actions;      ///< answers to this event
};

inline DemandQueue& queue_of(Core& core, ClassIndex index) { return core.queues[index.value]; }
inline AgentState& agent_of(Core& core, AgentId id) { return core.agents[id.value]; }
inline BlockState& block_of(Core& core, BlockIndex index) { return core.blocks[index.value]; }
inline bool all_joined(const Core& core) { return core.joined >= core.options.expected_agents; }

}  // namespace regatta::schedule

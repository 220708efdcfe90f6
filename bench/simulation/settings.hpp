// The setup of a simulation, and its findings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "simulation/costs.hpp"

namespace regatta::scale {

/// Trials in blocks of comparisons, or single ones that go in lots.
struct Mix {
  std::uint32_t trials = 1'000'000;
  std::uint32_t arms = 4;       ///< in a block: 4, or 1
  double groups = 0.1;          ///< share of blocks that ask for 2 to 8 agents at once
  bool kinds = true;            ///< small slots, large ones and GPUs, and blocks that ask for them; else all alike
  double trial_seconds = 0.01;  ///< mean without stragglers
  double spread = 0.3;          ///< a trial takes from 1 - spread to 1 + spread times as long
  double stragglers = 0.01;     ///< share of trials that take ten times as long
  double deaths = 0.02;         ///< share of attempts that end with a dead worker
  double leavers = 0.002;       ///< share of agents that drain alone, at some time
  bool drain = true;            ///< the whole job drains when 98 % of the blocks are done
};

/// Agents that are all alike, and blocks that any of them can run; nobody leaves before the end.
inline Mix plain(std::uint32_t trials, std::uint32_t arms) {
  return {.trials = trials, .arms = arms, .groups = 0, .kinds = false, .leavers = 0, .drain = false};
}

/// Where it runs.
struct Machine {
  std::uint32_t agents = 64;  ///< rank 0's own among them
  double sync_seconds = 1e-4;
  double shortest_way_seconds = 20e-6;  ///< a message takes, from one rank to another
  double longest_way_seconds = 1e-3;
  double turn_seconds = 0.020;  ///< between two looks of rank 0 at its messages, while its own slot measures or waits
  double longest_sleep_seconds = 0.020;  ///< an idle agent's, between two looks at its messages
  LinkCosts link = {};
  bool shows_progress = true;
  std::optional<double> fixed_seconds = {};  ///< see Meter
};

struct Setup {
  Mix mix;
  Machine machine;
  std::uint64_t seed = 1;
};

/// A coordinator that costs nothing, behind a link that takes no time: what is idle then is idle because of the work.
inline Machine free_coordinator(const Machine& machine) {
  Machine free = machine;
  free.sync_seconds = free.shortest_way_seconds = free.longest_way_seconds = 0;
  free.turn_seconds = free.longest_sleep_seconds = 1e-6;
  free.link = {};
  free.fixed_seconds = 0;
  free.shows_progress = false;
  return free;
}

/// The messages that wait for rank 0, as each one that arrives finds them.
struct Depths {
  std::size_t median = 0;
  std::size_t p99 = 0;
  std::size_t most = 0;
};

/// How long the agent of a gang that came first had nothing to do before the gang began; and the longest attempt of any
/// block, for whose end others may have to wait.
struct GangWaits {
  double p50_seconds = 0;
  double p99_seconds = 0;
  double longest_seconds = 0;
  double longest_attempt_seconds = 0;
};

/// Where rank 0's time as coordinator goes.
struct Parts {
  double link_seconds = 0;      ///< MPI, as bench_link measured it
  double parse_seconds = 0;     ///< from frames to messages
  double dispatch_seconds = 0;  ///< coordinator and scheduler
  double store_seconds = 0;     ///< records, up to the thread that writes them
  double pack_seconds = 0;      ///< from messages to frames
  double progress_seconds = 0;  ///< display of the run
};

struct Found {
  double window_seconds = 0;  ///< until the drain, or until the last block is done; shares are of this time
  double whole_seconds = 0;   ///< until everybody has left
  double ideal_seconds = 0;   ///< the time that agents worked in the window, by their number
  double busy_share = 0;      ///< how much of rank 0's time it was coordinator
  double idle_share = 0;      ///< how much of the agents' time
  double cpu_seconds = 0;     ///< rank 0's as coordinator, link included
  Parts parts;                ///< parts of `cpu_seconds`
  double sync_share = 0;      ///< how much of the time a sync was under way
  Depths inbox;
  double wait_p50_seconds = 0;  ///< from a message's arrival until it is looked at
  double wait_p99_seconds = 0;
  std::uint64_t decisions = 0;  ///< blocks granted or given up, agents dismissed
  std::uint64_t messages = 0;   ///< to rank 0 and from it
  std::uint64_t syncs = 0;
  std::uint64_t blocks = 0;           ///< in the plan
  std::uint64_t recorded = 0;         ///< blocks
  std::uint64_t recorded_twice = 0;   ///< blocks with more than one record
  std::uint64_t failed_attempts = 0;  ///< workers that died
  std::uint64_t gangs = 0;            ///< blocks that a group ran
  GangWaits gang_waits;
  std::uint64_t returned = 0;  ///< blocks that were given back
  std::uint64_t trials_in_window = 0;
};

}  // namespace regatta::scale

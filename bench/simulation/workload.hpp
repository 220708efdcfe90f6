// The sweep that is simulated: a real one of comparisons or no-op trials, planned by the shipped code; what its blocks
// ask for and how long they take are drawn.
#pragma once

#include <cstdint>

#include "job/job.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/sweep/block_task.hpp"
#include "simulation/settings.hpp"

namespace regatta::scale {

inline constexpr double first_wall_seconds = 1.7e9;  ///< the date of the start

/// The plan's demands are those of `mix`.
launcher::Job make_job(const Mix& mix, std::uint64_t seed);

/// Small CPU slots, large ones and GPUs, in turn; or all alike.
protocol::AgentReady ready_of(std::uint32_t agent, const Mix& mix);

/// How an attempt at a block goes.
struct Attempt {
  double seconds = 0;
  bool dies = false;
  ArmIndex arm;  ///< the arm that dies
};
/// The same for everybody who asks.
Attempt attempt_of(const Mix& mix, std::uint64_t seed, const sweep::BlockTask& task);

/// As measure::foreseen_slices() has it of no-op trials.
inline bool goes_in_lots(const sweep::BlockTask& task) { return task.arms.size() == 1 && task.dropped.empty(); }

/// As an agent reports it. Arms that were dropped have failed.
protocol::AgentReply reply_of(const sweep::BlockTask& task, const Attempt& attempt, double start_seconds);

}  // namespace regatta::scale

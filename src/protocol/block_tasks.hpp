// The tasks of a grant as bytes. Parts that several of them share stand once: models, programs, budgets and limits. An
// arm has only those parameters that differ from the arm before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/sweep/block_task.hpp"

namespace regatta::protocol {

/// All of each task but its index, its attempt and its dropped arms.
std::string pack(const std::vector<sweep::BlockTask>& tasks);

/// Throws PeerLost for anything but so many possible tasks.
std::vector<sweep::BlockTask> unpack_tasks(std::string_view bytes, std::uint32_t count);

}  // namespace regatta::protocol

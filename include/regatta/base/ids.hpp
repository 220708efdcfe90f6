// Typed indices: a trial's index is not a block's.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace regatta {

template <class Tag>
struct Id {
  std::uint32_t value = 0;
  auto operator<=>(const Id&) const = default;
};

using TrialIndex = Id<struct TrialTag>;   ///< position in the expanded sweep
using BlockIndex = Id<struct BlockTag>;   ///< position in the plan's list of blocks
using ArmIndex = Id<struct ArmTag>;       ///< position of a trial inside its block
using AgentId = Id<struct AgentTag>;      ///< MPI rank
using AttemptId = Id<struct AttemptTag>;  ///< 1, 2, ...: grows with every grant of a block
using WorkerId = Id<struct WorkerTag>;    ///< a child process of one agent

}  // namespace regatta

template <class Tag>
struct std::hash<regatta::Id<Tag>> {
  std::size_t operator()(regatta::Id<Tag> id) const noexcept { return id.value; }
};

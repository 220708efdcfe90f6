// The blocks of one demand class that wait, in plan order. Blocks that ask for the same are
// interchangeable to the scheduler, so one queue holds them, and picking one costs O(1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "regatta/base/ids.hpp"
#include "regatta/sweep/plan.hpp"

namespace regatta::schedule {

/// Consecutive block indices.
struct BlockRange {
  BlockIndex first;
  std::uint32_t count = 1;
};

struct DemandQueue {
  sweep::Demand demand;
  std::string without_device = {};  ///< why its arms on a device are not run; then it demands cores only
  std::deque<BlockRange> fresh;     ///< never granted
  std::deque<BlockIndex> repeats;   ///< came back: they go first, one at a time
  std::size_t waiting = 0;          ///< blocks in both
  std::uint32_t capable = 0;        ///< agents at work that can hold one
  std::uint32_t capable_ever = 0;   ///< also counts agents that left
  std::uint32_t gatherings = 0;     ///< groups being gathered for it: each will take one block
};

/// Appends a block that was never granted; the caller goes in ascending order.
void push_fresh(DemandQueue& queue, BlockIndex block);

/// Appends a block that came back.
void push_repeat(DemandQueue& queue, BlockIndex block);

/// The block that would be taken next; the queue is not empty.
BlockIndex front(const DemandQueue& queue);

/// Takes one block that came back, or up to `at_most` consecutive fresh ones; the queue is not empty.
BlockRange take(DemandQueue& queue, std::uint32_t at_most);

/// Blocks that no gathering has a claim on.
inline std::size_t unclaimed(const DemandQueue& queue) { return queue.waiting - queue.gatherings; }

}  // namespace regatta::schedule

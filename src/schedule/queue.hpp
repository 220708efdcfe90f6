// The blocks of one demand class that wait. Blocks that ask for the same and take about as long are interchangeable to
// the scheduler, so one line holds them, in plan order, and picking one costs O(1). Lines are few.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/sweep/plan.hpp"

namespace regatta::schedule {

/// Consecutive block indices.
struct BlockRange {
  BlockIndex first;
  std::uint32_t count = 1;
};

/// The line that a block stands in.
struct LineKey {
  std::uint8_t stage = 0;
  std::int8_t shortness = 0;  ///< a step of one is a factor of two; a long block has a small one
  std::int8_t least = 0;      ///< the same of what it takes until some of it is kept, where time is short
  auto operator<=>(const LineKey&) const = default;
};

struct Line {
  LineKey key;
  std::deque<BlockRange> ranges;
};

struct DemandQueue {
  sweep::Demand demand;
  std::int64_t least_ranks = 0;     ///< BlockRequest::least_ranks
  std::int64_t least_cores = 0;     ///< BlockRequest::least_cores
  std::string without_device = {};  ///< why its arms on a device are not run; then it demands cores only
  std::vector<Line> lines;          ///< never granted; by their keys, none empty
  std::deque<BlockIndex> repeats;   ///< came back: they go first, one at a time
  std::size_t waiting = 0;          ///< blocks in both
  std::uint32_t capable = 0;        ///< agents at work that can hold one
  std::uint32_t capable_ever = 0;   ///< also counts agents that left
  std::uint32_t wide_nodes = 0;     ///< nodes whose agents at work can hold one without another node's
  std::uint32_t gatherings = 0;     ///< groups being gathered for it: each will take one block
};

/// Appends a block that was never granted to its line; the caller goes in ascending order.
void push_fresh(DemandQueue& queue, BlockIndex block, LineKey key = {});

/// Appends a block that came back.
void push_repeat(DemandQueue& queue, BlockIndex block);

/// Where blocks are taken from: those that came back, or a line.
inline constexpr std::size_t from_repeats = static_cast<std::size_t>(-1);

/// Where the next block stands; the queue is not empty.
inline std::size_t next_place(const DemandQueue& queue) { return queue.repeats.empty() ? 0 : from_repeats; }

/// The block that would be taken there.
BlockIndex front(const DemandQueue& queue, std::size_t place);
inline BlockIndex front(const DemandQueue& queue) { return front(queue, next_place(queue)); }

/// The first place whose next block fits.
template <class Fits>
std::optional<std::size_t> first_place(const DemandQueue& queue, const Fits& fits) {
  if (!queue.repeats.empty() && fits(queue.repeats.front())) return from_repeats;
  for (std::size_t place = 0; place < queue.lines.size(); ++place)
    if (fits(front(queue, place))) return place;
  return std::nullopt;
}

/// Takes one block that came back, or up to `at_most` consecutive fresh ones, from a place that has some.
BlockRange take(DemandQueue& queue, std::uint32_t at_most, std::size_t place);
inline BlockRange take(DemandQueue& queue, std::uint32_t at_most) { return take(queue, at_most, next_place(queue)); }

/// Takes this block out of its line; false if it stands in none.
bool take_one(DemandQueue& queue, BlockIndex block);

/// Makes its lines anew, by these keys.
void line_up(DemandQueue& queue, const std::function<LineKey(BlockIndex)>& key_of);

/// Blocks that no gathering has a claim on.
inline std::size_t unclaimed(const DemandQueue& queue) { return queue.waiting - queue.gatherings; }

}  // namespace regatta::schedule

// The blocks that a tour visits, and their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "measure/block_visits.hpp"

namespace regatta::measure {

/// The worth of another pair of processes to a block: most first.
enum class Worth : std::uint8_t {
  undecided,   ///< a comparison has no verdict
  unfinished,  ///< all have one: some are not precise, or not sure among all comparisons of the sweep
};

/// The worth of one more visit to a block that goes on.
Worth worth_of(const VisitedBlock& block);

/// A block that is still open, by its place in the group.
struct OpenBlock {
  std::size_t at = 0;
  Worth worth = Worth::undecided;
  std::int64_t pairs = 1;  ///< pairs that it had
  Hash128 hash;
};

/// By worth, then those that had fewer pairs, then in an order that is drawn anew for each tour.
void order_visits(std::vector<OpenBlock>& open, std::uint64_t tour);

}  // namespace regatta::measure

// The journal's records, each block once, as collect() needs them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "regatta/results/journal.hpp"
#include "regatta/results/records.hpp"

namespace regatta::results {

/// A block's result that counts, and where it was measured.
struct Taken {
  ResultRecord result;
  std::size_t session = 0;  ///< the last that added to it
  std::int32_t device = -1;
  std::vector<ResultRecord> more;  ///< records that went on with it: later visits of its session, or later sessions
};

/// The last record of each attempt: no later one repeats what it says of the arms.
std::vector<const BlockRecord*> last_of_attempts(const Taken& taken);

/// The contents of the records, once each, for the blocks of one plan.
struct Gathered {
  std::vector<Taken> taken;                           ///< in the order of recording
  std::unordered_map<Hash128, std::size_t> position;  ///< position of a block in `taken`
  std::vector<FailedAttemptRecord> failed_attempts;
  HashSet other_blocks;
  std::vector<Host> hosts;
  std::vector<SlotRow> devices;
};

/// Takes from all sessions the results of these blocks: within a session the first result of a block and the first
/// report of a failed attempt count (they may be sent twice), and each later visit of the block goes on with it; a
/// later session's result replaces an earlier one's, unless it continues it (the same arms in the same environments on
/// the same host) or measured the best again and failed.
Gathered gather(const std::vector<Record>& records, const HashSet& blocks);

}  // namespace regatta::results

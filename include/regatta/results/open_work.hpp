// The parts of a run without a result yet, and what its journal says about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "regatta/base/digest.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::results {

/// The slot that a block was handed to in the last session.
struct Held {
  std::string slot;       ///< "node1 cores 0,1"
  bool is_first = false;  ///< it runs; the other blocks of the slot are next
};

/// A block without a result, or with one that a drain interrupted; of a search also one that nobody asked for yet.
struct OpenBlock {
  std::vector<TrialIndex> trials;  ///< its arms that have no result from another block either
  bool explains = false;           ///< it measures cells again, with one thing changed: no trial waits for it
  sweep::Demand demand;
  std::size_t ahead = 0;                    ///< open blocks before it in the plan's order
  std::vector<AttemptRow> failed_attempts;  ///< in the last session, because a worker died
  std::optional<Held> held = {};            ///< nothing: it waits for a slot
  std::optional<sweep::Leg> leg = {};       ///< leg of its trial that is due
};

struct OpenWork {
  Results results;                      ///< without samples, and what is told by them
  sweep::Sweep sweep = {};              ///< the sweep that was run last
  std::int64_t attempts = 3;            ///< attempts that an arm has, `limits.attempts`
  std::vector<OpenBlock> blocks;        ///< in the plan's order
  std::vector<std::string> slots;       ///< "node1 cores 0,1" of the ranks that reported in the last session
  std::vector<double> block_seconds;    ///< time of each block that was recorded in the last session
  bool ended = false;                   ///< the last session ended in order
  bool out_of_reach = false;            ///< all of it: the last session had too few ranks or cores, or no such device
  bool passes_due = false;              ///< the last session may have left a pass over recorded blocks to the next
  double first_start_wall_seconds = 0;  ///< begin of the first block that it recorded; 0 if it has none
  double last_result_wall_seconds = 0;  ///< end of its last block; 0 if it has none
};

/// Throws as collect() does, but for samples.bin, which it does not read.
OpenWork open_work(const std::filesystem::path& folder);

/// Trials that nothing but interrupted blocks have measured are open: these blocks are to be continued.
void reopen(Results& results, const HashSet& interrupted_blocks);

/// Whether a run on this host (or another that shares its locks) writes the folder's journal now.
bool is_being_written(const std::filesystem::path& folder);

}  // namespace regatta::results

// A sweep expanded: trials with their identity, and the blocks that are dispatched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "regatta/base/digest.hpp"
#include "regatta/base/ids.hpp"
#include "regatta/sweep/family.hpp"
#include "regatta/sweep/intervention.hpp"
#include "regatta/sweep/parameters.hpp"
#include "regatta/sweep/slot.hpp"
#include "regatta/sweep/training.hpp"

namespace regatta::sweep {

/// The ranks, cores and device that a block needs at once: the union over its arms.
struct Demand {
  std::int64_t ranks = 1;
  std::int64_t cores = 1;  ///< per rank
  DeviceKind device = DeviceKind::cpu;
  bool operator==(const Demand&) const = default;
};

struct Trial {
  TrialIndex index;
  Hash128 hash;  ///< hash128 of canonical(); independent of axis order, file layout and machine
  Parameters parameters;
  std::string written_out;  ///< ,"model_spec":{...} or ,"command_spec":{...} if the sweep writes them out
  std::optional<std::string> skip_reason;

  /// The text that identifies the trial: to_json(parameters) with the parts that are written out.
  [[nodiscard]] std::string canonical() const;
};

/// The most arms that differ in one block.
inline constexpr std::size_t max_distinct_arms = 6;

/// Arms measured interleaved on one slot: the unit of dispatch, commit and resume.
struct Block {
  BlockIndex index;
  Hash128 hash;                  ///< made of its arms' hashes, in order, and of what else it is
  std::vector<TrialIndex> arms;  ///< runnable trials; with a comparison the baseline comes first
  bool has_baseline = false;     ///< arms[0] is the baseline of the others
  bool has_clone = false;        ///< both arms are one trial, in processes of their own: how far apart equal code is
  /// One for each arm: all arms are one trial, the first unchanged. Empty in blocks of trials, which stand before
  /// these.
  std::vector<Intervention> interventions;
  Demand demand;
  bool is_final = false;         ///< the best cells of a setting again (final_block.hpp); no sweep's plan has one
  std::uint32_t exclusions = 0;  ///< a cell is left out of the fastest where alpha / exclusions may err (R12)
  std::optional<Leg> leg = {};   ///< leg that is trained of its one arm; nothing in blocks of benchmarks
  std::vector<Family> families;  ///< the contrasts of arms[1], arms[2], ... belong to; a clone has none
  bool takes_one_pair = false;   ///< other blocks ask the same for other seeds: one value of each arm is enough

  [[nodiscard]] bool is_intervention() const { return !interventions.empty(); }

  [[nodiscard]] std::size_t distinct_arms() const { return arms.size() - (has_clone ? 1 : 0); }
};

/// Arms that have no contrast, and why.
struct NoContrast {
  std::vector<TrialIndex> trials;
  std::string reason;
};

struct Plan {
  std::vector<Trial> trials;
  std::vector<Block> blocks;
  std::vector<NoContrast> no_contrasts;
  std::int64_t points = 0;      ///< combinations of the axes after `exclude`, times repeats
  std::uint32_t contrasts = 0;  ///< in all blocks, explanations aside
  std::int64_t merged = 0;      ///< points that coincided with another because a parameter is not read
};

/// Blocks that hold a trial twice.
std::size_t clones_of(const Plan& plan);

/// The demand of a block of these trials.
Demand demand_of(const Plan& plan, const std::vector<TrialIndex>& trials);

}  // namespace regatta::sweep

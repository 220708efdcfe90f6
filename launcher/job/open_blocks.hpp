// The blocks that earlier sessions left open in a folder of results.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "job/job.hpp"
#include "regatta/analysis/contrasts.hpp"
#include "regatta/base/digest.hpp"
#include "regatta/results/journal.hpp"
#include "regatta/results/lives.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/stats/pair_spreads.hpp"

namespace regatta::launcher {

struct OpenBlocks {
  std::vector<sweep::Block> finals;  ///< beside the plan: recorded, or to be measured now (--rerun fastest)
  std::optional<std::vector<sweep::Block>> legs = {};  ///< where the sweep trains: all that is to be done now
  HashSet finished;                                    ///< blocks of the plan and finals that are not run again
  std::set<Hash128> continued;  ///< recorded, but measured on (interrupted by a drain, or --rerun undecided)
  std::map<Hash128, sweep::Demand> taken = {};         ///< by the arms that ran of blocks that are run again or on
  std::map<Hash128, results::RankDeaths> deaths = {};  ///< by block that has taken its rank down
  stats::SpreadPool spreads = {};  ///< how pairs of recorded blocks scattered, where some are measured on
};

/// The results of the recorded blocks, judged.
struct Judged {
  results::Results results;
  analysis::Contrasts contrasts;
};
Judged judge(const Job& job, const results::Scan& journal);

/// `journal` is that of the job's folder. Judges what is recorded if it must.
OpenBlocks open_blocks(const Job& job, const results::Scan& journal);
OpenBlocks open_blocks(const Job& job, const results::Scan& journal, const Judged& judged);

/// When the --rerun failed began that this run is, by the wall clock: the one that the last session left unfinished, or
/// a new one now.
double tried_since(const Job& job, const results::Scan& journal, double now_wall_seconds);

/// These legs and nothing else, numbered from 0.
OpenBlocks open_legs(std::vector<sweep::Block> due, const results::Scan& journal);

/// Whether all of them are finished.
bool is_all_finished(const Job& job, const OpenBlocks& open);

/// Whether some blocks that the sweep asks for were never recorded, or only until a drain. Clones are none of them:
/// they are measured in time that is left.
bool blocks_missing(const Job& job, const results::Scan& journal);

/// Blocks with a comparison that more time may decide, make clear or make as precise as the sweep asks.
std::set<Hash128> undecided_blocks(const results::Results& results, const analysis::Contrasts& contrasts);

/// The undecided blocks that had less than the time of their comparisons.
std::set<Hash128> cut_short_blocks(const sweep::Sweep& sweep, const results::Results& results,
                                   const analysis::Contrasts& contrasts);

/// The blocks with an early verdict, likewise.
std::set<Hash128> early_blocks(const sweep::Sweep& sweep, const results::Results& results,
                               const analysis::Contrasts& contrasts);

/// A final for each setting of many cells whose best have the figures that they are chosen by.
std::vector<sweep::Block> finals_due(const sweep::Plan& plan, const Judged& judged);

/// Wall time that one more pair of processes of each of these blocks takes on one slot, by those that they had.
double seconds_of_a_pass(const results::Results& results, const std::set<Hash128>& blocks);

/// The wall time of a pass for the first verdicts of finals, from the time that their arms took in other blocks.
/// `results` are of their plan.
double seconds_of_a_pass(const results::Results& results, const std::vector<sweep::Block>& finals);

/// Active measuring time of each block: scored steps and re-entries.
std::vector<double> measured_seconds(const results::Results& results);

/// Blocks that hold the same code twice and were not measured. Trials that failed or were skipped beside others would
/// do so again.
std::set<Hash128> clones_due(const sweep::Plan& plan, const results::Scan& journal, const Judged& judged);

/// Picks the clones that fit into the time left, in the order of the plan: each takes as long as two pairs of its arm
/// took in `results`, where these tell. Without a limit all of them fit.
std::set<Hash128> clones_that_fit(const Job& job, const results::Results& results, const std::set<Hash128>& due,
                                  std::optional<double> left_seconds);

/// The time need of the blocks that share `measure.total`: the whole plan, or the blocks that are measured on or again.
sweep::TimeNeed sharing_need(const Job& job, const OpenBlocks& open);

/// Recorded blocks that are not of this plan: of other levels, or of an earlier text of the sweep.
std::size_t other_blocks(const Job& job, const results::Scan& journal);

}  // namespace regatta::launcher

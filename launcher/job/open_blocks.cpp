#include "job/open_blocks.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "job/job.hpp"
#include "regatta/analysis/fastest.hpp"
#include "regatta/analysis/pair_spreads.hpp"
#include "regatta/results/finals.hpp"
#include "regatta/results/lives.hpp"
#include "regatta/results/store.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/sweep/budget.hpp"
#include "regatta/sweep/final_block.hpp"

namespace regatta::launcher {

namespace {

/// Undecided, or not as precise as was asked.
bool is_open(const analysis::Contrast& contrast) {
  return contrast.verdict == stats::Verdict::undecided || !contrast.precise;
}

}  // namespace

std::set<Hash128> undecided_blocks(const results::Results& results, const analysis::Contrasts& contrasts) {
  std::set<Hash128> blocks;
  for (const analysis::Contrast& contrast : contrasts.contrasts) {
    if (is_open(contrast) && can_be_decided(contrast)) blocks.insert(results.blocks[contrast.block.value].hash);
  }
  return blocks;
}

namespace {

/// Leaves out the blocks that have used up the time of their comparisons.
std::set<Hash128> with_time_left(const sweep::Sweep& sweep, const results::Results& results, std::set<Hash128> blocks) {
  constexpr double nearly_all = 0.9;
  const auto seconds = measured_seconds(results);
  for (std::size_t at = 0; at < results.blocks.size(); ++at) {
    const results::BlockRow& block = results.blocks[at];
    const double wanted = sweep::wanted_seconds(sweep, block.has_baseline, block.arms.size());
    if (seconds[at] >= nearly_all * wanted) blocks.erase(block.hash);
  }
  return blocks;
}

}  // namespace

std::set<Hash128> cut_short_blocks(const sweep::Sweep& sweep, const results::Results& results,
                                   const analysis::Contrasts& contrasts) {
  return with_time_left(sweep, results, undecided_blocks(results, contrasts));
}

std::set<Hash128> early_blocks(const sweep::Sweep& sweep, const results::Results& results,
                               const analysis::Contrasts& contrasts) {
  std::set<Hash128> blocks;
  for (const analysis::Contrast& contrast : contrasts.contrasts)
    if (can_be_confirmed(contrast)) blocks.insert(results.blocks[contrast.block.value].hash);
  return with_time_left(sweep, results, std::move(blocks));
}

std::vector<sweep::Block> finals_due(const sweep::Plan& plan, const Judged& judged) {
  std::unordered_map<Hash128, TrialIndex> trials;  // the results may be of another plan
  for (const sweep::Trial& trial : plan.trials) trials.emplace(trial.hash, trial.index);
  std::vector<sweep::Block> finals;
  for (const auto& fastest : analysis::fastest_of(judged.results, judged.contrasts)) {
    std::vector<TrialIndex> arms;
    for (const TrialIndex due : fastest.due) {
      const auto known = trials.find(judged.results.trials[due.value].hash);
      if (known != trials.end()) arms.push_back(known->second);
    }
    auto final = arms.size() == fastest.due.size() ? sweep::final_block(plan, arms) : std::nullopt;
    if (final) finals.push_back(std::move(*final));
  }
  return finals;
}

namespace {

/// Seconds that so many pairs of processes of each block would take, judged by the pairs that it had.
std::vector<double> pass_seconds(const results::Results& results, std::size_t pairs_of_a_pass) {
  std::vector<std::size_t> pairs(results.blocks.size());
  for (const results::SampleRow& row : results.samples) {
    if (row.sample.arm == 0 && row.sample.phase == stats::Phase::first) ++pairs[row.block.value];
  }
  std::vector<double> seconds;
  for (std::size_t at = 0; at < pairs.size(); ++at) {
    const results::BlockRow& block = results.blocks[at];
    const std::size_t of_pass = std::min(pairs[at], pairs_of_a_pass);
    const double share = of_pass == 0 ? 0 : static_cast<double>(of_pass) / static_cast<double>(pairs[at]);
    seconds.push_back(block.own_seconds * share);
  }
  return seconds;
}

/// Slots that a recorded block took at once.
double slots_of(const results::Results& results, const results::BlockRow& block) {
  std::int64_t ranks = 1;
  for (const TrialIndex arm : block.arms)
    ranks = std::max(ranks, sweep::integer_or(results.trials[arm.value].parameters, sweep::Param::ranks, 1));
  return static_cast<double>(ranks);
}

}  // namespace

double seconds_of_a_pass(const results::Results& results, const std::set<Hash128>& blocks) {
  const std::vector<double> of_blocks = pass_seconds(results, 1);  // one more pair makes an interval narrower
  double seconds = 0;
  for (std::size_t at = 0; at < of_blocks.size(); ++at) {
    const results::BlockRow& block = results.blocks[at];
    if (blocks.contains(block.hash)) seconds += of_blocks[at] * slots_of(results, block);
  }
  return seconds;
}

namespace {

/// By trial: what two pairs of processes took of its arm, where it took longest.
std::vector<double> seconds_of_trials(const results::Results& results) {
  const std::vector<double> of_blocks = pass_seconds(results, stats::rules::fewest_process_pairs);
  std::vector<double> of_trials(results.trials.size());
  for (std::size_t at = 0; at < of_blocks.size(); ++at) {
    const auto& arms = results.blocks[at].arms;
    for (const TrialIndex arm : arms) {
      double& longest = of_trials[arm.value];
      longest = std::max(longest, of_blocks[at] / static_cast<double>(arms.size()));
    }
  }
  return of_trials;
}

/// On one slot.
double seconds_of_arms(const sweep::Block& block, const std::vector<double>& of_trials) {
  double seconds = 0;
  for (const TrialIndex arm : block.arms) seconds += static_cast<double>(block.demand.ranks) * of_trials.at(arm.value);
  return seconds;
}

}  // namespace

double seconds_of_a_pass(const results::Results& results, const std::vector<sweep::Block>& finals) {
  const std::vector<double> of_trials = seconds_of_trials(results);
  double seconds = 0;
  for (const sweep::Block& final : finals) seconds += seconds_of_arms(final, of_trials);
  return seconds;
}

std::vector<double> measured_seconds(const results::Results& results) {
  std::vector<double> seconds(results.blocks.size());
  for (const results::SampleRow& row : results.samples) {
    if (stats::is_measuring(row.sample.phase)) seconds.at(row.block.value) += row.sample.seconds;
  }
  return seconds;
}

namespace {

bool reopens(const Job& job) { return job.options.rerun != Rerun::nothing && job.options.rerun != Rerun::failed; }

/// The blocks that --rerun opens again.
struct Reopened {
  std::vector<sweep::Block> finals;
  std::set<Hash128> clones = {};
  std::set<Hash128> continued;
  stats::SpreadPool spreads;
};

Reopened reopened(const Job& job, const results::Scan& journal, const Judged& judged) {
  const Rerun rerun = job.options.rerun;
  const auto& [results, contrasts] = judged;
  Reopened open;
  if (rerun == Rerun::undecided) open.continued = undecided_blocks(results, contrasts);
  if (rerun == Rerun::cut_short) open.continued = cut_short_blocks(job.sweep, results, contrasts);
  if (rerun == Rerun::early) open.continued = early_blocks(job.sweep, results, contrasts);
  if (rerun == Rerun::fastest) open.finals = finals_due(job.plan, judged);
  open.spreads = analysis::pair_spreads(results);
  if (rerun == Rerun::clones)
    open.clones = clones_that_fit(job, results, clones_due(job.plan, journal, judged), job.sweep.measure.total_seconds);
  return open;
}

bool is_one_of(const std::vector<sweep::Block>& finals, const Hash128& hash) {
  return std::ranges::find(finals, hash, &sweep::Block::hash) != finals.end();
}

/// The finals that are due, and of other settings the recorded ones.
std::vector<sweep::Block> all_finals(const Job& job, const results::Scan& journal,
                                     const std::vector<sweep::Block>& due) {
  auto finals = results::recorded_finals(journal, job.plan, job.origins, job.options.keep_changed).blocks;
  std::erase_if(finals, [&](const sweep::Block& final) {
    return std::ranges::any_of(due, [&](const auto& each) { return each.arms.front() == final.arms.front(); });
  });
  finals.insert(finals.end(), due.begin(), due.end());
  return finals;
}

/// The blocks of the plan and the finals beside it.
std::vector<const sweep::Block*> blocks_of(const Job& job, const std::vector<sweep::Block>& finals) {
  std::vector<const sweep::Block*> blocks;
  for (const sweep::Block& block : job.plan.blocks) {
    if (!block.is_final) blocks.push_back(&block);
  }
  for (const sweep::Block& final : finals) blocks.push_back(&final);
  return blocks;
}

results::ChangedBlocks changed_of(const Job& job, const results::Scan& journal,
                                  const std::vector<sweep::Block>& finals) {
  if (finals.empty()) return results::changed_blocks(journal, job.plan, job.origins);
  return results::changed_blocks(journal, sweep::with_finals(job.plan, finals), job.origins);
}

/// The demand of recorded blocks, by the arms that ran; a block without such an arm is left out.
std::map<Hash128, sweep::Demand> taken_by(const sweep::Plan& plan, const results::Scan& journal,
                                          const std::map<Hash128, const sweep::Block*>& blocks) {
  std::map<Hash128, sweep::Demand> taken;
  std::set<Hash128> hashes;
  for (const auto& [hash, block] : blocks) hashes.insert(hash);
  for (const auto& [hash, result] : results::last_results(journal, hashes)) {
    const sweep::Block& block = *blocks.at(hash);
    std::vector<TrialIndex> ran;
    for (const sweep::ArmOutcome& arm : result.arms) {
      const bool is_known = arm.arm.value < block.arms.size();
      if (is_known && !std::holds_alternative<sweep::Skipped>(arm.outcome)) ran.push_back(block.arms[arm.arm.value]);
    }
    if (!ran.empty()) taken.emplace(hash, sweep::demand_of(plan, ran));
  }
  return taken;
}

/// The recorded blocks that are neither of these.
HashSet recorded_beside(const results::Scan& journal, const HashSet& finished, const HashSet& interrupted) {
  HashSet others = results::finished_blocks(journal);
  others.merge(results::interrupted_blocks(journal));
  std::erase_if(others, [&](const Hash128& hash) { return finished.contains(hash) || interrupted.contains(hash); });
  return others;
}

/// The blocks of the plan, with what is opened again.
OpenBlocks apart(const Job& job, const results::Scan& journal, const Reopened& wanted,
                 double tried_since = std::numeric_limits<double>::infinity()) {
  const bool finished_only = job.options.rerun == Rerun::failed;
  const auto recorded = results::finished_blocks(journal, finished_only, tried_since);
  const auto interrupted = results::interrupted_blocks(journal, finished_only);
  OpenBlocks open;
  open.spreads = wanted.spreads;
  open.finals = all_finals(job, journal, wanted.finals);
  const auto changed = changed_of(job, journal, open.finals);
  open.finished.reserve(recorded.size());
  const HashSet failed = finished_only ? recorded_beside(journal, recorded, interrupted) : HashSet();
  std::map<Hash128, const sweep::Block*> again;
  for (const sweep::Block* block : blocks_of(job, open.finals)) {
    const Hash128& hash = block->hash;
    const bool is_cut_off = interrupted.contains(hash);
    const bool is_changed = changed.contains(hash);
    if (is_changed && (is_cut_off || !job.options.keep_changed)) continue;  // squares of two programs do not mix
    if (failed.contains(hash)) again.emplace(hash, block);
    // Clones have a pass of their own, the last one: they take no time from what is undecided.
    if (block->has_clone && !wanted.clones.contains(hash)) {
      open.finished.insert(hash);
      continue;
    }
    if (!is_cut_off && (!recorded.contains(hash) || is_one_of(wanted.finals, hash))) continue;
    if (!is_cut_off && (is_changed || !wanted.continued.contains(hash))) {
      open.finished.insert(hash);
      continue;
    }
    open.continued.insert(hash);
    again.emplace(hash, block);
  }
  open.taken = taken_by(job.plan, journal, again);
  open.deaths = results::rank_deaths(journal);
  return open;
}

}  // namespace

OpenBlocks open_legs(std::vector<sweep::Block> due, const results::Scan& journal) {
  OpenBlocks open;
  open.deaths = results::rank_deaths(journal);
  for (std::size_t at = 0; at < due.size(); ++at) due[at].index = {static_cast<std::uint32_t>(at)};
  open.legs = std::move(due);
  return open;
}

Judged judge(const Job& job, const results::Scan& journal) {
  Judged judged{results::collect(job.folder(), journal, {job.sweep, job.plan}), {}};
  judged.contrasts = analysis::contrasts(judged.results);
  return judged;
}

namespace {

/// The blocks that --rerun failed has still to try, among those that failed before it began.
OpenBlocks open_since(const Job& job, const results::Scan& journal, double tried_since) {
  if (job.sweep.training) return open_legs(legs_due(job, journal, tried_since), journal);
  return apart(job, journal, {}, tried_since);
}

}  // namespace

double tried_since(const Job& job, const results::Scan& journal, double now_wall_seconds) {
  if (job.options.rerun != Rerun::failed) return now_wall_seconds;
  const auto since = results::rerun_since(journal);
  const bool goes_on = since && !is_all_finished(job, open_since(job, journal, *since));
  return goes_on ? *since : now_wall_seconds;
}

OpenBlocks open_blocks(const Job& job, const results::Scan& journal) {
  if (job.options.rerun == Rerun::failed)
    return open_since(job, journal, tried_since(job, journal, std::numeric_limits<double>::infinity()));
  if (job.sweep.training) return open_legs(legs_due(job, journal), journal);
  const bool judges = reopens(job) && !results::finished_blocks(journal).empty();
  return judges ? open_blocks(job, journal, judge(job, journal)) : apart(job, journal, {});
}

OpenBlocks open_blocks(const Job& job, const results::Scan& journal, const Judged& judged) {
  return apart(job, journal, reopened(job, journal, judged));
}

bool is_all_finished(const Job& job, const OpenBlocks& open) {
  if (open.legs) return open.legs->empty();
  return open.finished.size() == blocks_of(job, open.finals).size();
}

bool blocks_missing(const Job& job, const results::Scan& journal) {
  if (job.sweep.training) return !legs_due(job, journal).empty();
  const auto finished = results::finished_blocks(journal);
  const auto changed = reopened_by_change(job, journal);
  return !std::ranges::all_of(job.plan.blocks, [&](const sweep::Block& block) {
    return block.is_final || block.has_clone || (finished.contains(block.hash) && !changed.contains(block.hash));
  });
}

std::set<Hash128> clones_due(const sweep::Plan& plan, const results::Scan& journal, const Judged& judged) {
  HashSet measured;
  for (const results::TrialRow& trial : judged.results.trials)
    if (std::holds_alternative<sweep::Finished>(trial.outcome)) measured.insert(trial.hash);
  const auto recorded = results::finished_blocks(journal);
  std::set<Hash128> due;
  for (const sweep::Block& block : plan.blocks) {
    const bool is_clone = block.has_clone && !recorded.contains(block.hash);
    if (is_clone && measured.contains(plan.trials[block.arms.front().value].hash)) due.insert(block.hash);
  }
  return due;
}

std::set<Hash128> clones_that_fit(const Job& job, const results::Results& results, const std::set<Hash128>& due,
                                  std::optional<double> left_seconds) {
  if (!left_seconds || due.empty()) return due;
  std::set<Hash128> fit;
  const std::vector<double> of_trials = seconds_of_trials(results);
  double left = *left_seconds * static_cast<double>(job.sharing.slots);
  for (const sweep::Block& block : job.plan.blocks) {
    if (!due.contains(block.hash)) continue;
    const double planned = sweep::need_of_slots(job.sweep, job.plan, block, job.sharing.starts).least;
    const double least = std::max(planned, seconds_of_arms(block, of_trials));
    if (least > left) continue;
    left -= least;
    fit.insert(block.hash);
  }
  return fit;
}

sweep::TimeNeed sharing_need(const Job& job, const OpenBlocks& open) {
  sweep::TimeNeed need;
  if (!job.sweep.measure.total_seconds) return need;
  const auto is_open = [&](const sweep::Block& block) { return !open.finished.contains(block.hash); };
  const bool opens_nothing = open.continued.empty() && std::ranges::none_of(open.finals, is_open);
  const bool is_whole = !reopens(job) || (opens_nothing && job.options.rerun != Rerun::clones);
  for (const sweep::Block* block : blocks_of(job, open.finals)) {
    const bool is_of_whole = is_whole && !block->is_final && !block->has_clone;
    if (is_open(*block) || is_of_whole) need += sweep::need_of_slots(job.sweep, job.plan, *block, job.sharing.starts);
  }
  return need;
}

std::size_t other_blocks(const Job& job, const results::Scan& journal) {
  HashSet recorded = results::finished_blocks(journal);
  for (const sweep::Block& block : job.plan.blocks) recorded.erase(block.hash);
  const results::Finals finals = results::recorded_finals(journal, job.plan, job.origins, job.options.keep_changed);
  for (const sweep::Block& final : finals.blocks) recorded.erase(final.hash);
  for (const Hash128& final : finals.others) recorded.erase(final);
  return recorded.size();
}

}  // namespace regatta::launcher

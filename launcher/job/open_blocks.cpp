#include "job/open_blocks.hpp"

#include <algorithm>

#include "job/changes.hpp"
#include "regatta/analysis/fastest.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/budget.hpp"

namespace regatta::launcher {

namespace {

/// Undecided, doubtful, or not as precise as was asked.
bool is_open(const analysis::Contrast& contrast) {
  return contrast.verdict == stats::Verdict::undecided || !contrast.survives || !contrast.precise;
}

}  // namespace

std::set<Hash128> undecided_blocks(const results::Results& results, const analysis::Contrasts& contrasts) {
  std::set<Hash128> blocks;
  for (const analysis::Contrast& contrast : contrasts.contrasts) {
    if (is_open(contrast) && can_be_decided(contrast)) blocks.insert(results.blocks[contrast.block.value].hash);
  }
  return blocks;
}

std::set<Hash128> cut_short_blocks(const Job& job, const results::Results& results,
                                   const analysis::Contrasts& contrasts) {
  constexpr double nearly_all = 0.9;
  const auto seconds = measured_seconds(results);
  std::set<Hash128> blocks = undecided_blocks(results, contrasts);
  for (const sweep::Block& block : job.plan.blocks) {
    if (block.is_intervention()) continue;  // behind those of trials, and in no contrast
    if (seconds.at(block.index.value) >= nearly_all * sweep::wanted_seconds(job.sweep, block)) blocks.erase(block.hash);
  }
  return blocks;
}

std::set<Hash128> fastest_blocks(const results::Results& results, const analysis::Contrasts& contrasts) {
  std::set<Hash128> blocks;
  for (const auto& fastest : analysis::fastest_of(results, contrasts)) {
    for (const BlockIndex block : fastest.open) blocks.insert(results.blocks[block.value].hash);
  }
  return blocks;
}

namespace {

constexpr std::size_t pairs_of_a_pass = 3;  // fewer give no verdict

}  // namespace

double seconds_of_a_pass(const results::Results& results, const std::set<Hash128>& blocks) {
  std::vector<std::size_t> pairs(results.blocks.size());
  for (const results::SampleRow& row : results.samples) {
    if (row.sample.arm == 0 && row.sample.phase == stats::Phase::first) ++pairs[row.block.value];
  }
  double seconds = 0;
  for (std::size_t at = 0; at < pairs.size(); ++at) {
    const results::BlockRow& block = results.blocks[at];
    if (!blocks.contains(block.hash) || pairs[at] == 0) continue;
    const double of_a_pair = (block.end_wall_seconds - block.start_wall_seconds) / static_cast<double>(pairs[at]);
    seconds += of_a_pair * static_cast<double>(std::min(pairs[at], pairs_of_a_pass));
  }
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

/// Recorded blocks that --rerun opens again.
OpenBlocks reopened(const Job& job, const Judged& judged) {
  const Rerun rerun = job.options.rerun;
  const auto& [results, contrasts] = judged;
  OpenBlocks open;
  if (rerun == Rerun::undecided) open.continued = undecided_blocks(results, contrasts);
  if (rerun == Rerun::cut_short) open.continued = cut_short_blocks(job, results, contrasts);
  if (rerun == Rerun::fastest) open.again = fastest_blocks(results, contrasts);
  open.floor = contrasts.identical.floor;
  return open;
}

/// The blocks of the plan, with what is opened again.
OpenBlocks apart(const Job& job, const results::Scan& journal, const OpenBlocks& wanted) {
  const bool finished_only = job.options.rerun == Rerun::failed;
  const auto recorded = results::finished_blocks(journal, finished_only);
  const auto interrupted = results::interrupted_blocks(journal, finished_only);
  const auto changed = results::changed_blocks(journal, job.plan, job.origins);
  OpenBlocks open;
  open.floor = wanted.floor;
  for (const sweep::Block& block : job.plan.blocks) {
    const bool is_cut_off = interrupted.contains(block.hash);
    const bool is_changed = changed.contains(block.hash);
    if (!is_cut_off && !recorded.contains(block.hash)) continue;
    if (is_changed && (is_cut_off || !job.options.keep_changed)) continue;  // squares of two programs do not mix
    const bool goes_on = is_cut_off || (wanted.continued.contains(block.hash) && !is_changed);
    auto& kind = wanted.again.contains(block.hash) ? open.again : goes_on ? open.continued : open.finished;
    kind.insert(block.hash);
  }
  return open;
}

}  // namespace

Judged judge(const Job& job, const results::Scan& journal) {
  Judged judged{results::collect(job.folder(), journal), {}};
  judged.contrasts = analysis::contrasts(judged.results);
  return judged;
}

OpenBlocks open_blocks(const Job& job, const results::Scan& journal) {
  const bool judges = reopens(job) && !results::finished_blocks(journal).empty();
  return judges ? open_blocks(job, journal, judge(job, journal)) : apart(job, journal, {});
}

OpenBlocks open_blocks(const Job& job, const results::Scan& journal, const Judged& judged) {
  return apart(job, journal, reopened(job, judged));
}

bool blocks_missing(const Job& job, const results::Scan& journal) {
  const auto finished = results::finished_blocks(journal);
  const auto changed = reopened_by_change(job, journal);
  return !std::ranges::all_of(job.plan.blocks, [&](const sweep::Block& block) {
    return finished.contains(block.hash) && !changed.contains(block.hash);
  });
}

std::size_t sharing_arms(const Job& job, const OpenBlocks& open) {
  std::size_t arms = 0;
  const bool is_whole = !reopens(job) || (open.continued.empty() && open.again.empty());
  for (const sweep::Block& block : job.plan.blocks) {
    if (is_whole || !open.finished.contains(block.hash)) arms += block.arms.size();
  }
  return arms;
}

std::size_t other_blocks(const Job& job, const results::Scan& journal) {
  std::set<Hash128> recorded = results::finished_blocks(journal);
  for (const sweep::Block& block : job.plan.blocks) recorded.erase(block.hash);
  return recorded.size();
}

}  // namespace regatta::launcher

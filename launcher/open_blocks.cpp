#include "open_blocks.hpp"

#include <algorithm>

#include "regatta/results/store.hpp"
#include "slice_loop.hpp"

namespace regatta::launcher {

std::set<Hash128> undecided_blocks(const results::Results& results, const analysis::Contrasts& contrasts) {
  std::set<Hash128> blocks;
  for (const analysis::Contrast& contrast : contrasts.contrasts) {
    if (contrast.verdict == stats::Verdict::undecided && can_be_decided(contrast))
      blocks.insert(results.blocks[contrast.block.value].hash);
  }
  return blocks;
}

std::set<Hash128> cut_short_blocks(const Job& job, const results::Results& results,
                                   const analysis::Contrasts& contrasts) {
  constexpr double nearly_all = 0.9;
  const auto seconds = measured_seconds(results);
  std::set<Hash128> blocks = undecided_blocks(results, contrasts);
  for (const sweep::Block& block : job.plan.blocks) {
    if (block.explains()) continue;  // behind those of trials, and in no contrast
    if (seconds.at(block.index.value) >= nearly_all * wanted_seconds(job.sweep, block)) blocks.erase(block.hash);
  }
  return blocks;
}

std::vector<double> measured_seconds(const results::Results& results) {
  std::vector<double> seconds(results.blocks.size());
  for (const results::SampleRow& row : results.samples) {
    const auto phase = row.sample.phase;
    if (phase == stats::Phase::steady || phase == stats::Phase::reentry)
      seconds.at(row.block.value) += row.sample.seconds;
  }
  return seconds;
}

OpenBlocks open_blocks(const Job& job) {
  OpenBlocks open;
  const Rerun rerun = job.options.rerun;
  const auto recorded = results::finished_blocks(job.folder(), rerun == Rerun::failed);
  std::set<Hash128> undecided;
  if ((rerun == Rerun::undecided || rerun == Rerun::cut_short) && !recorded.empty()) {
    const results::Results results = results::collect(job.folder());
    const auto contrasts = analysis::contrasts(results);
    undecided =
        rerun == Rerun::cut_short ? cut_short_blocks(job, results, contrasts) : undecided_blocks(results, contrasts);
    open.floor = contrasts.identical.floor;
  }
  for (const sweep::Block& block : job.plan.blocks) {
    if (!recorded.contains(block.hash)) continue;
    (undecided.contains(block.hash) ? open.continued : open.finished).insert(block.hash);
  }
  return open;
}

std::size_t sharing_arms(const Job& job, const OpenBlocks& open) {
  std::size_t arms = 0;
  for (const sweep::Block& block : job.plan.blocks) {
    if (open.continued.empty() || !open.finished.contains(block.hash)) arms += block.arms.size();
  }
  return arms;
}

std::size_t other_blocks(const Job& job) {
  std::set<Hash128> recorded = results::finished_blocks(job.folder());
  for (const sweep::Block& block : job.plan.blocks) recorded.erase(block.hash);
  return recorded.size();
}

}  // namespace regatta::launcher

#include "job/open_blocks.hpp"

#include <gtest/gtest.h>

#include "analysis/hand_made.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::launcher {
namespace {

/// Two blocks of two arms, 10 s for each comparison.
Job two_blocks() {
  Job job;
  job.sweep = sweep::parse_sweep(R"({"regatta": 1, "name": "s",
    "axes": {"model": "mlp-10", "mode": ["eager", "graph"], "batch": [1, 8]},
    "compare": {"over": ["mode"], "baseline": {"mode": "graph"}}, "measure": {"per_contrast": "10s"}})",
                                 "s.json", sweep::any_environment());
  job.plan = sweep::make_plan(job.sweep);
  for (sweep::Block& block : job.plan.blocks) {
    block.arms.resize(block.distinct_arms());
    block.has_clone = false;
  }
  return job;
}

results::Results measured(const Job& job, std::vector<double> seconds_of_blocks) {
  results::Results results;
  for (const sweep::Block& block : job.plan.blocks) {
    results::BlockRow row;
    row.hash = block.hash;
    row.arms = block.arms;
    results.blocks.push_back(row);
    const double seconds = seconds_of_blocks.at(block.index.value);
    for (const auto phase : {stats::Phase::first, stats::Phase::warmup, stats::Phase::reentry, stats::Phase::steady})
      results.samples.push_back({block.arms.front(), block.index, {.phase = phase, .seconds = seconds / 2}});
  }
  return results;
}

analysis::Contrast contrast(std::uint32_t block, stats::Verdict verdict, std::vector<std::string> flags = {}) {
  analysis::Contrast found;
  found.block = BlockIndex{block};
  found.verdict = verdict;
  found.flags = std::move(flags);
  return found;
}

TEST(MeasuredSeconds, AreThoseOfScoredStepsAndReentries) {
  EXPECT_EQ(measured_seconds(measured(two_blocks(), {4, 6})), (std::vector<double>{4, 6}));
}

TEST(UndecidedBlocks, AreThoseThatMoreTimeMayDecide) {
  const Job job = two_blocks();
  const auto results = measured(job, {1, 1});
  using stats::Verdict;
  const auto blocks = [&](analysis::Contrast a, analysis::Contrast b) {
    analysis::Contrasts found;
    found.contrasts = {std::move(a), std::move(b)};
    return undecided_blocks(results, found);
  };
  EXPECT_EQ(blocks(contrast(0, Verdict::undecided), contrast(1, Verdict::same)),
            std::set<Hash128>{job.plan.blocks[0].hash});
  EXPECT_TRUE(blocks(contrast(0, Verdict::slower), contrast(1, Verdict::undecided, {"cores_shared"})).empty());
}

TEST(CutShortBlocks, HadLessThanTheTimeOfTheirComparisons) {
  const Job job = two_blocks();
  analysis::Contrasts contrasts;
  contrasts.contrasts = {contrast(0, stats::Verdict::undecided), contrast(1, stats::Verdict::undecided)};
  EXPECT_EQ(cut_short_blocks(job, measured(job, {8, 9.5}), contrasts), std::set<Hash128>{job.plan.blocks[0].hash});
}

TEST(FastestBlocks, HoldTheBestOfManyCellsUntilTheyWereMeasuredAgain) {
  testing_support::HandMade made;
  for (const double ratio : {2.0, 3.0, 4.0, 5.0, 6.0, 7.0}) made.cell(ratio);
  auto& blocks = made.made.results.blocks;
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i].hash = hash128(std::to_string(i));
  EXPECT_EQ(fastest_blocks(made.made.results, made.contrasts),
            (std::set<Hash128>{blocks[0].hash, blocks[1].hash, blocks[2].hash, blocks[3].hash}))
      << "the fifth of the best is the baseline, which stands in all of them";
  for (auto& block : blocks) block.measured_again = true;
  EXPECT_TRUE(fastest_blocks(made.made.results, made.contrasts).empty());
}

TEST(SharingArms, AreThoseOfTheWholePlanOrOfWhatIsMeasuredOn) {
  Job job = two_blocks();
  OpenBlocks open;
  EXPECT_EQ(sharing_arms(job, open), 4U);
  open.finished = {job.plan.blocks[0].hash};
  EXPECT_EQ(sharing_arms(job, open), 4U);
  open.continued = {job.plan.blocks[1].hash};
  EXPECT_EQ(sharing_arms(job, open), 4U) << "a drain interrupted it: it has its share of the whole still";
  job.options.rerun = Rerun::undecided;
  EXPECT_EQ(sharing_arms(job, open), 2U);
  std::swap(open.continued, open.again);
  EXPECT_EQ(sharing_arms(job, open), 2U);
}

}  // namespace
}  // namespace regatta::launcher

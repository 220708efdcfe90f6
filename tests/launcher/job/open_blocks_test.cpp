#include "job/open_blocks.hpp"

#include <gtest/gtest.h>

#include "analysis/hand_made.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/final_block.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

/// Two blocks of two arms, 10 s for each comparison.
Job two_blocks() {
  Job job;
  job.sweep = sweep::parse_sweep(R"({"regatta": 1, "name": "s",
    "axes": {"model": "mlp-10", "mode": ["eager", "graph"], "batch": [1, 8]},
    "compare": {"over": ["mode"], "baseline": {"mode": "graph"}}, "measure": {"per_contrast": "10s", "again": false}})",
                                 "s.json", sweep::any_environment());
  job.plan = sweep::make_plan(job.sweep);
  return job;
}

results::Results measured(const Job& job, std::vector<double> seconds_of_blocks) {
  results::Results results;
  for (const sweep::Block& block : job.plan.blocks) {
    results::BlockRow row;
    row.hash = block.hash;
    row.arms = block.arms;
    row.has_baseline = block.has_baseline;
    results.blocks.push_back(row);
    const double seconds = seconds_of_blocks.at(block.index.value);
    for (const auto phase : {stats::Phase::first, stats::Phase::warmup, stats::Phase::reentry, stats::Phase::steady})
      results.samples.push_back({block.arms.front(), block.index, {.phase = phase, .seconds = seconds / 2}});
  }
  return results;
}

analysis::Contrast contrast(std::uint32_t block, stats::Verdict verdict, stats::Flags flags = {}) {
  analysis::Contrast found;
  found.block = BlockIndex{block};
  found.verdict = verdict;
  found.flags = flags;
  return found;
}

/// Records the first blocks as failed, each at its second by the wall clock, in a session of a --rerun failed that
/// began then (0: of another run).
void record_failed(const Job& job, double rerun_since, const std::vector<double>& ends) {
  results::Provenance provenance;
  provenance.rerun_since = rerun_since;
  results::StoreWriter writer(job.folder(), job.sweep, job.plan, provenance);
  for (std::size_t at = 0; at < ends.size(); ++at) {
    results::BlockRecord block;
    block.block = job.plan.blocks.at(at).hash;
    block.end_wall_seconds = ends[at];
    block.arms.resize(2);
    for (std::uint32_t arm = 0; arm < 2; ++arm) {
      block.arms[arm].arm = {arm};
      block.arms[arm].outcome = sweep::Failed{sweep::FailureKind::reported, "no"};
    }
    writer.result(block, {});
  }
  writer.sync();
}

TEST(OpenBlocksOfWhatFailed, AreThoseThatFailedBeforeTheFirstLife) {
  const support::TemporaryFolder base;
  Job job = two_blocks();
  job.options.out = base.path();
  job.options.rerun = Rerun::failed;
  const auto finished = [&] { return open_blocks(job, results::read_store(job.folder())).finished.size(); };
  const auto since = [&] { return tried_since(job, results::read_store(job.folder()), 500); };
  record_failed(job, 0, {100, 101});
  EXPECT_EQ(finished(), 0U);
  EXPECT_EQ(since(), 500) << "this run begins a new one";
  record_failed(job, 200, {201});
  EXPECT_EQ(finished(), 1U) << "the second life tries the other one alone";
  EXPECT_EQ(since(), 200);
  record_failed(job, 200, {201, 301});
  EXPECT_EQ(finished(), 0U) << "both were tried: whoever asks again wants them tried again";
  EXPECT_EQ(since(), 500);
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
  EXPECT_TRUE(
      blocks(contrast(0, Verdict::slower), contrast(1, Verdict::undecided, {stats::Flag::cores_shared})).empty());
}

TEST(CutShortBlocks, HadLessThanTheTimeOfTheirComparisons) {
  const Job job = two_blocks();
  analysis::Contrasts contrasts;
  contrasts.contrasts = {contrast(0, stats::Verdict::undecided), contrast(1, stats::Verdict::undecided)};
  EXPECT_EQ(cut_short_blocks(job.sweep, measured(job, {8, 9.5}), contrasts),
            std::set<Hash128>{job.plan.blocks[0].hash});
}

TEST(CutShortBlocks, AreAllThatAreOpenWhereOnlyTheTotalLimitsThem) {
  Job job = two_blocks();
  job.sweep.measure.per_contrast_seconds.reset();
  job.sweep.measure.total_seconds = 30;
  analysis::Contrasts contrasts;
  contrasts.contrasts = {contrast(0, stats::Verdict::undecided), contrast(1, stats::Verdict::undecided)};
  EXPECT_EQ(cut_short_blocks(job.sweep, measured(job, {8, 9.5}), contrasts).size(), 2U);
}

/// Seven cells, in one block of six arms and one of two.
sweep::Plan seven_cells() {
  return sweep::make_plan(
      sweep::parse_sweep(R"({"regatta": 1, "name": "s", "axes": {"model": "mlp-10", "batch": [1, 2, 3, 4, 5, 6, 7]},
    "compare": {"over": ["batch"], "baseline": {"batch": 1}}})",
                         "s.json", sweep::any_environment()));
}

TEST(FinalsDue, HoldTheBestOfManyCellsUntilTheyWereMeasuredAgain) {
  const sweep::Plan plan = seven_cells();
  testing_support::HandMade made;
  for (const double ratio : {2.0, 3.0, 4.0, 5.0, 6.0, 7.0}) made.cell(ratio);
  auto& results = made.made.results;
  for (std::size_t i = 0; i < 7; ++i) results.trials[i].hash = plan.trials[6 - i].hash;  // recorded of another plan
  std::swap(results.trials[0].hash, results.trials[6].hash);                             // but for its baseline
  const auto finals = finals_due(plan, {results, made.contrasts});
  ASSERT_EQ(finals.size(), 1U);
  EXPECT_EQ(finals[0].arms, (std::vector<TrialIndex>{{0}, {5}, {4}, {3}, {2}}));
  results.trials[2].hash = hash128("not in the plan");
  EXPECT_TRUE(finals_due(plan, {results, made.contrasts}).empty());
  for (auto& block : results.blocks) block.measured_again = true;
  EXPECT_TRUE(finals_due(plan, {results, made.contrasts}).empty());
}

TEST(SecondsOfAPass, OfAFinalAreTheSharesOfItsArmsInTheirBlocks) {
  const sweep::Plan plan = seven_cells();
  results::Results results;
  results.trials.resize(plan.trials.size());
  for (const sweep::Block& block : plan.blocks) {
    results::BlockRow row;
    row.hash = block.hash;
    row.arms = block.arms;
    row.own_seconds = block.index.value == 0 ? 60.0 * static_cast<double>(block.arms.size()) : 0;
    results.blocks.push_back(row);
    for (int pair = 0; pair < 6; ++pair)
      results.samples.push_back({block.arms.front(), block.index, {.phase = stats::Phase::first}});
  }
  const auto final = sweep::final_block(plan, {{0}, {1}, {2}, {6}});
  ASSERT_TRUE(final);
  EXPECT_DOUBLE_EQ(seconds_of_a_pass(results, std::vector{*final}), 3 * 20) << "two of six pairs, and none of the last";
  EXPECT_DOUBLE_EQ(seconds_of_a_pass(results, std::set{plan.blocks[0].hash}),
                   10.0 * static_cast<double>(plan.blocks[0].arms.size()));
}

TEST(SharingNeed, IsThatOfTheWholePlanOrOfWhatIsMeasuredOn) {
  Job job = two_blocks();
  OpenBlocks open;
  EXPECT_EQ(sharing_need(job, open).full, 0) << "there is nothing to share";
  job.sweep.measure.total_seconds = 60;
  const double of_one = sweep::need_of(job.sweep, job.plan, job.plan.blocks[0], {}).full;
  EXPECT_DOUBLE_EQ(sharing_need(job, open).full, 2 * of_one);
  open.finished = {job.plan.blocks[0].hash};
  EXPECT_DOUBLE_EQ(sharing_need(job, open).full, 2 * of_one);
  open.continued = {job.plan.blocks[1].hash};
  EXPECT_DOUBLE_EQ(sharing_need(job, open).full, 2 * of_one)
      << "a drain interrupted it: it has its share of the whole still";
  job.options.rerun = Rerun::undecided;
  EXPECT_DOUBLE_EQ(sharing_need(job, open).full, of_one);
  job.options.rerun = Rerun::fastest;
  open.finished.insert(job.plan.blocks[1].hash);
  open.continued.clear();
  open.finals = {*sweep::final_block(job.plan, job.plan.blocks[0].arms)};
  EXPECT_DOUBLE_EQ(sharing_need(job, open).full, of_one) << "the final alone";
  EXPECT_FALSE(is_all_finished(job, open));
  open.finished.insert(open.finals[0].hash);
  EXPECT_TRUE(is_all_finished(job, open));
}

}  // namespace
}  // namespace regatta::launcher

// A folder that Regatta wrote before version 2 of the journal (two sessions of a small sweep, the second one cut off
// before its block was recorded; only names of the machine were replaced): it is read, resumed and salvaged.
#include <gmock/gmock.h>

#include <algorithm>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/results/file.hpp"
#include "regatta/results/merge.hpp"
#include "regatta/results/open_work.hpp"
#include "regatta/results/salvage.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "results/journal/record_codec.hpp"
#include "results/sample_sweep.hpp"
#include "results/temporary_folder.hpp"
#include "support/places.hpp"

namespace regatta::results {
namespace {

class VersionOne : public testing::Test {
 protected:
  VersionOne() {
    const std::filesystem::path stored = support::source_folder() + "/tests/results/journal/v1";
    create_private_folder(folder);
    for (const char* name : {"journal", "samples.bin"}) spill(folder / name, slurp(stored / name));
    const Scan scan = scan_journal(journal_file(folder));
    for (const Record& record : scan.records) {
      if (record.kind != RecordKind::plan) continue;
      const PlanRecord last = parse_plan(record);
      sweep = sweep::parse_sweep(last.text, last.file, sweep::any_environment());
      sweep.axes = last.axes;
    }
    plan = sweep::make_plan(sweep);
  }

  /// The open block, measured by a session of this version.
  void resume() {
    const HashSet finished = finished_blocks(read_store(folder));
    StoreWriter writer(folder, sweep, plan, sample_provenance(sweep.text));
    writer.agent(sample_agent());
    for (const sweep::Block& block : plan.blocks) {
      if (finished.contains(block.hash)) continue;
      writer.granted(block.hash, {0}, {1});
      writer.result(finished_block(plan, block.index), block_samples(plan, block.index));
    }
    writer.end_session();
  }

  static std::ptrdiff_t finished_trials(const Results& results) {
    return std::ranges::count_if(
        results.trials, [](const TrialRow& row) { return std::holds_alternative<sweep::Finished>(row.outcome); });
  }

  TemporaryFolder base;
  std::filesystem::path folder = base / "old.regatta";
  sweep::Sweep sweep;
  sweep::Plan plan;
};

TEST_F(VersionOne, IsCollectedWithItsFactsAndSamples) {
  const Results results = collect(folder);
  ASSERT_EQ(results.trials.size(), 4U);
  EXPECT_EQ(finished_trials(results), 2);
  EXPECT_FALSE(results.complete);
  const auto row = std::ranges::find_if(
      results.trials, [](const TrialRow& each) { return std::holds_alternative<sweep::Finished>(each.outcome); });
  EXPECT_NE(sweep::text_of(row->facts, sweep::Fact::kernels), "");
  EXPECT_GT(row->metrics.at("step_time"), 0);
  EXPECT_GT(row->metrics.at("prepare_time"), 0);
  EXPECT_GT(row->metrics.at("peak_memory"), 0);
  EXPECT_EQ(results.envs[0].version, "0.1.0");
  EXPECT_EQ(results.hosts[0].name, "node1");
  EXPECT_FALSE(results.samples.empty());
}

TEST_F(VersionOne, SaysWhatIsOpen) {
  const OpenWork work = open_work(folder);
  EXPECT_EQ(work.blocks.size(), 1U);
  EXPECT_FALSE(work.ended);
  EXPECT_TRUE(is_current(read_store(folder), sweep));
}

TEST_F(VersionOne, IsResumedWithoutTouchingWhatItHolds) {
  const std::string before = slurp(journal_file(folder));
  resume();
  EXPECT_EQ(slurp(journal_file(folder)).substr(0, before.size()), before);
  const Results results = collect(folder);
  EXPECT_TRUE(results.complete);
  EXPECT_EQ(finished_trials(results), 4);
  EXPECT_TRUE(open_work(folder).blocks.empty());
  EXPECT_EQ(results.hosts.size(), 2U);
}

TEST_F(VersionOne, KeepsTheNumbersOfItsBlocksWhenResumed) {
  const Results before = collect(folder);
  resume();
  const Results after = collect(folder);
  for (std::size_t i = 0; i < before.trials.size(); ++i) {
    if (!std::holds_alternative<sweep::Finished>(before.trials[i].outcome)) continue;
    EXPECT_EQ(before.trials[i].metrics, after.trials[i].metrics);
    EXPECT_EQ(before.trials[i].facts, after.trials[i].facts);
  }
}

TEST_F(VersionOne, MakesAFileThatMergesWithOneOfThisVersion) {
  write_results(base / "old.h5", collect(folder));
  resume();
  write_results(base / "new.h5", collect(folder));
  const Merged merged = merge({{"old.h5", read_results(base / "old.h5")}, {"new.h5", read_results(base / "new.h5")}});
  EXPECT_EQ(finished_trials(merged.results), 4);
}

TEST_F(VersionOne, IsSalvagedBesideRecordsOfThisVersion) {
  resume();
  std::string bytes = slurp(journal_file(folder));
  bytes[bytes.find(" agent ") + 60] ^= 1;  // version 1
  bytes[bytes.rfind(" agent ") + 60] ^= 1;
  spill(journal_file(folder), bytes);
  EXPECT_THROW(collect(folder), InputError);
  const Salvaged saved = salvage(folder, base / "saved.regatta", nullptr);
  EXPECT_EQ(saved.lost.size(), 2U);
  EXPECT_EQ(saved.blocks, 4U) << "two of them clones";
  EXPECT_EQ(finished_trials(collect(base / "saved.regatta")), 4);
}

}  // namespace
}  // namespace regatta::results

#include "regatta/results/open_work.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>

#include "regatta/results/store.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "results/sample_sweep.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

class OpenWorkOf : public testing::Test {
 protected:
  support::TemporaryFolder base;
  std::filesystem::path folder = base / "small.regatta";
  SampleSweep sample = sample_sweep("8, 32, 64");

  StoreWriter session() { return {folder, sample.sweep, sample.plan, sample_provenance(sample.sweep.text), 0.05}; }
  void record(StoreWriter& writer, std::uint32_t block) {
    writer.result(finished_block(sample.plan, {block}), block_samples(sample.plan, {block}));
  }
};

TEST_F(OpenWorkOf, ARunTellsBlocksSlotsAndPace) {
  {
    StoreWriter writer = session();
    writer.agent(sample_agent(0));
    writer.agent(sample_agent(1));
    writer.agent(sample_agent(0));  // once more, after calibration
    record(writer, 1);
    writer.failed_attempt(sample.plan.blocks[2].hash, sample.plan.trials[sample.plan.blocks[2].arms[1].value].hash, 1,
                          sweep::FailureKind::crashed, "signal 11");
    writer.sync();
  }
  const OpenWork work = open_work(folder);
  EXPECT_FALSE(work.ended);
  EXPECT_EQ(work.slots, (std::vector<std::string>{"node1 cores 0", "node1 cores 1"}));
  EXPECT_EQ(work.block_seconds, std::vector<double>{5.25});
  EXPECT_EQ(work.attempts, 3);
  ASSERT_EQ(work.blocks.size(), 2U);
  EXPECT_EQ(work.blocks[0].trials.size(), 3U);
  EXPECT_EQ(work.blocks[0].ahead, 0U);
  EXPECT_EQ(work.blocks[1].ahead, 1U);
  EXPECT_TRUE(work.blocks[0].failed_attempts.empty());
  ASSERT_EQ(work.blocks[1].failed_attempts.size(), 1U);
  EXPECT_EQ(work.blocks[1].failed_attempts[0].trial, sample.plan.blocks[2].arms[1]);
}

TEST_F(OpenWorkOf, OnlyTheLastSessionCounts) {
  {
    StoreWriter writer = session();
    writer.agent(sample_agent(0));
    record(writer, 0);
    writer.failed_attempt(sample.plan.blocks[1].hash, sample.plan.trials[0].hash, 1, sweep::FailureKind::crashed, "x");
    writer.sync();
  }
  session().end_session();
  const OpenWork work = open_work(folder);
  EXPECT_TRUE(work.ended);
  EXPECT_TRUE(work.slots.empty());
  EXPECT_TRUE(work.block_seconds.empty());
  ASSERT_EQ(work.blocks.size(), 2U);
  EXPECT_TRUE(work.blocks[0].failed_attempts.empty());
}

TEST_F(OpenWorkOf, ASlotHoldsWhatItWasHandedAndRunsTheFirst) {
  sample = sample_sweep("8, 16, 32, 64, 128");
  const auto& blocks = sample.plan.blocks;
  StoreWriter writer = session();
  for (const std::uint32_t agent : {0, 1}) writer.agent(sample_agent(agent));
  for (const std::uint32_t block : {0, 1, 3}) writer.granted(blocks[block].hash, {0}, {1});
  writer.granted(blocks[2].hash, {1}, {1});
  record(writer, 0);
  writer.sync();
  const auto held = [&](std::size_t open) {
    const auto slot = open_work(folder).blocks.at(open).held;
    return slot ? slot->slot + (slot->is_first ? " runs" : " next") : "waits";
  };
  EXPECT_EQ(held(0), "node1 cores 0 runs");
  EXPECT_EQ(held(1), "node1 cores 1 runs");
  EXPECT_EQ(held(2), "node1 cores 0 next");
  EXPECT_EQ(held(3), "waits");
  // Granted again before it is recorded why.
  writer.granted(blocks[1].hash, {1}, {2});
  writer.failed_attempt(blocks[1].hash, sample.plan.trials[0].hash, 1, sweep::FailureKind::crashed, "x");
  writer.sync();
  EXPECT_EQ(held(0), "node1 cores 1 next");
  EXPECT_EQ(held(2), "node1 cores 0 runs");
  writer.failed_attempt(blocks[1].hash, sample.plan.trials[0].hash, 2, sweep::FailureKind::crashed, "x");
  writer.granted(blocks[4].hash, {7}, {1});
  writer.sync();
  EXPECT_EQ(held(0), "waits");
  EXPECT_EQ(held(3), "rank 7 runs");
}

TEST_F(OpenWorkOf, ASweepThatComparesOwesThePassesThatItsLastSessionLeft) {
  std::string limited = sample_sweep_text("8, 32, 64");
  limited.replace(limited.find("\"again\""), 0, "\"total\": \"1h\", ");
  sample.sweep = sweep::parse_sweep(limited, "/somewhere/small.json");
  write_whole_store(folder, sample);
  EXPECT_FALSE(open_work(folder).passes_due);
  session().end_session({.passes_due = true});
  EXPECT_TRUE(open_work(folder).passes_due);
  sample.sweep.text = sample_sweep_text("8, 32, 64");
  const auto compare = sample.sweep.text.find(",\n  \"compare\"");
  sample.sweep.text.erase(compare, sample.sweep.text.rfind('}') - compare);
  sample.sweep = sweep::parse_sweep(sample.sweep.text, "/somewhere/small.json");
  sample.plan = sweep::make_plan(sample.sweep);
  session();
  EXPECT_FALSE(open_work(folder).passes_due) << "nothing is compared";
}

TEST_F(OpenWorkOf, ABlockThatADrainInterruptedIsOpenWithTheTrialsThatNoOtherMeasured) {
  write_whole_store(folder, sample);
  {
    StoreWriter writer = session();
    BlockRecord block = finished_block(sample.plan, {1});
    block.interrupted = block.continues = true;
    writer.result(block, block_samples(sample.plan, {1}));
    writer.end_session();
  }
  const OpenWork work = open_work(folder);
  ASSERT_EQ(work.blocks.size(), 1U);
  EXPECT_FALSE(work.blocks[0].trials.empty());
  for (const TrialIndex trial : work.blocks[0].trials)
    EXPECT_STREQ(sweep::status_of(work.results.trials[trial.value].outcome), "open") << "as the stopped run counted it";
}

TEST_F(OpenWorkOf, WhatIsMeasuredIsNotRead) {
  write_whole_store(folder, sample);
  std::filesystem::remove(samples_file(folder));
  const OpenWork work = open_work(folder);
  EXPECT_TRUE(work.blocks.empty());
  EXPECT_TRUE(std::ranges::any_of(work.results.trials, [](const TrialRow& row) {
    return std::holds_alternative<sweep::Finished>(row.outcome) && row.end_wall_seconds > 0;
  }));
}

TEST_F(OpenWorkOf, AFinishedRunIsNothing) {
  write_whole_store(folder, sample);
  EXPECT_TRUE(open_work(folder).blocks.empty());
}

TEST_F(OpenWorkOf, BlocksThatExplainKeepNoTrialWaiting) {
  sample = explained_sweep();
  {
    StoreWriter writer = session();
    writer.agent(sample_agent(0));
    record(writer, 0);
    writer.end_session();
  }
  const OpenWork work = open_work(folder);
  ASSERT_EQ(work.blocks.size(), 2U);
  for (const OpenBlock& block : work.blocks) {
    EXPECT_TRUE(block.explains);
    EXPECT_TRUE(block.trials.empty());
  }
}

TEST_F(OpenWorkOf, AJournalIsBeingWrittenWhileAWriterHoldsIt) {
  EXPECT_FALSE(is_being_written(folder));
  {
    const StoreWriter writer = session();
    EXPECT_TRUE(is_being_written(folder));
  }
  EXPECT_FALSE(is_being_written(folder));
}

}  // namespace
}  // namespace regatta::results

#include "regatta/results/open_work.hpp"

#include <gmock/gmock.h>

#include <optional>

#include "regatta/results/store.hpp"
#include "results/sample_sweep.hpp"
#include "results/temporary_folder.hpp"

namespace regatta::results {
namespace {

class OpenWorkOf : public testing::Test {
 protected:
  TemporaryFolder base;
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

TEST_F(OpenWorkOf, ABlockThatADrainInterruptedIsOpenAndItsTrialsAreNot) {
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
  EXPECT_TRUE(work.blocks[0].trials.empty());
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

#include "regatta/results/lives.hpp"

#include <gtest/gtest.h>

#include "regatta/results/store.hpp"
#include "results/sample_sweep.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

class LivesOfARun : public testing::Test {
 protected:
  support::TemporaryFolder base;
  std::filesystem::path folder = base / "small.regatta";
  SampleSweep sample = sample_sweep("8, 16, 32, 64");
  Provenance provenance = sample_provenance(sample.sweep.text);

  StoreWriter session() { return {folder, sample.sweep, sample.plan, provenance, 0.05}; }
  std::size_t fruitless() { return fruitless_sessions(read_store(folder)); }
  void record(double end_wall_seconds) {
    StoreWriter writer = session();
    BlockRecord block = finished_block(sample.plan, {0});
    block.end_wall_seconds = end_wall_seconds;
    block.arms.front().outcome = sweep::Failed{sweep::FailureKind::reported, "no"};
    writer.result(block, block_samples(sample.plan, {0}));
    writer.sync();
  }
};

TEST_F(LivesOfARun, AreFruitlessWithoutAnythingNew) {
  EXPECT_EQ(fruitless(), 0U);
  session().end_session();
  EXPECT_EQ(fruitless(), 1U);
  {
    StoreWriter writer = session();
    writer.granted(sample.plan.blocks[0].hash, {0}, {1});
    writer.stop_asked();
    writer.sync();
  }
  EXPECT_EQ(fruitless(), 2U) << "it was stopped before it had something";
  { StoreWriter cut_off = session(); }
  EXPECT_EQ(fruitless(), 3U);
  record(1000);
  EXPECT_EQ(fruitless(), 0U);
}

TEST_F(LivesOfARun, LearnSomethingFromABlockThatTookARankDown) {
  session().end_session();
  {
    StoreWriter writer = session();
    writer.granted(sample.plan.blocks[0].hash, {0}, {1});
    writer.sync();
  }
  EXPECT_EQ(fruitless(), 0U);
}

TEST_F(LivesOfARun, KnowWhenTheRerunOfWhatFailedBegan) {
  EXPECT_FALSE(rerun_since(read_store(folder)));
  provenance.rerun_since = 1000.5;
  session().end_session();
  EXPECT_EQ(rerun_since(read_store(folder)), 1000.5);
  provenance.rerun_since = 0;
  session().end_session();
  EXPECT_FALSE(rerun_since(read_store(folder)));
}

TEST_F(LivesOfARun, TryAFailedBlockOnceSinceTheFirst) {
  record(1000);
  EXPECT_TRUE(finished_blocks(read_store(folder), true).empty());
  EXPECT_TRUE(finished_blocks(read_store(folder), true, 1000.5).empty());
  EXPECT_EQ(finished_blocks(read_store(folder), true, 999.5).size(), 1U);
}

}  // namespace
}  // namespace regatta::results

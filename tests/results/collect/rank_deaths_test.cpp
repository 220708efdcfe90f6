#include <gtest/gtest.h>

#include "regatta/results/lives.hpp"
#include "regatta/results/store.hpp"
#include "results/sample_sweep.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

class DeathsOfRanks : public testing::Test {
 protected:
  support::TemporaryFolder base;
  std::filesystem::path folder = base / "small.regatta";
  SampleSweep sample = sample_sweep("8, 16, 32, 64");

  StoreWriter session() { return {folder, sample.sweep, sample.plan, sample_provenance(sample.sweep.text), 0.05}; }
  const Hash128& block(std::uint32_t at) const { return sample.plan.blocks.at(at).hash; }
  void record(StoreWriter& writer, std::uint32_t at) {
    writer.result(finished_block(sample.plan, {at}), block_samples(sample.plan, {at}));
  }
  std::int64_t deaths(std::uint32_t at) {
    const auto all = rank_deaths(read_store(folder));
    const auto found = all.find(block(at));
    return found == all.end() ? 0 : found->second.count;
  }
  /// A session that is cut off while agent 0 runs this block.
  void cut_off(std::uint32_t at) {
    StoreWriter writer = session();
    writer.agent(sample_agent(0));
    writer.granted(block(at), {0}, {1});
    writer.sync();
  }
};

TEST_F(DeathsOfRanks, AreThoseOfTheBlocksThatRan) {
  EXPECT_TRUE(rank_deaths(read_store(folder)).empty());
  {
    StoreWriter writer = session();
    writer.agent(sample_agent(0));
    for (const std::uint32_t at : {0, 1, 2}) writer.granted(block(at), {0}, {1});
    writer.granted(block(3), {1}, {1});
    record(writer, 0);
    writer.sync();
  }
  EXPECT_EQ(deaths(0), 0) << "it has a result";
  EXPECT_EQ(deaths(1), 1);
  EXPECT_EQ(deaths(2), 0) << "it was next";
  EXPECT_EQ(deaths(3), 1) << "a rank that dies ends the others";
  EXPECT_FALSE(rank_deaths(read_store(folder)).at(block(1)).was_alone);
  EXPECT_EQ(rank_deaths(read_store(folder)).at(block(1)).host, sample_agent(0).host.name);
}

TEST_F(DeathsOfRanks, AddUpOverSessionsUntilThereIsAResult) {
  for (int times = 0; times < 3; ++times) cut_off(1);
  EXPECT_EQ(deaths(1), 3);
  EXPECT_TRUE(rank_deaths(read_store(folder)).at(block(1)).was_alone);
  {
    StoreWriter writer = session();
    record(writer, 1);
    writer.sync();
  }
  EXPECT_EQ(deaths(1), 0);
  cut_off(1);  // --rerun failed
  EXPECT_EQ(deaths(1), 1);
}

TEST_F(DeathsOfRanks, AreNoEndsThatSomebodyAskedForAndNoDeathsOfWorkers) {
  {
    StoreWriter writer = session();
    writer.granted(block(0), {0}, {1});
    writer.stop_asked();
    writer.sync();
  }
  EXPECT_EQ(deaths(0), 0);
  {
    StoreWriter writer = session();
    writer.granted(block(0), {0}, {1});
    writer.end_session();
  }
  EXPECT_EQ(deaths(0), 0);
  {
    StoreWriter writer = session();
    writer.granted(block(0), {0}, {1});
    writer.failed_attempt(block(0), sample.plan.trials[0].hash, 1, sweep::FailureKind::crashed, "signal 11");
    writer.sync();
  }
  EXPECT_EQ(deaths(0), 0) << "the rank outlived its worker";
  {
    StoreWriter writer = session();
    writer.granted(block(0), {0}, {1});
    writer.granted(block(0), {1}, {2});  // before it is recorded why
    writer.failed_attempt(block(0), sample.plan.trials[0].hash, 1, sweep::FailureKind::crashed, "signal 11");
    writer.sync();
  }
  EXPECT_EQ(deaths(0), 1);
}

}  // namespace
}  // namespace regatta::results

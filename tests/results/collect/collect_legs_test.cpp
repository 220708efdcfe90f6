#include <gmock/gmock.h>

#include "regatta/base/error.hpp"
#include "results/collect/collect.hpp"
#include "results/sample_sweep.hpp"
#include "results/training_store.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

class CollectLegs : public testing::Test {
 protected:
  support::TemporaryFolder base;
  std::filesystem::path folder = base / "learns.regatta";
  TrainingSweep made = training_sweep();

  void record(const std::vector<std::pair<std::uint32_t, sweep::Learned>>& legs) {
    StoreWriter writer(folder, made.sweep, made.plan, sample_provenance(made.sweep.text));
    writer.agent(sample_agent());
    for (const auto& [block, learned] : legs) writer.result(trained_block(made.plan, {block}, learned), {});
    writer.end_session();
  }
};

TEST_F(CollectLegs, StandInATableOfTheirOwnByTrialAndSeed) {
  record({{3, learned(0.9)}, {0, learned(0.8)}, {1, learned(0.7)}});
  const Results results = collect(folder);
  ASSERT_EQ(results.trials.size(), 2U);
  EXPECT_TRUE(results.blocks.empty());
  EXPECT_TRUE(results.samples.empty());
  ASSERT_EQ(results.legs.size(), 3U);
  EXPECT_EQ(results.legs[0].trial.value, 0U);
  EXPECT_EQ(results.legs[1].leg.seed, 1);
  EXPECT_EQ(results.legs[2].trial.value, 1U);
  EXPECT_EQ(results.legs[2].learned, learned(0.9));
  EXPECT_EQ(results.legs[2].block, made.plan.blocks[3].hash);
  EXPECT_EQ(results.legs[0].attempt, 1);
  for (const TrialRow& trial : results.trials) EXPECT_STREQ(sweep::status_of(trial.outcome), "finished");
}

TEST_F(CollectLegs, ATrialWithoutALegIsOpen) {
  record({{0, learned(0.8)}});
  const Results results = collect(folder);
  EXPECT_STREQ(sweep::status_of(results.trials[1].outcome), "open");
  EXPECT_FALSE(results.complete);
}

TEST_F(CollectLegs, ATrialsFiguresAreTheMeansOfItsSeeds) {
  record({{0, learned(0.8)}, {1, learned(0.6)}});
  const auto metrics = collect(folder).trials[0].metrics;
  EXPECT_DOUBLE_EQ(metrics.at("validation_accuracy"), 0.7);
  EXPECT_DOUBLE_EQ(metrics.at("validation_loss"), 1.5);
  EXPECT_EQ(metrics.at("runs"), 2);
  EXPECT_FALSE(metrics.contains("test_accuracy"));
}

TEST_F(CollectLegs, FreshSeedsSpeakForATrialOnceItHasThem) {
  made = training_sweep(R"({"epochs": 1, "seeds": 2})",
                        R"(, "objective": {"metric": "validation_accuracy"}, "search": {"kind": "full"})");
  sweep::Learned tested = learned(0.5);
  tested.test_accuracy = 0.55;
  std::vector<std::pair<std::uint32_t, sweep::Learned>> legs;
  for (const sweep::Block& block : made.plan.blocks) {
    if (block.arms.front().value > 0 || block.leg->purpose == sweep::Purpose::clone) continue;
    const bool is_search = block.leg->purpose == sweep::Purpose::search;
    legs.emplace_back(block.index.value, block.leg->purpose == sweep::Purpose::test ? tested
                                         : is_search                                ? learned(0.9)
                                                                                    : learned(0.6));
  }
  record(legs);
  const auto metrics = collect(folder).trials[0].metrics;
  EXPECT_DOUBLE_EQ(metrics.at("validation_accuracy"), 0.6) << "what the search saw flatters";
  EXPECT_EQ(metrics.at("runs"), 2);
  EXPECT_DOUBLE_EQ(metrics.at("test_accuracy"), 0.55);
}

TEST_F(CollectLegs, OfAnotherSweepCountWhereTheyAreTheSame) {
  record({{0, learned(0.8)}, {3, learned(0.6)}});
  const TrainingSweep more = training_sweep(R"({"epochs": 1, "seeds": 3})");
  const auto legs = recorded_legs(read_store(folder), more.plan);
  ASSERT_EQ(legs.size(), 2U);
  EXPECT_EQ(legs[1].trial.value, 1U);
  EXPECT_EQ(legs[1].leg.seed, 1);
  EXPECT_TRUE(recorded_legs(read_store(folder), training_sweep(R"({"epochs": 2, "seeds": 3})").plan).empty());
}

TEST_F(CollectLegs, RefuseWhatNoLegCanGive) {
  sweep::Learned strange = learned(0.8);
  strange.best = {1};  // one value for three metrics
  const BlockRecord record = trained_block(made.plan, {0}, strange);
  {
    StoreWriter writer(folder, made.sweep, made.plan, sample_provenance(made.sweep.text));
    writer.agent(sample_agent());
    writer.result(record, {});
    writer.end_session();
  }
  EXPECT_THROW(collect(folder), InputError);
}

}  // namespace
}  // namespace regatta::results

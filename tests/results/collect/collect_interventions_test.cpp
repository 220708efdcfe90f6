#include <gmock/gmock.h>

#include <algorithm>

#include "regatta/results/store.hpp"
#include "results/collect/collect.hpp"
#include "results/file/file.hpp"
#include "results/sample_sweep.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

class CollectInterventions : public testing::Test {
 protected:
  support::TemporaryFolder base;
  std::filesystem::path folder = base / "explained.regatta";
  SampleSweep sample = explained_sweep();

  /// Records the first `blocks` blocks.
  Results collected(std::size_t blocks) {
    StoreWriter writer(folder, sample.sweep, sample.plan, sample_provenance(sample.sweep.text));
    writer.agent(sample_agent());
    for (std::uint32_t i = 0; i < blocks; ++i)
      writer.result(finished_block(sample.plan, {i}), block_samples(sample.plan, {i}));
    writer.end_session();
    return collect(folder);
  }
};

TEST_F(CollectInterventions, StandInATableOfTheirOwn) {
  const Results results = collected(3);
  ASSERT_EQ(results.trials.size(), 2U);
  ASSERT_EQ(results.blocks.size(), 1U);
  ASSERT_EQ(results.interventions.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    const InterventionRow& row = results.interventions[i];
    EXPECT_EQ(row.trial.value, i / 5);
    EXPECT_EQ(row.block, sample.plan.blocks[1 + i / 5].hash);
    EXPECT_EQ(row.intervention, sample.plan.blocks[1 + i / 5].interventions[i % 5]);
    EXPECT_STREQ(sweep::status_of(row.outcome), "finished");
    EXPECT_EQ(row.attempt, 1);
    EXPECT_GT(row.end_wall_seconds, row.start_wall_seconds);
  }
  EXPECT_TRUE(results.complete);
}

TEST_F(CollectInterventions, TheirSamplesAreNobodyElses) {
  const Results results = collected(3);
  EXPECT_EQ(results.samples.size(), block_samples(sample.plan, {0}).size());
  EXPECT_EQ(results.intervention_samples.size(), 2 * block_samples(sample.plan, {1}).size());
  for (const InterventionSampleRow& row : results.intervention_samples) EXPECT_EQ(row.row % 5, row.sample.arm);
  EXPECT_TRUE(std::ranges::is_sorted(results.intervention_samples, {}, &InterventionSampleRow::row));
}

TEST_F(CollectInterventions, ChangeNothingAboutTrialsAndCubes) {
  const Results results = collected(3);
  const Results without = [&] {
    folder = base / "without.regatta";
    return collected(1);
  }();
  for (std::size_t i = 0; i < results.trials.size(); ++i) {
    EXPECT_EQ(results.trials[i].metrics, without.trials[i].metrics);
    EXPECT_EQ(results.trials[i].end_wall_seconds, without.trials[i].end_wall_seconds);
  }
  ASSERT_EQ(cubes(results).size(), 1U);
  EXPECT_EQ(cubes(results).front().trial, cubes(without).front().trial);
}

TEST_F(CollectInterventions, AreLostUntilTheyAreMeasured) {
  const Results results = collected(2);
  EXPECT_FALSE(results.complete);
  EXPECT_STREQ(sweep::status_of(results.interventions[4].outcome), "finished");
  EXPECT_STREQ(sweep::status_of(results.interventions[5].outcome), "open");
  EXPECT_EQ(results.interventions[5].attempt, 0);
}

TEST_F(CollectInterventions, DeathsOfTheirWorkersAreNoAttemptsOfTrials) {
  {
    StoreWriter writer(folder, sample.sweep, sample.plan, sample_provenance(sample.sweep.text));
    writer.failed_attempt(sample.plan.blocks[1].hash, sample.plan.trials[0].hash, 1, sweep::FailureKind::crashed, "9");
    writer.end_session();
  }
  EXPECT_TRUE(collect(folder).failed_attempts.empty());
}

}  // namespace
}  // namespace regatta::results

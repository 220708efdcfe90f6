// /legs and /curves of NAME.h5.
#include <gmock/gmock.h>

#include <cmath>

#include "regatta/base/error.hpp"
#include "regatta/results/file.hpp"
#include "results/file/layout.hpp"
#include "results/file/varied_results.hpp"
#include "results/sample_sweep.hpp"
#include "results/training_store.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

class LegTables : public testing::Test {
 protected:
  support::TemporaryFolder folder;

  Results trained() {
    const TrainingSweep made = training_sweep();
    {
      StoreWriter writer(folder / "learns.regatta", made.sweep, made.plan, sample_provenance(made.sweep.text));
      writer.agent(sample_agent());
      sweep::Learned own = learned(0.7);
      own.curve.metrics = {"train_loss", "f1", "auc"};
      own.curve.points[0].values[1] = std::nan("");
      own.end = sweep::LegEnd::stopped;
      own.test_accuracy = 0.5;
      own.test_samples = 6;
      own.test_hits = "b4";
      own.repeated_samples = 2;
      own.peak_bytes = 1e6;
      own.start_seconds = 1.5;
      own.prepare_seconds = 0.25;
      writer.result(trained_block(made.plan, {0}, learned(0.8)), {});
      BlockRecord on_nodes = trained_block(made.plan, {1}, own);
      sweep::set(on_nodes.arms.front().facts, sweep::Fact::nodes, std::int64_t{2});
      writer.result(on_nodes, {});
      BlockRecord failed = finished_block(made.plan, {2});
      failed.arms.front().outcome = sweep::Failed{sweep::FailureKind::reported, "no such data"};
      writer.result(failed, {});
      writer.end_session();
    }
    return collect(folder / "learns.regatta");
  }
};

TEST_F(LegTables, AreGivenBackWithEveryEvaluation) {
  const Results results = trained();
  write_results(folder / "small.h5", results);  // reads it back and compares
  const Results read = read_results(folder / "small.h5");
  ASSERT_EQ(read.legs.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const LegRow& a = read.legs[i];
    const LegRow& b = results.legs[i];
    EXPECT_EQ(a.leg, b.leg);
    EXPECT_EQ(a.trial, b.trial);
    EXPECT_EQ(sweep::reason_of(a.outcome), sweep::reason_of(b.outcome));
    EXPECT_EQ(sweep::to_json(a.learned), sweep::to_json(b.learned)) << i;
    EXPECT_EQ(a.start_wall_seconds, b.start_wall_seconds);
    EXPECT_EQ(a.nodes, i == 1 ? 2 : 0) << i;
  }
}

TEST_F(LegTables, AreMissingInFilesOfBenchmarks) {
  write_results(folder / "small.h5", varied_results());
  EXPECT_TRUE(read_results(folder / "small.h5").legs.empty());
}

TEST_F(LegTables, NameOnlyTrialsThatThereAre) {
  Results results = trained();
  results.legs[1].trial.value = 2;
  EXPECT_THROW(write_results(folder / "small.h5", results), StorageError);
}

TEST_F(LegTables, RealAxesAreColumnsOfNumbers) {
  write_results(folder / "small.h5", trained());
  const Results read = read_results(folder / "small.h5");
  EXPECT_EQ(read.trials[1].parameters[sweep::Param::learning_rate], sweep::Value(0.1));
  EXPECT_EQ(read.trials[1].parameters[sweep::Param::seed], sweep::Value());
}

}  // namespace
}  // namespace regatta::results

#include <gtest/gtest.h>

#include <algorithm>

#include "job/job.hpp"
#include "job/open_blocks.hpp"
#include "job/passes.hpp"
#include "regatta/results/store.hpp"
#include "results/sample_sweep.hpp"
#include "results/training_store.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

class LegsDueOfAJob : public testing::Test {
 protected:
  support::TemporaryFolder folder;
  Job job;

  void SetUp() override {
    const auto made =
        results::training_sweep(R"({"epochs": 1, "seeds": 2})",
                                R"(, "objective": {"metric": "validation_accuracy"}, "search": {"kind": "full"})");
    job.sweep = made.sweep;
    job.plan = made.plan;
    job.options.out = folder / "results";
  }

  [[nodiscard]] results::Scan journal() const { return results::read_store(job.folder()); }

  /// Records all that is due, each with an accuracy of its own.
  void train() const {
    const auto due = legs_due(job, journal());
    results::StoreWriter writer(job.folder(), job.sweep, job.plan, {}, 0.05);
    writer.agent(results::sample_agent());
    for (const sweep::Block& block : due) {
      sweep::Learned learned = results::learned(0.5 + 0.01 * static_cast<double>(block.leg->seed % 7));
      if (block.leg->purpose == sweep::Purpose::test) learned.test_accuracy = 0.5;
      writer.result(results::trained_block(job.plan, block.index, learned), {});
    }
    writer.end_session();
  }
};

TEST_F(LegsDueOfAJob, AreTheFirstRungWhereNothingIsRecorded) {
  const auto due = legs_due(job, journal());
  ASSERT_EQ(due.size(), 4U) << "two configurations and their clones";
  EXPECT_EQ(purpose_of(job, due), "rung 1 of 1: 2 configurations");
  const OpenBlocks open = open_blocks(job, journal());
  ASSERT_TRUE(open.legs);
  EXPECT_EQ(open.legs->size(), 4U);
  EXPECT_EQ(open.legs->back().index.value, 3U) << "numbered as the coordinator counts";
  EXPECT_FALSE(is_all_finished(job, open));
  EXPECT_TRUE(blocks_missing(job, journal()));
}

TEST_F(LegsDueOfAJob, AreOneRowOfWhatCannotBeTrainedOnItsData) {
  job.unfit[job.plan.trials[1].index] = "batch is 100";
  const auto due = legs_due(job, journal());
  const auto of_unfit = std::ranges::count_if(due, [&](const auto& block) { return block.arms.front().value == 1; });
  ASSERT_EQ(of_unfit, 1) << "a row that says so";
  EXPECT_EQ(due.size(), 3U) << "the other one and its clone";
  results::StoreWriter writer(job.folder(), job.sweep, job.plan, {}, 0.05);
  writer.agent(results::sample_agent());
  for (const sweep::Block& block : due) {
    results::BlockRecord record = results::trained_block(job.plan, block.index, results::learned(0.5));
    if (block.arms.front().value == 1) record.arms.front().outcome = sweep::Skipped{"batch is 100"};
    writer.result(record, {});
  }
  writer.end_session();
  const auto next = legs_due(job, journal());
  ASSERT_FALSE(next.empty());
  for (const sweep::Block& block : next) EXPECT_EQ(block.arms.front().value, 0U) << "it is in no search";
  job.unfit.clear();
  EXPECT_EQ(legs_due(job, journal()).size(), next.size()) << "who reads the journal alone finds the same";
}

TEST_F(LegsDueOfAJob, EndWithTheTestOfTheFinalists) {
  train();
  EXPECT_EQ(purpose_of(job, legs_due(job, journal())), "2 configurations again, under 2 fresh seeds");
  train();
  EXPECT_EQ(purpose_of(job, legs_due(job, journal())), "2 configurations: the test part is opened");
  train();
  EXPECT_EQ(purpose_of(job, legs_due(job, journal())), "1 configuration again, under the same seed");
  EXPECT_TRUE(blocks_missing(job, journal()));
  train();
  EXPECT_TRUE(legs_due(job, journal()).empty());
  EXPECT_FALSE(blocks_missing(job, journal()));
  EXPECT_TRUE(is_all_finished(job, open_blocks(job, journal())));
}

TEST_F(LegsDueOfAJob, LetFinalistsTakeTurnsSeedBySeed) {
  train();
  const auto due = legs_due(job, journal());
  ASSERT_EQ(due.size(), 4U);
  EXPECT_EQ(due[0].leg->seed, due[1].leg->seed) << "what is compared runs side by side";
  EXPECT_NE(due[0].arms.front(), due[1].arms.front());
  EXPECT_EQ(due[2].leg->seed, due[3].leg->seed);
}

TEST_F(LegsDueOfAJob, ArePassesOfOneRun) {
  Passes passes(job, journal(), open_blocks(job, journal()));
  train();
  const auto second = passes.next(true);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->number.number, 2U);
  EXPECT_EQ(second->number.at_most, 4U);
  EXPECT_EQ(second->open.legs->size(), 4U);
  EXPECT_TRUE(passes.session_end().passes_due);
  train();
  ASSERT_TRUE(passes.next(true));
  train();
  ASSERT_TRUE(passes.next(true)) << "a run again";
  train();
  EXPECT_FALSE(passes.next(true));
  EXPECT_FALSE(passes.session_end().passes_due);
}

}  // namespace
}  // namespace regatta::launcher

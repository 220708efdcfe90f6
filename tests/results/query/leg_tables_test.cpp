#include "results/query/leg_tables.hpp"

#include <gmock/gmock.h>

#include "regatta/results/query.hpp"
#include "results/sample_sweep.hpp"
#include "results/training_store.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

class TrainingTables : public testing::Test {
 protected:
  support::TemporaryFolder folder;
  Results results;

  void SetUp() override {
    const TrainingSweep made = training_sweep();
    {
      StoreWriter writer(folder / "learns.regatta", made.sweep, made.plan, sample_provenance(made.sweep.text));
      writer.agent(sample_agent());
      writer.result(trained_block(made.plan, {0}, learned(0.8)), {});
      writer.result(trained_block(made.plan, {3}, learned(0.9, 20)), {});
      writer.end_session();
    }
    results = collect(folder / "learns.regatta");
  }
};

TEST_F(TrainingTables, HaveARowForEachLeg) {
  const Table table = make_table(results, "legs");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(column_of(table, "learning_rate").at(1), sweep::Value(0.1));
  EXPECT_EQ(column_of(table, "purpose").at(1), sweep::Value(std::string("plain")));
  EXPECT_EQ(column_of(table, "seed").at(1), sweep::Value(std::int64_t{1}));
  EXPECT_EQ(column_of(table, "end").at(0), sweep::Value(std::string("reached")));
  EXPECT_EQ(column_of(table, "validation_accuracy").at(0), sweep::Value(0.8));
  EXPECT_EQ(column_of(table, "test_accuracy").at(0), sweep::Value()) << "nobody opened the test part";
}

TEST_F(TrainingTables, HaveARowForEachEvaluation) {
  const Table table = make_table(results, "curves");
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_EQ(column_of(table, "step").at(3), sweep::Value(std::int64_t{40}));
  EXPECT_EQ(column_of(table, "samples").at(0), sweep::Value(std::int64_t{320}));
  EXPECT_EQ(column_of(table, "validation_accuracy").at(3), sweep::Value(0.9));
  EXPECT_EQ(column_of(table, "train_time").at(0), sweep::Value(0.5));
}

TEST_F(TrainingTables, KeepTheirRowsWhenColumnsAreChosen) {
  const Table table = select(make_table(results, "curves"), {{"validation_accuracy>0.5"}, {"step"}, ""});
  ASSERT_EQ(table.columns.size(), 1U);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.columns[0].at(table.rows[1]), sweep::Value(std::int64_t{40}));
}

}  // namespace
}  // namespace regatta::results

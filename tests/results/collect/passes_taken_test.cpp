#include "regatta/results/passes_taken.hpp"

#include <gtest/gtest.h>

#include "regatta/results/store.hpp"
#include "regatta/sweep/reader.hpp"
#include "results/sample_sweep.hpp"
#include "results/temporary_folder.hpp"

namespace regatta::results {
namespace {

class PassesOfARun : public testing::Test {
 protected:
  TemporaryFolder base;
  std::filesystem::path folder = base / "small.regatta";
  SampleSweep sample = sample_sweep();

  StoreWriter session(const SampleSweep& of) {
    return {folder, of.sweep, of.plan, sample_provenance(of.sweep.text), 0.05};
  }
  StoreWriter session() { return session(sample); }
  SessionEndRecord left() { return left_by_sessions(read_store(folder), sample.sweep); }
  std::string taken() {
    const PassesTaken taken = left().taken;
    return std::to_string(taken.again) + " again, " + std::to_string(taken.on) + " on" +
           (taken.best_are_settled ? ", settled" : "");
  }
  double replaced() { return replaced_seconds(folder, read_store(folder), sample.sweep, sample.plan); }

  /// A session that records a block, `steady` samples of each arm, and ends so.
  void measure(const SessionEndRecord& end, BlockRecord record, std::uint32_t steady) {
    StoreWriter writer = session();
    writer.result(record, block_samples(sample.plan, {0}, steady));
    writer.end_session(end);
  }
};

TEST_F(PassesOfARun, AreDueWhereTheLastSessionSaysSoOrWasCutOff) {
  EXPECT_FALSE(left().passes_due) << "nothing was begun";
  {
    StoreWriter writer = session();
    EXPECT_TRUE(left().passes_due) << "whatever follows would be lost with it";
    writer.end_session({.passes_due = true});
    EXPECT_TRUE(left().passes_due);
  }
  session().end_session();
  EXPECT_FALSE(left().passes_due);
}

TEST_F(PassesOfARun, CountOverItsSessionsUntilOneLeavesNothing) {
  EXPECT_EQ(taken(), "0 again, 0 on");
  session().end_session({true, {2, 1, true}});
  EXPECT_EQ(taken(), "2 again, 1 on, settled");
  session();
  EXPECT_EQ(taken(), "2 again, 1 on, settled") << "one that was cut off ended no pass";
  session().end_session();
  EXPECT_EQ(taken(), "0 again, 0 on") << "the next run begins anew";
  session();
  EXPECT_EQ(taken(), "0 again, 0 on");
}

TEST_F(PassesOfARun, AreThoseOfItsSweep) {
  session().end_session({true, {1, 0, false}});
  SampleSweep other = sample_sweep();
  sweep::keep_only(other.sweep, "batch=8");
  session(other).end_session();
  EXPECT_TRUE(left().passes_due) << "the points that the other left out wait still";
  EXPECT_EQ(taken(), "1 again, 0 on");
  EXPECT_FALSE(left_by_sessions(read_store(folder), other.sweep).passes_due);
  session(other).end_session({true, {3, 3, true}});
  EXPECT_EQ(taken(), "1 again, 0 on");
  sweep::keep_only(other.sweep, "mode=eager");
  EXPECT_TRUE(left_by_sessions(read_store(folder), other.sweep).passes_due)
      << "a sweep that was changed goes on with them";
  EXPECT_EQ(left_by_sessions(read_store(folder), other.sweep).taken.on, 0);
}

double seconds_of(const sweep::Plan& plan, std::uint32_t steady) {
  double seconds = 0;
  for (const stats::Sample& sample : block_samples(plan, {0}, steady)) {
    if (stats::is_measuring(sample.phase)) seconds += sample.seconds;
  }
  return seconds;
}

TEST_F(PassesOfARun, SpendTheTimeOfWhatTheyReplaced) {
  const double three = seconds_of(sample.plan, 3);
  const double five = seconds_of(sample.plan, 5);
  ASSERT_NE(three, five);
  BlockRecord record = finished_block(sample.plan, {0});
  measure({true, {}}, record, 3);
  EXPECT_EQ(replaced(), 0);
  record.measured_again = true;
  measure({true, {}}, record, 5);
  EXPECT_DOUBLE_EQ(replaced(), three);
  record.arms[0].outcome = sweep::Failed{sweep::FailureKind::crashed, "this time"};
  measure({true, {}}, record, 3);
  EXPECT_DOUBLE_EQ(replaced(), three + three) << "in vain, but measured";
  {
    StoreWriter cut_off = session();
    cut_off.result(finished_block(sample.plan, {0}), block_samples(sample.plan, {0}, 1));
    cut_off.sync();
  }
  EXPECT_DOUBLE_EQ(replaced(), three + three + five);
  measure({}, finished_block(sample.plan, {0}), 3);
  EXPECT_EQ(replaced(), 0) << "the next run has its own time";
}

}  // namespace
}  // namespace regatta::results

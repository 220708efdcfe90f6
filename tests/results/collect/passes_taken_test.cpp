#include <gtest/gtest.h>

#include "regatta/results/lives.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/reader.hpp"
#include "results/sample_sweep.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

class PassesOfARun : public testing::Test {
 protected:
  support::TemporaryFolder base;
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
           (taken.best_are_settled ? ", settled" : "") + (taken.early > 0 ? ", early" : "");
  }
  double wall_seconds() { return wall_seconds_of_run(read_store(folder), sample.sweep); }

  /// A session that records a block, and ends so.
  void measure(const SessionEndRecord& end, double start_wall_seconds, double end_wall_seconds) {
    StoreWriter writer = session();
    BlockRecord record = finished_block(sample.plan, {0});
    record.start_wall_seconds = start_wall_seconds;
    record.end_wall_seconds = end_wall_seconds;
    writer.result(record, block_samples(sample.plan, {0}, 3));
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
  session().end_session({true, {2, 1, true, 1}});
  EXPECT_EQ(taken(), "2 again, 1 on, settled, early");
  session();
  EXPECT_EQ(taken(), "2 again, 1 on, settled, early") << "one that was cut off ended no pass";
  session().end_session();
  EXPECT_EQ(taken(), "0 again, 0 on") << "the next run begins anew";
  session();
  EXPECT_EQ(taken(), "0 again, 0 on");
}

TEST_F(PassesOfARun, AreOutOfReachUntilASessionCanDoThem) {
  EXPECT_FALSE(left().out_of_reach);
  session().end_session({.passes_due = true, .out_of_reach = true});
  EXPECT_TRUE(left().out_of_reach);
  SampleSweep other = sample_sweep();
  sweep::keep_only(other.sweep, "batch=8");
  session(other).end_session();
  EXPECT_TRUE(left().out_of_reach) << "of another sweep's points nothing follows";
  {
    StoreWriter writer = session();
    EXPECT_FALSE(left().out_of_reach) << "this one may have what it takes";
  }
  EXPECT_FALSE(left().out_of_reach) << "it was cut off";
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

TEST_F(PassesOfARun, TakeTheWallTimeOfItsSessions) {
  EXPECT_EQ(wall_seconds(), 0);
  measure({true, {}}, 1000, 1030);
  EXPECT_EQ(wall_seconds(), 30);
  {
    StoreWriter cut_off = session();
    for (const double start : {2000.0, 2010.0}) {
      BlockRecord record = finished_block(sample.plan, {0});
      record.start_wall_seconds = start;
      record.end_wall_seconds = start + 20;
      cut_off.result(record, block_samples(sample.plan, {0}, 1));
    }
    cut_off.sync();
  }
  EXPECT_EQ(wall_seconds(), 30 + 30) << "two slots side by side, in a session that was cut off";
  measure({}, 3000, 3005);
  EXPECT_EQ(wall_seconds(), 0) << "the next run has its own time";
}

}  // namespace
}  // namespace regatta::results

#include "commands/trial_counts.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace regatta::launcher {
namespace {

const Activity somebody{true, "process 12 on node1"};
const Activity no_one{};

results::OpenWork work_with(const std::vector<sweep::Outcome>& outcomes) {
  results::OpenWork work;
  work.results.name = "first";
  for (const sweep::Outcome& outcome : outcomes) work.results.trials.emplace_back().outcome = outcome;
  return work;
}

TEST(TrialCounts, TellEachOutcomeApart) {
  results::OpenWork work =
      work_with({sweep::Lost{}, sweep::Finished{}, sweep::Lost{}, sweep::Skipped{}, sweep::Finished{}, sweep::Failed{},
                 sweep::Finished{}, sweep::Skipped{}, sweep::Skipped{}, sweep::Skipped{}});
  work.blocks = {{{{0}}, false, {}, 0, {}, results::Held{"node1 cores 0", true}}, {{{2}}, false, {}, 1, {}}};
  EXPECT_EQ(to_text(count_trials(work, no_one, 0)), "first: 10 trials: 3 finished, 1 failed, 4 skipped, 2 open");
  EXPECT_EQ(to_text(count_trials(work, somebody, 0)),
            "first: 10 trials: 3 finished, 1 failed, 4 skipped, 2 open (1 running)");
  EXPECT_EQ(
      to_json(count_trials(work, somebody, 0)),
      R"({"name":"first","trials":10,"finished":3,"failed":1,"skipped":4,"open":2,"running":1,"pass_due":false,"sessions":[]})");
}

TEST(TrialCounts, SayThatAPassIsDueThoughEachTrialHasAResult) {
  results::OpenWork work = work_with({sweep::Finished{}, sweep::Finished{}});
  work.ended = work.passes_due = true;
  EXPECT_EQ(to_text(count_trials(work, no_one, 0)),
            "first: 2 trials: 2 finished, 0 failed, 0 skipped, 0 open; a pass over the best or the undecided is due: "
            "the last session ended in order before it");
  EXPECT_EQ(
      to_json(count_trials(work, no_one, 0)),
      R"({"name":"first","trials":2,"finished":2,"failed":0,"skipped":0,"open":0,"running":0,"pass_due":true,"sessions":[]})");
  EXPECT_EQ(to_text(count_trials(work, somebody, 0)), "first: 2 trials: 2 finished, 0 failed, 0 skipped, 0 open")
      << "it is taken";
}

TEST(TrialCounts, TellProgramsWhatOrchestratingCost) {
  results::OpenWork work = work_with({sweep::Finished{}});
  work.results.sessions = {{"2026-01-02T03:04:05Z", true}};
  EXPECT_EQ(to_text(count_trials(work, no_one, 0)).find('\n'), std::string::npos);
  const std::string unknown = to_json(count_trials(work, no_one, 0));
  EXPECT_NE(
      unknown.find(
          R"("sessions":[{"created":"2026-01-02T03:04:05Z","ended":true,"job":"","job_nodes":"","job_partition":"",)"
          R"("job_account":"","job_restarts":0,"elapsed":null,)"),
      std::string::npos)
      << unknown;
  work.results.sessions.front().self.elapsed_seconds = 2.5;
  EXPECT_NE(to_json(count_trials(work, no_one, 0)).find(R"("elapsed":2.5,)"), std::string::npos);
}

TEST(TrialCounts, TellHowFastThisSessionIsAndHowLongItTakesStill) {
  results::OpenWork work = work_with({sweep::Finished{}, sweep::Lost{}, sweep::Lost{}});
  EXPECT_EQ(pace_text(count_trials(work, somebody, 0)), "time left not known yet: no block of this session is done");
  work.blocks.resize(2);
  work.block_seconds = {8, 12};
  work.first_start_wall_seconds = 1000;
  work.last_result_wall_seconds = 1020;  // one slot: 10 s a block
  EXPECT_EQ(pace_text(count_trials(work, somebody, 1025)),
            "2 blocks done in this session, 6 a minute; 2 blocks left, about 15.0 s");
  EXPECT_EQ(pace_text(count_trials(work, somebody, 1045)),
            "2 blocks done in this session, 6 a minute; 2 blocks left, any moment");
  EXPECT_NE(to_json(count_trials(work, somebody, 1025)).find(R"("blocks_per_second":0.1,"left_seconds":15.0,)"),
            std::string::npos);
  EXPECT_EQ(to_json(count_trials(work, no_one, 1025)).find("left_seconds"), std::string::npos);
}

}  // namespace
}  // namespace regatta::launcher

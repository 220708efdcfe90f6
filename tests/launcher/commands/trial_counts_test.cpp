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
  EXPECT_EQ(to_text(count_trials(work, no_one)), "first: 10 trials: 3 finished, 1 failed, 4 skipped, 2 open");
  EXPECT_EQ(to_text(count_trials(work, somebody)),
            "first: 10 trials: 3 finished, 1 failed, 4 skipped, 2 open (1 running)");
  EXPECT_EQ(
      to_json(count_trials(work, somebody)),
      R"({"name":"first","trials":10,"finished":3,"failed":1,"skipped":4,"open":2,"running":1,"pass_due":false,"sessions":[]})");
}

TEST(TrialCounts, SayThatAPassIsDueThoughEachTrialHasAResult) {
  results::OpenWork work = work_with({sweep::Finished{}, sweep::Finished{}});
  work.ended = work.passes_due = true;
  EXPECT_EQ(to_text(count_trials(work, no_one)),
            "first: 2 trials: 2 finished, 0 failed, 0 skipped, 0 open; a pass over the best or the undecided is due: "
            "the last session ended in order before it");
  EXPECT_EQ(
      to_json(count_trials(work, no_one)),
      R"({"name":"first","trials":2,"finished":2,"failed":0,"skipped":0,"open":0,"running":0,"pass_due":true,"sessions":[]})");
  EXPECT_EQ(to_text(count_trials(work, somebody)), "first: 2 trials: 2 finished, 0 failed, 0 skipped, 0 open")
      << "it is taken";
}

TEST(TrialCounts, TellProgramsWhatOrchestratingCost) {
  results::OpenWork work = work_with({sweep::Finished{}});
  work.results.sessions = {{"2026-01-02T03:04:05Z", true}};
  EXPECT_EQ(to_text(count_trials(work, no_one)).find('\n'), std::string::npos);
  const std::string unknown = to_json(count_trials(work, no_one));
  EXPECT_NE(unknown.find(R"("sessions":[{"created":"2026-01-02T03:04:05Z","ended":true,"elapsed":null,)"),
            std::string::npos)
      << unknown;
  work.results.sessions.front().self.elapsed_seconds = 2.5;
  EXPECT_NE(to_json(count_trials(work, no_one)).find(R"("elapsed":2.5,)"), std::string::npos);
}

}  // namespace
}  // namespace regatta::launcher

// Journal and samples survive a loss of power behind every operation of a run: nothing that was promised is lost.
#include <gtest/gtest.h>

#include "effort.hpp"
#include "recorded_run.hpp"
#include "states.hpp"

namespace regatta::crashes {
namespace {

TEST(JournalCrash, RunGoesOnWhereverThePowerFails) {
  const RecordedRun run;
  const Count count = run.survive(run.sessions(), chosen_effort(), chosen_seed());
  print("journal, two sessions", count);
  EXPECT_GT(count.resumed, 100U);
}

TEST(JournalCrash, RunGoesOnWhereThePowerFailsAfterAKill) {
  const RecordedRun run;
  const Recorded sessions = run.sessions();
  const Effort effort = is_whole() ? Effort{9, 100, 1} : Effort{4, 2, 4};
  Count count;
  for (std::size_t done = 1; done < sessions.operations.size(); done += is_whole() ? 1 : 7)
    count += run.survive(run.after_kill(sessions, done), effort, chosen_seed());
  print("journal, killed and run again", count);
}

TEST(JournalCrash, RunGoesOnWhereThePowerFailsAgainWhileItGoesOn) {
  const RecordedRun run;
  const Recorded sessions = run.sessions();
  const Effort effort = is_whole() ? Effort{8, 50, 1} : Effort{3, 2, 4};
  simulation::Random random(chosen_seed());
  Count count;
  for (std::size_t done = 0; done <= sessions.operations.size(); done += is_whole() ? 1 : 9) {
    const Crash crash(sessions.before, sessions.operations, done);
    for (const std::vector<bool>& happened : outcomes_of(crash, is_whole() ? Effort{1, 6, 4} : Effort{0, 1, 9}, random))
      count += run.survive(run.after_crash(crash.state(happened)), effort, random.next());
  }
  print("journal, power lost again", count);
}

TEST(JournalCrash, RunGoesOnWhereThePowerFailsWhileADamagedJournalIsMended) {
  const RecordedRun run;
  const Recorded sessions = run.sessions();
  Disk damaged = all_done(sessions.before, sessions.operations, sessions.operations.size());
  std::string& journal = damaged.files.at(damaged.entries.at(journal_path).file);
  journal[journal.find(" plan ") + 1] ^= 1;
  const Count count = run.survive(run.after_crash(damaged), chosen_effort(), chosen_seed());
  print("journal, damaged and mended", count);
}

}  // namespace
}  // namespace regatta::crashes

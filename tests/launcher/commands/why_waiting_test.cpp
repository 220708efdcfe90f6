#include "commands/why_waiting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace regatta::launcher {
namespace {

using testing::ElementsAre;

const Activity at_work{true, "process 12 on node1"};
const Activity nobody{};

/// Four open blocks of one trial each, on one slot that needs 2 s for each.
results::OpenWork work() {
  results::OpenWork work;
  work.results.provenance.command_line = "regatta run s.json";
  work.slots = {"node1 cores 0"};
  work.block_seconds = {1, 3};
  for (std::uint32_t i = 0; i < 4; ++i) work.blocks.push_back({{{i}}, false, {}, i, {}});
  return work;
}

std::vector<std::string> reasons(const results::OpenWork& work, const Activity& activity) {
  std::vector<std::string> texts;
  for (const WhyOpen& each : why_open(work, activity)) texts.push_back(each.reason);
  return texts;
}

TEST(WhyOpen, WhileItRunsTellsTurnsAndAboutWhen) {
  EXPECT_THAT(reasons(work(), at_work),
              ElementsAre("runs now, or is the next on its slot",
                          "waits its turn on 1 slot, behind 1 block; about 2.00 s at the pace of this session",
                          "waits its turn on 1 slot, behind 2 blocks; about 4.00 s at the pace of this session",
                          "waits its turn on 1 slot, behind 3 blocks; about 6.00 s at the pace of this session"));
  results::OpenWork fresh = work();
  fresh.block_seconds.clear();
  EXPECT_EQ(reasons(fresh, at_work)[1], "waits its turn on 1 slot, behind 1 block");
  fresh.slots.clear();
  EXPECT_EQ(reasons(fresh, at_work)[1], "the run is starting: no rank has reported yet");
}

TEST(WhyOpen, TellsWhatABlockNeedsAndWhatItTried) {
  results::OpenWork open = work();
  open.blocks[0].demand = {2, 4, sweep::DeviceKind::cuda};
  open.blocks[1].failed_attempts = {{{1}, {1}, 2, sweep::FailureKind::crashed, "signal\n11"}};
  EXPECT_EQ(reasons(open, at_work)[0],
            "runs now, or is the next on its slot; it needs 2 ranks at once, 4 cores on a slot, a cuda device");
  EXPECT_EQ(reasons(open, at_work)[1],
            "attempt 2 ended badly (crashed: signal 11); an arm has 3 attempts; waits its turn on 1 slot, behind 1 "
            "block; about 2.00 s at the pace of this session");
  EXPECT_EQ(reasons(open, nobody)[1],
            "attempt 2 ended badly (crashed: signal 11); an arm has 3 attempts; then the run stopped");
}

TEST(WhyOpen, AfterTheRunTellsHowItEnded) {
  results::OpenWork open = work();
  EXPECT_EQ(reasons(open, nobody)[0], "the run was cut off before it had a result");
  EXPECT_EQ(run_state(open, nobody),
            "Nothing runs it now: the last session was cut off. Run the same command again, it goes on:\n"
            "  regatta run s.json");
  open.ended = true;
  EXPECT_EQ(reasons(open, nobody)[0], "the run was asked to stop before its turn came");
  EXPECT_EQ(run_state(open, at_work), "It runs now: process 12 on node1 (1 slot reported).");
  open.out_of_reach = true;
  open.blocks[0].demand.ranks = 2;
  EXPECT_EQ(reasons(open, nobody)[0], "the run did not have what it takes; it needs 2 ranks at once");
  EXPECT_EQ(run_state(open, nobody),
            "Nothing runs it now: the last session had too few ranks or cores, or not the device, for all that is "
            "left. The same command with them goes on; it was:\n  regatta run s.json");
  open.blocks.clear();
  EXPECT_EQ(run_state(open, nobody), "Nothing is open.");
}

TEST(WhyOpen, NamesTheJobThatGoesOnInPlaceOfACommand) {
  const Activity queued{false, {}, "job 4711 waits in the queue (Priority)"};
  results::OpenWork open = work();
  EXPECT_EQ(run_state(open, queued), "Nothing runs it now; job 4711 waits in the queue (Priority).");
  open.blocks.clear();
  EXPECT_EQ(run_state(open, queued), "Nothing is open.") << "it will find nothing to do";
}

TEST(WhyOpen, NamesTheSlotThatHoldsABlock) {
  results::OpenWork open = work();
  open.blocks[1].held = {"node1 cores 0", true};
  open.blocks[2].held = {"node1 cores 0", false};
  EXPECT_THAT(reasons(open, at_work),
              ElementsAre("waits its turn on 1 slot", "runs now on node1 cores 0", "is next on node1 cores 0",
                          "waits its turn on 1 slot, behind 3 blocks; about 6.00 s at the pace of this session"));
  EXPECT_THAT(running_trials(open, at_work), ElementsAre(TrialIndex{1}));
  EXPECT_THAT(running_trials(open, nobody), ElementsAre());
  EXPECT_THAT(reasons(open, nobody), ElementsAre("the run was cut off before it had a result",
                                                 "the run was cut off while it ran on node1 cores 0",
                                                 "the run was cut off before its turn came on node1 cores 0",
                                                 "the run was cut off before it had a result"));
  open.ended = true;
  EXPECT_EQ(reasons(open, nobody)[1], "the run was asked to stop before node1 cores 0 had a result of it");
  EXPECT_EQ(reasons(open, nobody)[2], "the run was asked to stop before its turn came on node1 cores 0");
}

TEST(WhyOpen, SaysThatAPassIsDue) {
  results::OpenWork open = work();
  open.passes_due = true;
  EXPECT_EQ(pass_due(open, nobody), "") << "first what is open";
  open.blocks.clear();
  EXPECT_EQ(run_state(open, nobody),
            "No trial is open, but a pass over the best or the undecided may be due: the last session was cut off. Run "
            "the same command again, it goes on:\n  regatta run s.json");
  open.ended = true;
  EXPECT_EQ(pass_due(open, nobody),
            "a pass over the best or the undecided is due: the last session ended in order before it");
  EXPECT_EQ(pass_due(open, at_work), "") << "it is taken";
}

TEST(WhyOpen, NamesABaselineOfSeveralBlocksOnce) {
  results::OpenWork open = work();
  open.blocks[1].trials = {{0}, {1}};
  EXPECT_EQ(why_open(open, at_work).size(), 4U);
}

}  // namespace
}  // namespace regatta::launcher

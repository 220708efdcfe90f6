#include <gtest/gtest.h>

#include "support.hpp"

namespace regatta::schedule::testing {
namespace {

std::string refusal(sweep::Demand demand, const std::vector<Event>& agents) {
  Scheduler scheduler(jobs(1, demand), {.expected_agents = static_cast<std::uint32_t>(agents.size())});
  std::vector<Action> actions;
  for (const Event& event : agents) {
    EXPECT_TRUE(actions.empty()) << "nothing is refused before everybody has joined";
    actions = scheduler.on(event);
  }
  return actions.empty() || !std::holds_alternative<Refuse>(actions[0])
             ? ""
             : sweep::reason_of(std::get<Refuse>(actions[0]).skip);
}

TEST(Refusals, SayThatNoSlotIsLargeEnough) {
  EXPECT_EQ(refusal({1, 4, cpu}, {joined(0, 2), joined(1, 1)}),
            "not answerable on this machine: needs 4 cores on one slot; the largest slot of this job has 2; start with "
            "fewer ranks per host or lower "
            "`threads`");
}

TEST(Refusals, LeaveBlocksOfADeviceThatNobodyHasToTheCores) {
  Scheduler scheduler(jobs(1, {1, 1, cuda}), {});
  const std::vector<Action> actions = scheduler.on(joined(0, 2));
  ASSERT_EQ(texts(actions), (Lines{"grant 0: 0 attempt 1"}));
  EXPECT_EQ(std::get<Grant>(actions[0]).without_device, "needs a cuda device, and no slot of this job has one");
}

TEST(Refusals, CountCoresWhereADeviceIsMissing) {
  EXPECT_EQ(refusal({1, 4, cuda}, {joined(0, 2), joined(1, 1)}),
            "not answerable on this machine: needs 4 cores on one slot; the largest slot of this job has 2; start with "
            "fewer ranks per host or lower "
            "`threads`");
}

TEST(Refusals, WaitForEverybodyBeforeADeviceCountsAsMissing) {
  Scheduler scheduler(jobs(1, {1, 1, cuda}), {.expected_agents = 2});
  EXPECT_TRUE(scheduler.on(joined(0)).empty());
  const std::vector<Action> actions = scheduler.on(joined(1, 1, {cpu, cuda}));
  ASSERT_EQ(texts(actions), (Lines{"grant 1: 0 attempt 1"}));
  EXPECT_EQ(std::get<Grant>(actions[0]).without_device, "");
}

TEST(Refusals, SayThatTooFewRanksAreThere) {
  EXPECT_EQ(refusal({4, 2, cpu}, {joined(0, 2), joined(1, 1)}),
            "not answerable on this machine: needs 4 ranks of 2 cores at once; this job has 1 slot of that size; start "
            "with more ranks or lower `ranks`");
}

std::vector<BlockRequest> comparison_of_ranks(std::int64_t least, std::int64_t most) {
  std::vector<BlockRequest> list = jobs(1, {most, 1, cpu});
  list[0].least_ranks = least;
  return list;
}

TEST(Refusals, GiveComparisonsOfRanksToTheAgentsThatThereAre) {
  Scheduler scheduler(comparison_of_ranks(1, 8), {.expected_agents = 3});
  EXPECT_TRUE(scheduler.on(joined(0)).empty());
  EXPECT_TRUE(scheduler.on(joined(1)).empty()) << "more may come";
  EXPECT_EQ(texts(scheduler.on(joined(2))), (Lines{"grant 0 1 2: 0 attempt 1"}));
}

TEST(Refusals, GiveOneAgentWhatOneCanRunOfIt) {
  Scheduler scheduler(comparison_of_ranks(1, 4), {});
  EXPECT_EQ(texts(scheduler.on(joined(0))), (Lines{"grant 0: 0 attempt 1"}));
}

std::vector<BlockRequest> comparison_of_threads(std::int64_t least, std::int64_t most, std::int64_t ranks = 1) {
  std::vector<BlockRequest> list = jobs(1, {ranks, most, cpu});
  list[0].least_cores = least;
  return list;
}

TEST(Refusals, GiveComparisonsOfThreadsToTheLargestSlotThatThereIs) {
  Scheduler scheduler(comparison_of_threads(1, 8), {.expected_agents = 3});
  EXPECT_TRUE(scheduler.on(joined(0, 1)).empty());
  EXPECT_TRUE(scheduler.on(joined(1, 4)).empty()) << "a larger one may come";
  EXPECT_EQ(texts(scheduler.on(joined(2, 2))), (Lines{"grant 1: 0 attempt 1"}));
}

TEST(Refusals, AreForComparisonsWhoseArmsAllHaveTooManyThreads) {
  Scheduler scheduler(comparison_of_threads(4, 8), {});
  EXPECT_EQ(texts(scheduler.on(joined(0, 2))), (Lines{"refuse 0", "dismiss 0"}));
}

TEST(Refusals, GiveComparisonsOfRanksAndThreadsWhatThereIsOfBoth) {
  std::vector<BlockRequest> list = comparison_of_threads(1, 2, 4);
  list[0].least_ranks = 1;
  Scheduler scheduler(list, {.expected_agents = 2});
  EXPECT_TRUE(scheduler.on(joined(0, 1)).empty());
  EXPECT_EQ(texts(scheduler.on(joined(1, 1))), (Lines{"grant 0 1: 0 attempt 1"}));
}

TEST(Refusals, AreForComparisonsOfThreadsInMoreRanksThanThereAre) {
  Scheduler scheduler(comparison_of_threads(1, 2, 4), {});
  EXPECT_EQ(texts(scheduler.on(joined(0, 1))), (Lines{"refuse 0", "dismiss 0"}));
}

TEST(Refusals, AreForComparisonsOfWhichNoArmFits) {
  Scheduler scheduler(comparison_of_ranks(2, 4), {});
  EXPECT_EQ(texts(scheduler.on(joined(0))), (Lines{"refuse 0", "dismiss 0"}));
}

TEST(Refusals, ConcludeTheBlocksAndLetTheOthersRun) {
  std::vector<BlockRequest> list = jobs(4, {1, 8, cpu});
  list[2].demand.cores = 1;
  Scheduler scheduler(list, {});
  EXPECT_EQ(texts(scheduler.on(joined(0))), (Lines{"refuse 0", "refuse 1", "refuse 3", "grant 0: 2 attempt 1"}));
  EXPECT_EQ(scheduler.concluded(), 3U);
  EXPECT_EQ(texts(scheduler.on(done(0, 2))), (Lines{"dismiss 0"}));
}

TEST(Refusals, CountAgentsThatJoinedAndLeft) {
  Scheduler scheduler(jobs(1, {1, 4, cpu}), {.expected_agents = 2});
  scheduler.on(joined(0, 4));
  scheduler.on(AgentLeft{{0}});
  EXPECT_EQ(texts(scheduler.on(joined(1, 1))), (Lines{"dismiss 1"}));
  EXPECT_EQ(scheduler.waiting(), 1U);
}

}  // namespace
}  // namespace regatta::schedule::testing

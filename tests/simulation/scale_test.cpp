// The model of bench_simulation: what it tells of a coordinator's limits rests on these.
#include <gtest/gtest.h>

#include <cstdint>

#include "simulation/simulate.hpp"
#include "simulation/workload.hpp"

namespace regatta::scale {
namespace {

constexpr std::uint64_t seed = 1;
constexpr double event_seconds = 5e-6;

Mix small_mix() {
  Mix mix;
  mix.trials = 4000;
  mix.leavers = 0.1;
  return mix;
}

Machine machine_of(std::uint32_t agents) {
  Machine machine;
  machine.agents = agents;
  machine.fixed_seconds = event_seconds;
  machine.link = {1e-6, {2e-6, 1e-9}, {1e-6, 1e-9}};
  return machine;
}

Found simulated(const Mix& mix, const Machine& machine) { return simulate({mix, machine, seed}, make_job(mix, seed)); }

TEST(Scale, RecordsEveryBlockOnceWhereNobodyDrains) {
  for (const std::uint32_t arms : {1U, 4U}) {
    Mix mix = plain(2000, arms);
    mix.leavers = 0.2;
    const Found found = simulated(mix, machine_of(20));
    EXPECT_EQ(found.blocks, mix.trials / arms);
    EXPECT_EQ(found.recorded, found.blocks);
    EXPECT_EQ(found.recorded_twice, 0);
    EXPECT_GT(found.failed_attempts, 0);
  }
}

TEST(Scale, EndsAtADrainWithGroupsDeathsAndAgentsThatLeave) {
  const Found found = simulated(small_mix(), machine_of(30));
  EXPECT_GE(found.recorded, found.blocks * 98 / 100);
  EXPECT_EQ(found.recorded_twice, 0);
  EXPECT_GT(found.gangs, 0);
  EXPECT_GT(found.failed_attempts, 0);
  EXPECT_GT(found.returned, 0);
}

TEST(Scale, TakesNoLessTimeThanTheWorkAndWhatRankZeroDoes) {
  for (const double trial_seconds : {1e-4, 1e-2}) {
    Mix mix = small_mix();
    mix.trial_seconds = trial_seconds;
    const Found found = simulated(mix, machine_of(30));
    EXPECT_GE(found.window_seconds, found.ideal_seconds);
    EXPECT_GE(found.whole_seconds, found.window_seconds);
    EXPECT_GE(found.window_seconds, found.cpu_seconds);
    EXPECT_GT(found.idle_share, 0);
    EXPECT_LT(found.idle_share, 1);
    EXPECT_LE(found.inbox.median, found.inbox.p99);
    EXPECT_LE(found.inbox.p99, found.inbox.most);
    EXPECT_LT(found.inbox.most, found.messages);
  }
}

TEST(Scale, GivesTheSameForTheSameSeed) {
  const Found once = simulated(small_mix(), machine_of(30));
  const Found again = simulated(small_mix(), machine_of(30));
  EXPECT_EQ(once.whole_seconds, again.whole_seconds);
  EXPECT_EQ(once.decisions, again.decisions);
  EXPECT_EQ(once.inbox.most, again.inbox.most);
}

TEST(Scale, AgentsWaitForACoordinatorThatHasTooMuchToDo) {
  Mix mix = plain(4000, 4);
  mix.trial_seconds = 1e-3;
  const Found quick = simulated(mix, machine_of(30));
  Machine slow = machine_of(30);
  slow.fixed_seconds = 100 * event_seconds;
  const Found held_up = simulated(mix, slow);
  EXPECT_GT(held_up.busy_share, 0.9);
  EXPECT_LE(held_up.busy_share, 1);
  EXPECT_GT(held_up.idle_share, quick.idle_share + 0.3);
  EXPECT_GT(held_up.wait_p99_seconds, quick.wait_p99_seconds);
}

TEST(Scale, ASlowDiskDelaysTheEndAndNotTheTrials) {
  Mix mix = plain(4000, 4);
  Machine slow = machine_of(30);
  slow.sync_seconds = 0.2;
  const Found quick = simulated(mix, machine_of(30));
  const Found found = simulated(mix, slow);
  EXPECT_EQ(found.recorded, found.blocks);
  EXPECT_LT(found.syncs, quick.syncs / 2);
  EXPECT_NEAR(found.idle_share, quick.idle_share, 0.02);
  EXPECT_GE(found.whole_seconds, found.window_seconds + slow.sync_seconds);
}

}  // namespace
}  // namespace regatta::scale

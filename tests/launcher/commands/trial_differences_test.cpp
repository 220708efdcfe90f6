#include "commands/trial_differences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace regatta::launcher {
namespace {

using results::Results;

Results session() {
  Results results;
  results.hosts = {{"node1", "A CPU", 1, 2, std::int64_t{8} << 30, "6.1", "performance"}};
  results.devices = {{0, "cpu", "cores 0", {}, {}}};
  results.envs = {{"native", "native", "0.1.0"}};
  results::TrialRow row;
  row.hash = hash128("a");
  row.outcome = sweep::Finished{};
  row.env = row.host = row.device = 0;
  row.metrics = {{"step_time", 2e-3}, {"peak_memory", 1e6}};
  row.start_wall_seconds = 1000;
  results.trials = {row};
  results.blocks.emplace_back();
  results.blocks[0].arms = {{0}};
  results.blocks[0].start_wall_seconds = 1000;
  results.provenance.regatta_version = "0.1.0";
  results.provenance.versions = {{"compiler", "12"}};
  return results;
}

std::vector<std::string> differences(const Results& then, const Results& now) {
  std::vector<std::string> texts;
  for (const Difference& each : then_and_now(then, {0}, now).differences)
    texts.push_back(each.what + ": " + each.then + " -> " + each.now);
  return texts;
}

TEST(ThenAndNow, NamesNothingWhereNothingDiffers) { EXPECT_TRUE(differences(session(), session()).empty()); }

TEST(ThenAndNow, NamesWhatDiffersInHostSlotVersionsAndCompany) {
  Results then = session();
  then.blocks[0].arms = {{0}, {1}};
  then.trials.push_back(then.trials[0]);
  Results now = session();
  now.hosts[0].kernel = "6.5";
  now.hosts[0].governor = "";
  now.devices[0].name = "cores 1";
  now.devices[0].flags = {stats::Flag::neighbours};
  now.envs[0].version = "0.2.0";
  now.provenance.versions = {{"compiler", "13"}, {"mpi", "4"}};
  EXPECT_THAT(differences(then, now),
              testing::ElementsAre("kernel: 6.1 -> 6.5", "frequency governor: performance -> not known",
                                   "slot: cpu cores 0 -> cpu cores 1", "flags of the slot: none -> neighbours",
                                   "version of native: 0.1.0 -> 0.2.0", "compiler: 12 -> 13", "mpi: not known -> 4",
                                   "measured: in turns with 1 other -> alone"));
}

TEST(ThenAndNow, NamesAnotherRunOnTheSameCores) {
  Results now = session();
  now.blocks[0].flags = {stats::Flag::other_run};
  EXPECT_THAT(differences(session(), now), testing::ElementsAre("disturbed by: nothing that was seen -> other run"));
}

TEST(ThenAndNow, PairsTheNumbersThatEitherHas) {
  Results now = session();
  now.trials[0].metrics = {{"step_time", 3e-3}, {"first_step", 1.0}};
  const ThenAndNow pairs = then_and_now(session(), {0}, now);
  ASSERT_EQ(pairs.metrics.size(), 3U);
  EXPECT_EQ(pairs.metrics[0].name, "step_time");
  EXPECT_EQ(pairs.metrics[0].then, 2e-3);
  EXPECT_EQ(pairs.metrics[0].now, 3e-3);
  EXPECT_EQ(pairs.metrics[1].then, std::nullopt);
  EXPECT_EQ(pairs.metrics[2].now, std::nullopt);
}

}  // namespace
}  // namespace regatta::launcher

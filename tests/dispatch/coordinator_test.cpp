#include "regatta/dispatch/coordinator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "regatta/dispatch/agent_turn.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "test_env.hpp"

namespace regatta::dispatch::testing {
namespace {

TEST(Coordinator, AcknowledgesAResultOnceItsRecordIsDurable) {
  TestEnv env(1);
  EXPECT_EQ(env.joined(0), (Lines{"0: grant 0 attempt 1"}));
  EXPECT_EQ(env.done(0, 0), (Lines{"0: finish"}));
  EXPECT_EQ(env.records(), (Lines{"agent 0", "block 0 attempt 1"}));
  EXPECT_EQ(env.durable(1), Lines{});
  EXPECT_FALSE(env.coordinator().done());
  EXPECT_EQ(env.durable(2), (Lines{"0: acknowledge 0 attempt 1"}));
  EXPECT_TRUE(env.coordinator().done());
}

TEST(Coordinator, IsNotDoneBeforeItsLastRecordIsDurable) {
  TestEnv env(1);
  env.attempts(1).joined(0);
  EXPECT_EQ(env.died(0, 0), (Lines{"0: finish"}));
  EXPECT_EQ(env.records(), (Lines{"agent 0", "failed 0 attempt 1", "block 0 attempt 1"}));
  env.durable(2);
  EXPECT_TRUE(env.coordinator().awaits_disk());
  env.durable(3);
  EXPECT_TRUE(env.coordinator().done());
}

TEST(Coordinator, RecordsARepeatedEndOfAnAttemptOnce) {
  TestEnv env(2);
  env.joined(0);
  env.died(0, 0);
  env.died(0, 0);
  env.done(0, 1);
  env.done(0, 1);
  EXPECT_EQ(env.records(), (Lines{"agent 0", "failed 0 attempt 1", "block 1 attempt 1"}));
  EXPECT_EQ(env.durable(3), (Lines{"0: acknowledge 1 attempt 1", "0: acknowledge 1 attempt 1"}));
}

TEST(Coordinator, GrantsABlockAgainUntilItsArmDiedTooOften) {
  TestEnv env(1);
  env.attempts(2).joined(0);
  EXPECT_EQ(env.died(0, 0, 1), (Lines{"0: grant 0 attempt 2"}));
  EXPECT_EQ(env.died(0, 0, 2), (Lines{"0: finish"}));
  const auto records = env.raw_records();
  const auto& given_up = std::get<BlockToStore>(records.back()).record;
  EXPECT_EQ(std::get<sweep::Failed>(given_up.arms.front().outcome).message, "killed by signal 11 (2 attempts)");
  EXPECT_EQ(given_up.start_wall_seconds, 1000);
}

TEST(Coordinator, SaysOfABlockThatIsGivenUpWhoTriedItLast) {
  TestEnv env(2, 2);
  env.attempts(1).joined(0);
  EXPECT_EQ(env.joined(1), (Lines{"1: grant 1 attempt 1"}));
  env.died(1, 1);
  const auto records = env.raw_records();
  EXPECT_EQ(std::get<BlockToStore>(records.back()).record.agent, 1);
}

TEST(Coordinator, GivesWhatOneAgentGaveBackToAnother) {
  TestEnv env(4, 2);
  EXPECT_EQ(env.joined(0), (Lines{"0: grant 0 attempt 1", "0: grant 1 attempt 1"}));
  EXPECT_EQ(env.joined(1), (Lines{"1: grant 2 attempt 1"}));
  EXPECT_EQ(env.given_back(0, {1}), Lines{});
  EXPECT_EQ(env.done(0, 0), (Lines{"0: finish"}));
  EXPECT_EQ(env.done(1, 2), (Lines{"1: grant 1 attempt 2", "1: grant 3 attempt 1"}));
}

TEST(Coordinator, RunsLastAndAloneWhatTookARankDown) {
  TestEnv env(3);
  env.attempts(3).deadly(0, 2);
  EXPECT_EQ(env.joined(0), (Lines{"0: grant 1 attempt 1", "0: grant 2 attempt 1"}));
  EXPECT_EQ(env.done(0, 1), Lines{});
  EXPECT_EQ(env.done(0, 2), (Lines{"0: grant 0 attempt 1"}));
  EXPECT_EQ(env.done(0, 0), (Lines{"0: finish"}));
}

TEST(Coordinator, FailsWhatTookItsRankDownAsOftenAsATrialMayBeTried) {
  TestEnv env(2);
  env.attempts(2).deadly(0, 2);
  EXPECT_EQ(env.joined(0), (Lines{"0: grant 1 attempt 1"}));
  const auto records = env.raw_records();
  ASSERT_EQ(records.size(), 2U);
  const auto& failed = std::get<sweep::Failed>(std::get<BlockToStore>(records[1]).record.arms.front().outcome);
  EXPECT_EQ(failed.kind, sweep::FailureKind::rank_lost);
  EXPECT_EQ(failed.message, "took its rank down (n3), 2 times");
  EXPECT_EQ(env.coordinator().progress().failed_arms, 1U);
  EXPECT_EQ(env.done(0, 1), (Lines{"0: finish"}));
  EXPECT_EQ(env.coordinator().progress().blocks_done, 2U);
}

TEST(Coordinator, FailsNoBlockThatDiedBesideOthersAlone) {
  TestEnv env(2);
  env.attempts(1).deadly(0, 1, false);
  EXPECT_EQ(env.joined(0), (Lines{"0: grant 1 attempt 1"}));
  EXPECT_EQ(env.done(0, 1), (Lines{"0: grant 0 attempt 1"})) << "another block may have done it";
}

TEST(Coordinator, LeavesAFinishedBlockAsItIsHoweverDeadlyItWas) {
  TestEnv env(2);
  env.attempts(1).finished(0).deadly(0, 5);
  EXPECT_EQ(env.joined(0), (Lines{"0: grant 1 attempt 1"}));
  EXPECT_EQ(env.records(), (Lines{"agent 0"}));
}

TEST(Coordinator, GrantsNothingAfterADrain) {
  TestEnv env(5);
  env.joined(0);
  EXPECT_EQ(env.drain(), Lines{});
  EXPECT_EQ(env.done(0, 0), Lines{});
  EXPECT_EQ(env.given_back(0, {1}), (Lines{"0: finish"}));
}

TEST(Coordinator, StopsAfterSoManyFailedTrials) {
  TestEnv env(9);
  env.failures(2);
  EXPECT_EQ(env.joined(0), (Lines{"0: grant 0 attempt 1", "0: grant 1 attempt 1"}));
  EXPECT_EQ(env.failed(0, 0), (Lines{"0: grant 2 attempt 1"}));
  EXPECT_FALSE(env.coordinator().progress().stopped_by_failures);
  EXPECT_EQ(env.failed(0, 1), Lines{});
  EXPECT_TRUE(env.coordinator().progress().stopped_by_failures);
  EXPECT_EQ(env.done(0, 2), (Lines{"0: finish"}));
  EXPECT_EQ(env.coordinator().progress().too_long, 0U);
}

TEST(Coordinator, HandsOutNoMoreAtOnceThanMayFail) {
  TestEnv env(1000);
  EXPECT_NE(env.joined(0).front().find("grant 0+"), std::string::npos);
  TestEnv few(1000);
  EXPECT_EQ(few.failures(1).joined(0).front(), "0: grant 0 attempt 1");
}

TEST(Coordinator, LeavesOutWhatEarlierSessionsFinishedAndMarksWhatIsContinued) {
  TestEnv env(3);
  env.finished(0).continued(1);
  EXPECT_EQ(env.joined(0), (Lines{"0: grant 1 attempt 1", "0: grant 2 attempt 1"}));
  EXPECT_EQ(env.coordinator().progress().blocks_done, 1U);
  env.done(0, 1);
  env.done(0, 2);
  const auto records = env.raw_records();
  EXPECT_TRUE(std::get<BlockToStore>(records[1]).record.continues);
  EXPECT_FALSE(std::get<BlockToStore>(records[2]).record.continues);
}

TEST(Coordinator, CountsABlockThatWasInterruptedAsOpen) {
  TestEnv env(2);
  env.joined(0);
  env.drain();
  EXPECT_EQ(env.interrupted(0, 0), Lines{});
  EXPECT_EQ(env.coordinator().progress().blocks_done, 0U);
  EXPECT_EQ(env.coordinator().progress().interrupted, 1U);
  EXPECT_TRUE(env.coordinator().take_news().done.empty());
  EXPECT_EQ(env.durable(2), (Lines{"0: acknowledge 0 attempt 1"})) << "what it kept is recorded";
}

TEST(Coordinator, RecordsEachVisitAsWhatADrainWouldLeave) {
  TestEnv env(1);
  env.joined(0);
  EXPECT_EQ(env.visited(0, 0), Lines{}) << "nobody is answered";
  EXPECT_EQ(env.visited(0, 0), Lines{});
  EXPECT_EQ(env.coordinator().progress().blocks_done, 0U);
  EXPECT_EQ(env.coordinator().progress().interrupted, 0U) << "it runs";
  EXPECT_EQ(env.done(0, 0), (Lines{"0: finish"}));
  EXPECT_EQ(env.visited(0, 0), Lines{}) << "it is over";
  std::vector<std::pair<std::uint32_t, bool>> visits;
  for (const StoreRecord& record : env.raw_records())
    if (const auto* block = std::get_if<BlockToStore>(&record))
      visits.emplace_back(block->record.visit, block->record.interrupted);
  EXPECT_EQ(visits, (std::vector<std::pair<std::uint32_t, bool>>{{0, true}, {1, true}, {2, false}}));
  EXPECT_EQ(env.durable(3), Lines{});
  EXPECT_EQ(env.durable(4), (Lines{"0: acknowledge 0 attempt 1"}));
  EXPECT_TRUE(env.coordinator().done());
}

TEST(Coordinator, NumbersVisitsOnWhereAnAttemptFailed) {
  TestEnv env(1);
  env.attempts(2).joined(0);
  env.visited(0, 0);
  EXPECT_EQ(env.died(0, 0), (Lines{"0: grant 0 attempt 2"}));
  EXPECT_EQ(env.visited(0, 0, 1), Lines{}) << "of the attempt that failed";
  env.visited(0, 0, 2);
  env.died(0, 0, 2);
  std::vector<std::uint32_t> visits;
  for (const StoreRecord& record : env.raw_records())
    if (const auto* block = std::get_if<BlockToStore>(&record)) visits.push_back(block->record.visit);
  EXPECT_EQ(visits, (std::vector<std::uint32_t>{0, 1, 2})) << "the last one says that it was given up";
}

TEST(Coordinator, HandsOnWhatAgentsTellOfTheBlocksThatTheyRun) {
  TestEnv env(2);
  env.joined(0);
  EXPECT_EQ(env.told(0, 0), Lines{}) << "nobody is answered";
  EXPECT_EQ(env.told(1, 0), Lines{}) << "it runs nothing";
  env.done(0, 0);
  env.told(0, 0);
  const News news = env.coordinator().take_news();
  ASSERT_EQ(news.stands.size(), 1U);
  EXPECT_EQ(news.stands[0].agent, AgentId{0});
  EXPECT_EQ(news.stands[0].stand.squares, 5);
  EXPECT_EQ(news.done.size(), 1U);
  EXPECT_TRUE(env.coordinator().take_news().stands.empty());
}

TEST(Coordinator, NotesWhatIsGrantedToWhomAndWaitsForNoneOfIt) {
  TestEnv env(1, 2);
  env.ranks(2);
  env.joined(0);
  env.joined(1);
  const auto grants = env.coordinator().take_grants();
  ASSERT_EQ(grants.size(), 1U) << "the first of a gang stands for it";
  EXPECT_EQ(grants[0].block, env.plan().blocks[0].hash);
  EXPECT_EQ(grants[0].attempt, 1U);
  EXPECT_EQ(grants[0].agent, 0U);
  EXPECT_TRUE(env.coordinator().take_grants().empty());
  env.durable(2);
  EXPECT_FALSE(env.coordinator().awaits_disk()) << "two agents are recorded, and nothing else is waited for";
}

TEST(Coordinator, NotesEachBlockOfARange) {
  TestEnv env(40);
  env.joined(0);
  const auto grants = env.coordinator().take_grants();
  ASSERT_GT(grants.size(), 1U);
  for (std::size_t i = 0; i < grants.size(); ++i) EXPECT_EQ(grants[i].block, env.plan().blocks[i].hash);
}

TEST(Coordinator, SendsWithAGrantAllThatItsAgentMustKnow) {
  TestEnv env(40);
  AgentTurn agent({0});  // it has nothing else: no sweep, no plan
  env.coordinator().receive({0}, protocol::AgentReady{"{}", {{0}}, {}}, 0);
  for (const Outbound& outbound : env.coordinator().take_messages()) agent.receive(through_bytes(outbound.message));
  for (std::uint32_t block = 0; block < 2; ++block) {
    auto expected = sweep::task_of(env.sweep(), env.plan(), env.plan().blocks[block], env.facts());
    expected.attempt = {1};
    EXPECT_EQ(agent.next().value(), expected);
  }
}

TEST(Coordinator, TellsEveryAgentOfAGangWhoTheOthersAre) {
  TestEnv env(1, 2);
  env.ranks(2);
  EXPECT_EQ(env.joined(0), Lines{});
  EXPECT_EQ(env.joined(1), (Lines{"0: grant 0 attempt 1 gang 0 1", "1: grant 0 attempt 1 gang 0 1"}));
}

TEST(Coordinator, GrantsBlocksOfADeviceToWhoeverHasOne) {
  TestEnv env(3, 2);
  env.on_device(2);
  EXPECT_EQ(env.joined(0), (Lines{"0: grant 0 attempt 1"}));
  const sweep::SlotDevice gpu{sweep::DeviceKind::cuda, "GPU 0"};
  EXPECT_EQ(env.joined(1, gpu), (Lines{"1: grant 2 attempt 1"}));
  const auto records = env.raw_records();
  EXPECT_EQ(std::get<AgentToStore>(records.at(1)).ready.slot.device, gpu);
}

TEST(Coordinator, RecordsWhyABlockIsRefused) {
  TestEnv env(1);
  env.ranks(2);
  EXPECT_EQ(env.joined(0), (Lines{"0: finish"}));
  const auto records = env.raw_records();
  const auto& refused = std::get<BlockToStore>(records.back()).record;
  EXPECT_TRUE(std::holds_alternative<sweep::Skipped>(refused.arms.front().outcome));
}

TEST(Coordinator, LeavesTrainingsOpenForWhichThereAreTooFewRanks) {
  TestEnv env(1);
  env.ranks(2).trains();
  EXPECT_EQ(env.joined(0), (Lines{"0: finish"}));
  for (const auto& record : env.raw_records()) EXPECT_FALSE(std::holds_alternative<BlockToStore>(record));
  EXPECT_EQ(env.coordinator().progress().too_large, 1U);
}

TEST(Coordinator, GivesLongBlocksFirstWhereSeveralAgentsShareThem) {
  constexpr double no_end = std::numeric_limits<double>::infinity();
  TestEnv shared(4, 2);
  EXPECT_EQ(shared.take({1, 2, 4, 1000}, no_end).joined(0).front(), "0: grant 3 attempt 1");
  TestEnv alone(4, 1);
  EXPECT_EQ(alone.take({1, 2, 4, 1000}, no_end).joined(0).front(), "0: grant 0 attempt 1");
}

TEST(Coordinator, ForetellsHowLongAllBlocksTakeSideBySide) {
  constexpr double no_end = std::numeric_limits<double>::infinity();
  EXPECT_EQ(TestEnv(4, 2).take({1, 2, 4, 5}, no_end).coordinator().foretold_seconds(), 6);
  EXPECT_EQ(TestEnv(4, 2).take({1, 2, 4, 50}, no_end).coordinator().foretold_seconds(), 50);
  EXPECT_EQ(TestEnv(4, 2).take({1, 2, 4, 50}, no_end).finished(3).coordinator().foretold_seconds(), 4);
  EXPECT_TRUE(std::isnan(TestEnv(4, 2).take({1, 2, 0, 5}, no_end).coordinator().foretold_seconds()));
}

TEST(Coordinator, GoesOnWithAsManyRanksAsTookPart) {
  TestEnv env(1, 2);
  env.ranks(4).continued(0).taken(0, {2, 1, {}});
  env.joined_on("node", 0);
  EXPECT_EQ(env.joined_on("node", 1), (Lines{"0: grant 0 attempt 1 gang 0 1", "1: grant 0 attempt 1 gang 0 1"}));
}

TEST(Coordinator, TakesNoArmOutOfARecordedBlockThatIsRunAgain) {
  TestEnv env(1);
  env.ranks(2).taken(0, {2, 1, {}});
  EXPECT_EQ(env.joined(0), (Lines{"0: finish"}));
  for (const auto& record : env.raw_records()) EXPECT_FALSE(std::holds_alternative<BlockToStore>(record));
  EXPECT_EQ(env.coordinator().progress().too_large, 1U);
  EXPECT_EQ(env.coordinator().progress().too_large_reason,
            "needs 2 ranks of 1 core at once; this job has 1 slot of that size; start "
            "with more ranks or lower `ranks`");
}

TEST(Coordinator, SaysHowManyBlocksAreTooLongForTheTimeThatIsLeft) {
  TestEnv env(3);
  env.take({500, 10, 500}, 1100);
  EXPECT_EQ(env.joined(0), (Lines{"0: grant 1 attempt 1"})) << "it is 1000";
  EXPECT_EQ(env.done(0, 1), (Lines{"0: finish"}));
  EXPECT_EQ(env.coordinator().progress().too_long, 2U);
}

TEST(Coordinator, LeavesWhatItCannotGoOnWithAsItIs) {
  TestEnv env(1, 1);
  env.ranks(2).continued(0);
  EXPECT_EQ(env.joined(0), (Lines{"0: finish"}));
  EXPECT_EQ(env.coordinator().progress().too_large, 1U);
  EXPECT_EQ(env.coordinator().progress().blocks_done, 0U);
}

TEST(Coordinator, WaitsWithAGangForAgentsOfOneHost) {
  TestEnv env(1, 3);
  env.ranks(2);
  EXPECT_EQ(env.joined_on(R"({"name":"a"})", 0), Lines{});
  EXPECT_EQ(env.joined_on(R"({"name":"b"})", 1), Lines{});
  EXPECT_EQ(env.joined_on(R"({"name":"a"})", 2),
            (Lines{"0: grant 0 attempt 1 gang 0 2", "2: grant 0 attempt 1 gang 0 2"}));
}

TEST(Coordinator, PutsRanksOfOneNodeBesideOneAnotherWhereNoneHasEnough) {
  TestEnv env(1, 4);
  env.ranks(4);
  EXPECT_EQ(env.joined_on("{}", 0, "first"), Lines{});
  EXPECT_EQ(env.joined_on("{}", 1, "second"), Lines{});
  EXPECT_EQ(env.joined_on("{}", 2, "first"), Lines{});
  const Lines granted = env.joined_on("{}", 3, "second");
  ASSERT_EQ(granted.size(), 4U);
  EXPECT_EQ(granted[0], "0: grant 0 attempt 1 gang 0 2 1 3") << "trials of two ranks take the first two";
}

TEST(Coordinator, WaitsWithAGangForAgentsThatShareMemoryWhereHostsLookAlike) {
  TestEnv env(1, 3);
  env.ranks(2);
  EXPECT_EQ(env.joined_on("{}", 0, "first"), Lines{});
  EXPECT_EQ(env.joined_on("{}", 1, "second"), Lines{});
  EXPECT_EQ(env.joined_on("{}", 2, "first"), (Lines{"0: grant 0 attempt 1 gang 0 2", "2: grant 0 attempt 1 gang 0 2"}));
}

TEST(Coordinator, MeasuresOptionalEnginesLastAndExplainsWhatWasMeasured) {
  const auto sweep = sweep::parse_sweep(
      R"({"regatta": 1, "name": "s", "axes": {"model": "mlp-10", "engine": ["native", "numpy", "torch?"], "batch": [1, 2]},
          "compare": {"over": ["engine"], "baseline": {"engine": "native"}},
          "measure": {"explain": true, "again": false}})",
      "s.json", sweep::any_environment());
  const auto plan = sweep::make_plan(sweep);
  const auto has_torch = [&](const sweep::Block& block) {
    return std::ranges::any_of(block.arms, [&](TrialIndex arm) {
      return sweep::to_text(plan.trials[arm.value].parameters[sweep::Param::engine]) == "torch";
    });
  };
  const Times times{[&](const sweep::Block& block) {  // it would go first
    return schedule::Estimate{has_torch(block) || block.is_intervention() ? 1000.0 : 1.0, 1, block.index.value};
  }};
  Coordinator coordinator(sweep, plan, {}, {}, 2, times);
  std::vector<int> stages;
  coordinator.receive({0}, protocol::AgentReady{"{}", {{0}}, {}}, 0);
  for (int turn = 0; turn < 1000 && stages.size() < plan.blocks.size(); ++turn) {
    for (const Outbound& outbound : coordinator.take_messages()) {
      const auto* grant = std::get_if<protocol::Grant>(&outbound.message);
      for (std::uint32_t i = 0; grant != nullptr && i < grant->count; ++i) {
        const sweep::Block& block = plan.blocks.at(grant->first.value + i);
        stages.push_back(block.is_intervention() ? 2 : has_torch(block) ? 1 : 0);
        protocol::BlockResult result;
        result.block = block.index;
        result.attempt = {1};
        coordinator.receive({0}, result, 0);
      }
    }
  }
  EXPECT_EQ(stages.size(), plan.blocks.size());
  EXPECT_TRUE(std::ranges::is_sorted(stages)) << ::testing::PrintToString(stages);
  EXPECT_EQ(std::ranges::count(stages, 1), 2);
  EXPECT_GT(std::ranges::count(stages, 2), 0);
}

}  // namespace
}  // namespace regatta::dispatch::testing

#include "results/collect/gather.hpp"

#include <gtest/gtest.h>

#include "results/journal/record_codec.hpp"

namespace regatta::results {
namespace {

const Hash128 gathered_block = hash128("block");

Record header() { return to_record(HeaderRecord{"small", {}}, {}); }

Record agent(std::uint32_t number, const std::string& cores) {
  return to_record(AgentRecord{number, {"node", "cpu", 1, 2, 3, "6.1", ""}, {0, "cpu", cores, {}}}, {});
}

Record result(std::uint32_t attempt, double start, std::uint32_t by = 0) {
  ResultRecord result;
  result.block.block = gathered_block;
  result.block.attempt = attempt;
  result.block.agent = by;
  result.block.start_wall_seconds = start;
  return to_record(result);
}

double start_of(const Gathered& gathered) {
  EXPECT_EQ(gathered.taken.size(), 1U);
  return gathered.taken.at(0).result.block.start_wall_seconds;
}

TEST(Gather, FirstResultOfASessionCounts) {
  EXPECT_EQ(start_of(gather({header(), result(1, 10), result(1, 20)}, {gathered_block})), 10);
  EXPECT_EQ(start_of(gather({header(), result(1, 10), result(2, 20)}, {gathered_block})), 10);
}

TEST(Gather, LaterSessionReplacesEvenWithTheSameAttempt) {
  EXPECT_EQ(start_of(gather({header(), result(1, 10), header(), result(1, 20), result(1, 30)}, {gathered_block})), 20);
}

ResultRecord continuing(const std::string& version = "") {
  ResultRecord result;
  result.block.block = gathered_block;
  result.block.attempt = 1;
  result.block.start_wall_seconds = 20;
  result.block.continues = true;
  result.block.arms.resize(2);
  sweep::set(result.block.arms.front().facts, sweep::Fact::engine_version, version);
  return result;
}

Record first_of_two_arms() {
  ResultRecord result = continuing();
  result.block.start_wall_seconds = 10;
  result.block.continues = false;
  return to_record(result);
}

TEST(Gather, LaterSessionMayContinueABlock) {
  const Record later = to_record(continuing());
  const Gathered gathered = gather({header(), agent(0, "cores 0"), first_of_two_arms(), header(), agent(0, "cores 1"),
                                    later, later, header(), agent(0, "cores 0"), later},
                                   {gathered_block});
  EXPECT_EQ(start_of(gathered), 10);
  EXPECT_EQ(gathered.taken.at(0).more.size(), 2U) << "one of each session";
}

Record visit(std::uint32_t number, std::uint32_t attempt = 1, const std::string& version = "") {
  ResultRecord result = continuing(version);
  result.block.continues = false;
  result.block.attempt = attempt;
  result.block.visit = number;
  result.block.start_wall_seconds = 10 + number;
  return to_record(result);
}

std::vector<double> starts(const std::vector<const BlockRecord*>& records) {
  std::vector<double> starts;
  for (const BlockRecord* record : records) starts.push_back(record->start_wall_seconds);
  return starts;
}

TEST(Gather, LaterVisitsOfASessionGoOnWithABlock) {
  const Gathered gathered =
      gather({header(), agent(0, "cores 0"), visit(0), visit(1), visit(1), visit(2)}, {gathered_block});
  EXPECT_EQ(start_of(gathered), 10);
  EXPECT_EQ(gathered.taken.at(0).more.size(), 2U) << "what was sent twice counts once";
  EXPECT_EQ(starts(last_of_attempts(gathered.taken.at(0))), std::vector<double>{12}) << "it repeats what they said";
}

TEST(Gather, AnotherAttemptGoesOnWithItsVisitsUnlessItsArmsAreOthers) {
  const Gathered gathered =
      gather({header(), agent(0, "cores 0"), visit(0), visit(1), visit(2, 2), visit(3, 2)}, {gathered_block});
  EXPECT_EQ(gathered.taken.at(0).more.size(), 3U);
  EXPECT_EQ(starts(last_of_attempts(gathered.taken.at(0))), (std::vector<double>{11, 13}));
  EXPECT_EQ(start_of(gather({header(), agent(0, "cores 0"), visit(0), visit(1, 2, "2.0")}, {gathered_block})), 11);
}

TEST(Gather, ALaterSessionGoesOnBehindTheVisitsOfTheOneBefore) {
  const Gathered gathered = gather({header(), agent(0, "cores 0"), visit(0), visit(1), header(), agent(0, "cores 0"),
                                    to_record(continuing()), visit(1), visit(2)},
                                   {gathered_block});
  EXPECT_EQ(gathered.taken.at(0).more.size(), 4U);
  EXPECT_EQ(starts(last_of_attempts(gathered.taken.at(0))), (std::vector<double>{11, 12}));
}

TEST(Gather, FirstFiguresStayWhereMeasuringAgainFailed) {
  ResultRecord again = continuing();
  again.block.continues = false;
  again.block.measured_again = true;
  ResultRecord first = again;
  first.block.start_wall_seconds = 10;
  EXPECT_EQ(start_of(gather({header(), to_record(first), header(), to_record(again)}, {gathered_block})), 20);
  again.block.arms[1].outcome = sweep::Failed{sweep::FailureKind::crashed, "this time"};
  EXPECT_EQ(start_of(gather({header(), to_record(first), header(), to_record(again)}, {gathered_block})), 10);
}

TEST(Gather, WhatWasMeasuredInAnotherVersionReplaces) {
  const Gathered gathered = gather(
      {header(), agent(0, "cores 0"), first_of_two_arms(), header(), agent(0, "cores 0"), to_record(continuing("2.0"))},
      {gathered_block});
  EXPECT_EQ(start_of(gathered), 20);
  EXPECT_TRUE(gathered.taken.at(0).more.empty());
}

TEST(Gather, WhatWasMeasuredOnAnotherHostReplaces) {
  const Record elsewhere =
      to_record(AgentRecord{0, {"other", "cpu", 1, 2, 3, "6.1", ""}, {0, "cpu", "cores 0", {}}}, {});
  const Gathered gathered =
      gather({header(), agent(0, "cores 0"), first_of_two_arms(), header(), elsewhere, to_record(continuing())},
             {gathered_block});
  EXPECT_EQ(start_of(gathered), 20);
}

TEST(Gather, AgentsAreThoseOfTheSession) {
  const Gathered gathered =
      gather({header(), agent(0, "cores 0"), header(), agent(0, "cores 1"), result(1, 10)}, {gathered_block});
  ASSERT_EQ(gathered.devices.size(), 2U);
  EXPECT_EQ(gathered.hosts.size(), 1U);
  EXPECT_EQ(gathered.taken.at(0).device, 1);
  EXPECT_EQ(gather({header(), agent(0, "cores 0"), header(), result(1, 10)}, {gathered_block}).taken.at(0).device, -1);
}

TEST(Gather, OtherBlocksAreCountedOnce) {
  const Gathered gathered = gather({header(), result(1, 10), header(), result(1, 20)}, {hash128("another")});
  EXPECT_TRUE(gathered.taken.empty());
  EXPECT_EQ(gathered.other_blocks.size(), 1U);
}

TEST(Gather, FailedAttemptsOfEachSessionStand) {
  const Record failed = to_record(FailedAttemptRecord{gathered_block, {}, 1, sweep::FailureKind::crashed, "signal 9"});
  EXPECT_EQ(gather({header(), failed, failed, header(), failed}, {gathered_block}).failed_attempts.size(), 2U);
}

}  // namespace
}  // namespace regatta::results

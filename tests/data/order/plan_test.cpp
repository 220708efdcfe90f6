#include "regatta/data/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "regatta/base/error.hpp"

namespace regatta::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Plan plan_of(std::int64_t samples, std::int64_t batch, Tail tail = Tail::drop) {
  Plan plan;
  plan.samples = samples;
  plan.batch = batch;
  plan.tail = tail;
  return plan;
}

Plan on_rank(Plan plan, std::int64_t rank, std::int64_t ranks) {
  plan.ranks = ranks;
  plan.rank = rank;
  return plan;
}

std::vector<std::uint32_t> step_of(const Plan& plan, const Position& position) {
  std::vector<std::uint32_t> samples(static_cast<std::size_t>(share_of(plan, position.step).count));
  EpochOrder(plan, position.epoch).samples_of(position.step, samples);
  return samples;
}

std::vector<std::uint32_t> epoch_of(const Plan& plan, std::int64_t epoch) {
  std::vector<std::uint32_t> all;
  for (std::int64_t step = 0; step < steps_per_epoch(plan); ++step) {
    const auto samples = step_of(plan, {epoch, step});
    all.insert(all.end(), samples.begin(), samples.end());
  }
  return all;
}

std::string error_of(const Plan& plan) {
  try {
    check(plan);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Plan, ReadsEachSampleOnceAnEpoch) {
  auto samples = epoch_of(plan_of(1797, 32, Tail::keep), 0);
  std::sort(samples.begin(), samples.end());
  std::vector<std::uint32_t> expected(1797);
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(samples, expected);
}

TEST(Plan, OrdersEachEpochAnew) {
  const Plan plan = plan_of(1797, 32);
  EXPECT_NE(epoch_of(plan, 0), epoch_of(plan, 1));
  EXPECT_EQ(epoch_of(plan, 1), epoch_of(plan, 1));
  Plan other = plan;
  other.seed = 1;
  EXPECT_NE(epoch_of(plan, 0), epoch_of(other, 0));
}

TEST(Plan, KeepsTheOrderOfTheFileWhereItDoesNotShuffle) {
  Plan plan = plan_of(5, 2, Tail::keep);
  plan.shuffles = false;
  EXPECT_THAT(epoch_of(plan, 3), ElementsAre(0, 1, 2, 3, 4));
}

TEST(Plan, GivesRanksTogetherWhatOneRankReads) {
  for (const Tail tail : {Tail::drop, Tail::keep, Tail::pad}) {
    const Plan alone = plan_of(107, 8, tail);
    for (const std::int64_t ranks : {2, 4}) {
      for (std::int64_t step = 0; step < steps_per_epoch(alone); ++step) {
        std::vector<std::uint32_t> together;
        std::int64_t valid = 0;
        for (std::int64_t rank = 0; rank < ranks; ++rank) {
          const auto part = step_of(on_rank(alone, rank, ranks), {2, step});
          together.insert(together.end(), part.begin(), part.end());
          valid += share_of(on_rank(alone, rank, ranks), step).valid;
        }
        EXPECT_EQ(together, step_of(alone, {2, step}));
        EXPECT_EQ(valid, share_of(alone, step).valid);
      }
    }
  }
}

TEST(Plan, GivesAllRanksTheSameSteps) {
  for (std::int64_t rank = 0; rank < 4; ++rank)
    EXPECT_EQ(steps_per_epoch(on_rank(plan_of(107, 8, Tail::keep), rank, 4)), 14);
}

TEST(Tail, IsDroppedKeptOrFilledUp) {
  EXPECT_EQ(steps_per_epoch(plan_of(10, 4, Tail::drop)), 2);
  EXPECT_EQ(steps_per_epoch(plan_of(10, 4, Tail::keep)), 3);
  EXPECT_EQ(share_of(plan_of(10, 4, Tail::keep), 2), (Share{8, 2, 2}));
  EXPECT_EQ(share_of(plan_of(10, 4, Tail::pad), 2), (Share{8, 4, 2}));
  EXPECT_EQ(steps_per_epoch(plan_of(8, 4, Tail::pad)), 2);
}

TEST(Tail, IsFilledUpWithTheFirstSamplesOfTheEpoch) {
  const Plan plan = plan_of(10, 4, Tail::pad);
  const auto first = step_of(plan, {1, 0});
  const auto last = step_of(plan, {1, 2});
  EXPECT_EQ(last[2], first[0]);
  EXPECT_EQ(last[3], first[1]);
}

TEST(Tail, IsFilledUpMoreThanOnceInAShortEpoch) {
  Plan plan = plan_of(3, 8, Tail::pad);
  plan.shuffles = false;
  EXPECT_THAT(step_of(plan, {0, 0}), ElementsAre(0, 1, 2, 0, 1, 2, 0, 1));
  EXPECT_EQ(share_of(plan, 0).valid, 3);
  EXPECT_EQ(share_of(on_rank(plan, 1, 2), 0).valid, 0);
}

TEST(Position, CountsStepsOverEpochs) {
  const Plan plan = plan_of(10, 4);
  EXPECT_EQ(position_at(plan, 0), (Position{0, 0}));
  EXPECT_EQ(position_at(plan, 5), (Position{2, 1}));
}

TEST(Plan, RefusesWhatHasNoStep) {
  EXPECT_THAT(error_of(plan_of(0, 4)), HasSubstr("no samples"));
  EXPECT_THAT(error_of(plan_of(10, 0)), HasSubstr("batch is 0"));
  EXPECT_THAT(error_of(plan_of(10, std::int64_t{1} << 61, Tail::pad)), HasSubstr("the limit is 2^32 - 1 samples"));
  EXPECT_THAT(error_of(plan_of(3, 4)), HasSubstr("a batch of 4 is more than the 3 samples"));
  EXPECT_THAT(error_of(plan_of(std::int64_t{1} << 33, 4)), HasSubstr("limit is 2^32 - 1"));
  EXPECT_THAT(error_of(on_rank(plan_of(10, 4), 0, 3)), HasSubstr("cannot be shared by 3 ranks"));
  EXPECT_THAT(error_of(on_rank(plan_of(10, 4), 2, 2)), HasSubstr("rank 2 of 2"));
}

}  // namespace
}  // namespace regatta::data

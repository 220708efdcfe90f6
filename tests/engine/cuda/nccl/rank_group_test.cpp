// Ranks as processes that sum their gradients: the same as one rank gives, in every mode and order of work.
#include "engine/cuda/nccl/rank_group.hpp"

#include "engine/cuda/nccl/training.hpp"

namespace regatta::engine::cuda {
namespace {

std::vector<float> of_one_rank(Mode mode = Mode::graph) {
  Processes processes;
  const Ended alone = trained(processes, {.mode = mode}).front();
  EXPECT_EQ(alone.error, "");
  return alone.values;
}

/// All ranks' results, which have the same bits.
std::vector<float> of_ranks(const Shared& how, const std::string& emulated = "devices=4,protect=off") {
  Processes processes;
  processes.emulated = emulated;
  const std::vector<Ended> all = trained(processes, how);
  for (const Ended& each : all) {
    EXPECT_EQ(each.signal, 0);
    EXPECT_EQ(each.error, "");
    EXPECT_TRUE(same_bits({each.values}, {all.front().values}));
  }
  return all.front().values;
}

void expect_near(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  ASSERT_GT(actual.size(), 1000U);
  for (std::size_t i = 0; i < actual.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], 2e-5F * std::max(1.0F, std::abs(expected[i]))) << i;
}

TEST(RankGroupTest, RanksGiveWhatOneRankGivesAndTheMeanLossOfTheWholeBatch) {
  const std::vector<float> alone = of_one_rank();
  for (const int ranks : {2, 4}) expect_near(of_ranks({.ranks = ranks}), alone);
}

TEST(RankGroupTest, EagerAndGraphGiveTheSameBitsAndEachRunTheSame) {
  for (const int ranks : {2, 4}) {
    const std::vector<float> graph = of_ranks({.mode = Mode::graph, .ranks = ranks});
    EXPECT_TRUE(same_bits({of_ranks({.mode = Mode::eager, .ranks = ranks})}, {graph}));
    EXPECT_TRUE(same_bits({of_ranks({.mode = Mode::graph, .ranks = ranks})}, {graph}));
  }
}

TEST(RankGroupTest, NoOrderOfWorkChangesABit) {
  const std::vector<float> late = of_ranks({.ranks = 2});
  for (const char* const streams : {"early", "random", "late"}) {
    for (const Mode mode : {Mode::eager, Mode::graph}) {
      for (const Transfers transfers : {Transfers::pinned, Transfers::overlapped}) {
        const std::string emulated = std::string("devices=2,protect=off,seed=3,threads=random,streams=") + streams;
        EXPECT_TRUE(same_bits({of_ranks({.mode = mode, .ranks = 2, .transfers = transfers}, emulated)}, {late}))
            << emulated;
      }
    }
  }
}

TEST(RankGroupTest, NothingIsLeftOfAGroupThatEnded) {
  Processes processes;
  const auto all = processes.run(2, "", [](int rank, Board& board) -> std::vector<float> {
    train({.ranks = 2}, rank, board);
    const Counters left = regatta_cuda_emulator()->counters();
    return {static_cast<float>(left.live_handles + left.live_streams + left.live_events + left.live_allocations)};
  });
  for (const Ended& each : all) EXPECT_EQ(each.values, std::vector<float>{0}) << each.error;
}

TEST(RankGroupTest, AGraphIsCutWhereBucketsEndAndNowhereElse) {
  for (const auto& [buckets, graphs] :
       {std::pair{exchange::BucketSizes{}, 3}, {{.first_bytes = 1, .bytes = 0}, 2 + kLayers}}) {
    Processes processes;
    const auto all = processes.run(2, "", [&, held = buckets](int rank, Board& board) -> std::vector<float> {
      train({.ranks = 2, .buckets = held}, rank, board);
      return {static_cast<float>(regatta_cuda_emulator()->counters().graph_launches) / kSteps};
    });
    for (const Ended& each : all) EXPECT_EQ(each.values, std::vector<float>{static_cast<float>(graphs)}) << each.error;
  }
}

TEST(RankGroupTest, BucketsChangeNoBitOfSumsOfTwo) {
  const std::vector<float> small = of_ranks({.ranks = 2});
  EXPECT_TRUE(same_bits({of_ranks({.ranks = 2, .buckets = {}})}, {small}));
}

TEST(RankGroupTest, TheTimeThatSumsTakeBeyondBackwardIsTold) {
  Processes processes;
  const auto all = processes.run(2, "", [](int rank, Board& board) -> std::vector<float> {
    const auto group = join_group({.id = relayed_id(rank, board), .device = rank, .rank = rank, .ranks = 2});
    const auto backend = make_backend({.device = rank});
    backend->join(*group);
    auto* const memory = static_cast<float*>(backend->allocate(1 << 20));
    backend->write(memory, nullptr, 1 << 20);
    backend->sum_over_ranks(memory, 1 << 18);
    backend->await_sums();
    const auto seconds = static_cast<float>(backend->exposed_exchange_seconds());
    backend->release(memory);
    return {seconds};
  });
  for (const Ended& each : all) {
    EXPECT_EQ(each.error, "");
    EXPECT_GT(each.values.at(0), 0);
    EXPECT_LT(each.values.at(0), 1e-3);
  }
}

}  // namespace
}  // namespace regatta::engine::cuda

// Ranks of which one does not come, fails or dies: the others end within their patience, with its place.
#include "engine/cuda/nccl/rank_group.hpp"
#include "engine/cuda/nccl/training.hpp"
#include "regatta/exchange/shared_memory.hpp"

namespace regatta::engine::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double kPatienceSeconds = 1;
constexpr double kMostSeconds = 10;  // a rank that was left alone has ended, on a machine with other work

void expect_nothing_left() {
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    EXPECT_THAT(entry.path().string(), testing::Not(HasSubstr("nccl")));
}

std::string place_of(int sum) {
  return "bucket " + std::to_string(sum % kSums) + " of step " + std::to_string(sum / kSums + 1);
}

class LostRanks : public testing::TestWithParam<Mode> {};

TEST_P(LostRanks, ADeathAtEachSumOfAStepEndsTheOthersInTimeAndNamesThePlace) {
  const int stride = GetParam() == Mode::graph ? 1 : 3;
  for (int sum = kSums; sum < 2 * kSums; sum += stride) {  // the second step's
    Processes processes;
    const auto all = trained(processes, {.mode = GetParam(), .ranks = 2, .patience_seconds = kPatienceSeconds},
                             "rank=1,kill=" + std::to_string(sum));
    EXPECT_EQ(all[1].signal, SIGKILL);
    EXPECT_EQ(all[0].signal, 0);
    EXPECT_THAT(all[0].error, AllOf(HasSubstr("rank 0 has no sums of " + place_of(sum)), HasSubstr("no end after 1 s"),
                                    HasSubstr("another rank hangs, died")));
    EXPECT_LT(all[0].seconds, kMostSeconds);
  }
  expect_nothing_left();
}

TEST_P(LostRanks, AllOfFourEndWhereOneHangsOrDies) {
  for (const char* const fault : {"hang", "kill"}) {
    Processes processes;
    const auto all = trained(processes, {.mode = GetParam(), .ranks = 4, .patience_seconds = kPatienceSeconds},
                             std::string("rank=2,") + fault + "=25");
    for (const std::size_t rank : {0, 1, 3}) {
      EXPECT_THAT(all[rank].error, HasSubstr("has no sums of " + place_of(25)));
      EXPECT_LT(all[rank].seconds, kMostSeconds);
    }
  }
}

TEST_P(LostRanks, AnErrorThatNcclTellsIsTold) {
  Processes processes;
  const auto all =
      trained(processes, {.mode = GetParam(), .ranks = 2, .patience_seconds = kPatienceSeconds}, "rank=0,async=21");
  EXPECT_THAT(all[0].error, AllOf(HasSubstr(place_of(21)), HasSubstr("remote process exited"),
                                  HasSubstr("Connection closed by remote peer")));
  EXPECT_THAT(all[1].error, HasSubstr(place_of(21)));
}

TEST_P(LostRanks, ACallThatFailsIsTold) {
  Processes processes;
  const auto all =
      trained(processes, {.mode = GetParam(), .ranks = 2, .patience_seconds = kPatienceSeconds}, "rank=1,fail=22");
  EXPECT_THAT(all[1].error, AllOf(HasSubstr("ncclAllReduce: unhandled system error"), HasSubstr("Connection reset")));
  EXPECT_THAT(all[0].error, HasSubstr("of step 2: no end after"));  // its device had not come to all that was issued
}

TEST_P(LostRanks, RanksThatDisagreeOnASumAreNoticedByTheFake) {
  Processes processes;
  const auto all =
      trained(processes, {.mode = GetParam(), .ranks = 2, .patience_seconds = kPatienceSeconds}, "rank=1,other=3");
  EXPECT_THAT(all[0].error + all[1].error, HasSubstr("sums another number of floats"));
}

INSTANTIATE_TEST_SUITE_P(Modes, LostRanks, testing::Values(Mode::eager, Mode::graph),
                         [](const auto& named) { return named.param == Mode::eager ? "Eager" : "Graph"; });

TEST(LostRanksTest, WhoSupervisesThemEndsTheirWaits) {
  exchange::Stop stop;
  Processes processes;
  const auto all = processes.run(3, "rank=1,hang=0", [&](int rank, Board& board) -> std::vector<float> {
    if (rank == 2) {  // no rank: whoever notices that one hangs
      ::usleep(300'000);
      stop.set();
      return {};
    }
    return train({.ranks = 2, .stop = stop.path()}, rank, board);
  });
  EXPECT_THAT(all[0].error, AllOf(HasSubstr("was told to stop"), HasSubstr(place_of(0))));
  EXPECT_LT(all[0].seconds, kMostSeconds);
}

/// Ranks that do nothing but join.
std::vector<Ended> joined(int ranks, const std::string& orders, const std::function<void(GroupPlace&)>& change) {
  Processes processes;
  return processes.run(ranks, orders, [&](int rank, Board& board) -> std::vector<float> {
    GroupPlace place{.id = relayed_id(rank, board),
                     .device = rank,
                     .rank = rank,
                     .ranks = ranks,
                     .patience_seconds = kPatienceSeconds};
    change(place);
    const auto group = join_group(place);
    return {static_cast<float>(rank)};
  });
}

TEST(LostRanksTest, ARankThatDoesNotJoinIsNotWaitedForBeyondThePatience) {
  for (const char* const orders : {"rank=1,init=hang", "rank=1,init=kill"}) {
    const auto all = joined(2, orders, [](GroupPlace&) {});
    EXPECT_THAT(all[0].error,
                AllOf(HasSubstr("the group of 2 ranks did not form (this is rank 0)"), HasSubstr("no end after 1 s")));
    EXPECT_LT(all[0].seconds, kMostSeconds);
  }
  EXPECT_THAT(joined(2, "rank=1,init=fail", [](GroupPlace&) {})[1].error,
              HasSubstr("ncclCommInitRankConfig: invalid usage"));
}

TEST(LostRanksTest, AnIdOfAnotherGroupOrNoneIsTold) {
  const auto other = joined(2, "", [](GroupPlace& place) {
    if (place.rank == 1) place.id = std::string(256, 'a');
  });
  EXPECT_THAT(other[0].error, HasSubstr("did not form (this is rank 0)"));
  EXPECT_THAT(other[1].error, HasSubstr("did not form (this is rank 1)"));
  const auto none = joined(1, "", [](GroupPlace& place) { place.id = "GPU-1"; });
  EXPECT_THAT(none[0].error, HasSubstr("'GPU-1' is no id of a group of ranks"));
}

TEST(LostRanksTest, TwoRanksOnOneDeviceAreRefused) {
  for (const Ended& each : joined(2, "", [](GroupPlace& place) { place.device = 0; }))
    EXPECT_THAT(each.error, HasSubstr("Duplicate GPU detected"));
}

TEST(LostRanksTest, AfterARankWasLostEveryCallTellsItAtOnce) {
  Processes processes;
  const auto all = processes.run(2, "rank=1,hang=0", [](int rank, Board& board) -> std::vector<float> {
    const auto group = join_group({.id = relayed_id(rank, board),
                                   .device = rank,
                                   .rank = rank,
                                   .ranks = 2,
                                   .patience_seconds = kPatienceSeconds});
    const auto backend = make_backend({.device = rank});
    const auto other = make_backend({.device = rank});
    const auto third = make_backend({.device = rank});
    for (const auto* each : {&backend, &other, &third}) (*each)->join(*group);
    auto* const memory = static_cast<float*>(backend->allocate(64));
    backend->sum_over_ranks(memory, 16);
    backend->await_sums();
    const std::string first = text_thrown<LostDevice>([&] { backend->host_view(memory, 64); });
    const double begin = steady_seconds();
    const std::string second = text_thrown<LostDevice>([&] { backend->sum_over_ranks(memory, 16); });
    const std::string in_other = text_thrown<LostDevice>([&] { other->sum_over_ranks(memory, 16); });
    const std::string in_third = text_thrown<LostDevice>([&] { third->host_view(memory, 64); });
    const bool is_told = !first.empty() && first == second && first == in_other && first == in_third &&
                         steady_seconds() - begin < kPatienceSeconds / 2;
    return {is_told ? 1.0F : 0.0F};
  });
  for (const Ended& each : all) {
    EXPECT_EQ(each.values, std::vector<float>{1}) << each.error;
    EXPECT_LT(each.seconds, 4 * kPatienceSeconds);  // nobody takes leave of what is stuck
  }
}

TEST(LostRanksTest, TheHostIsAtMostOneStepAheadOfSumsThatNeverEnd) {
  Processes processes;
  const auto all = processes.run(2, "rank=1,hang=0", [](int rank, Board& board) -> std::vector<float> {
    const auto group = join_group({.id = relayed_id(rank, board),
                                   .device = rank,
                                   .rank = rank,
                                   .ranks = 2,
                                   .patience_seconds = kPatienceSeconds});
    const auto backend = make_backend({.device = rank});
    backend->join(*group);
    auto* const memory = static_cast<float*>(backend->allocate(64));
    const auto step = [&] {
      backend->sum_over_ranks(memory, 16);
      backend->await_sums();
    };
    step();
    return {text_thrown<LostDevice>(step).empty() ? 0.0F : 1.0F};
  });
  for (const Ended& each : all) EXPECT_EQ(each.values, std::vector<float>{1}) << each.error;
}

TEST(LostRanksTest, WithoutNcclItIsSaidBeforeAnythingIsPrepared) {
  Processes processes;
  const auto all = processes.run(1, "missing", [](int, Board&) -> std::vector<float> {
    new_group_id(false);
    return {};
  });
  EXPECT_THAT(all[0].error, AllOf(HasSubstr("NCCL is missing"), HasSubstr("LD_LIBRARY_PATH")));
}

}  // namespace
}  // namespace regatta::engine::cuda

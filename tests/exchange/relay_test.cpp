#include "regatta/exchange/relay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>

#include "regatta/base/error.hpp"
#include "regatta/exchange/shared_memory.hpp"

namespace regatta::exchange {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double long_patience_seconds = 20;
constexpr RelayGroup group_of_test{{3}, {2}, {1}, 5};
// The large one's part of a rank takes several chunks, the last one leaves ranks without elements.
const std::vector<std::size_t> tensors_of_test = {700, 1'500'000, 5};

struct Letter {
  ChunkHeader header;
  std::vector<std::byte> bytes;
};

/// Chunks come in any order.
class Network {
 public:
  explicit Network(std::size_t agents) : mail_(agents), held_(agents) {}

  RelayTransport of(std::uint32_t agent) {
    RelayTransport transport;
    transport.send = [this](AgentId to, const ChunkHeader& header, std::span<const std::byte> bytes) {
      const std::lock_guard lock(mutex_);
      if (mail_[to.value].size() >= most && header.kind != ChunkKind::poison) return false;
      if (!is_cut) mail_[to.value].push_back({header, {bytes.begin(), bytes.end()}});
      return true;
    };
    transport.receive = [this, agent]() -> std::optional<Chunk> {
      const std::lock_guard lock(mutex_);
      std::vector<Letter>& mine = mail_[agent];
      if (mine.empty()) return std::nullopt;
      std::swap(mine[random_() % mine.size()], mine.back());
      held_[agent] = std::move(mine.back());
      mine.pop_back();
      return Chunk{held_[agent].header, held_[agent].bytes};
    };
    transport.flushed = [this] { return !is_cut; };
    return transport;
  }

  void put(std::uint32_t agent, const ChunkHeader& header) {
    const std::lock_guard lock(mutex_);
    mail_[agent].push_back({header, std::vector<std::byte>(header.bytes)});
  }

  std::atomic<bool> is_cut = false;
  std::size_t most = 3;  ///< chunks on their way to an agent

 private:
  std::mutex mutex_;
  std::minstd_rand random_{7};
  std::vector<std::vector<Letter>> mail_;
  std::vector<Letter> held_;
};

float fraction(std::size_t rank, std::uint64_t step, std::size_t element) {
  return 1.0F / static_cast<float>(3 + rank * 7 + step * 31 + element % 1013);  // their sums depend on the order
}

/// Ranks of two nodes: the lower half of them, and the others.
struct Ranks {
  explicit Ranks(std::size_t count, std::size_t states = 0)
      : network(count), arena(make_arena(tensors_of_test, {.bytes = 0}, count)), stops(count) {
    arena.states = states;
    for (std::size_t rank = 0; rank < count; ++rank) members.emplace_back(arena);
    for (std::uint32_t rank = 0; rank < count; ++rank) relays.push_back(relay_of(rank));
    for (std::size_t rank = 0; rank < count; ++rank) communicators.push_back(join(rank));
  }

  std::unique_ptr<Relay> relay_of(std::uint32_t own) {
    std::vector<RelayRank> ranks;
    const std::size_t half = members.size() / 2;
    for (std::uint32_t rank = 0; rank < members.size(); ++rank)
      ranks.push_back({{rank}, members[rank].path(), rank / half != own / half});
    return std::make_unique<Relay>(group_of_test, own, std::move(ranks));
  }

  std::unique_ptr<Communicator> join(std::size_t rank) {
    std::vector<UniqueFd> opened;
    std::vector<int> fds;
    for (const std::string& path : relays[rank]->members()) {
      opened.push_back(open_shared_memory(path, 0));
      fds.push_back(opened.back().get());
    }
    // Others still have to open it: what is handed over keeps its descriptor's number.
    return make_shared_memory_communicator(arena, rank, std::move(members[rank]), fds, stops[rank].fd());
  }

  /// As an agent does while its rank computes.
  void pump(std::uint32_t rank) {
    const RelayTransport transport = network.of(rank);
    const std::lock_guard alone(agents[rank]);
    relays[rank]->pump(transport);
    if (relays[rank]->poisoned_by() || !relays[rank]->broken().empty()) stops[rank].set();
  }

  /// As an agent does whose rank failed.
  void poison(std::uint32_t rank) {
    const std::lock_guard alone(agents[rank]);
    relays[rank]->poison(network.of(rank));
  }

  Network network;
  Arena arena;
  std::array<std::mutex, 4> agents;  ///< each is one thread
  std::vector<Stop> stops;
  std::vector<Member> members;
  std::vector<std::unique_ptr<Relay>> relays;
  std::vector<std::unique_ptr<Communicator>> communicators;
};

void write_bucket(Communicator& own, std::size_t rank, std::uint64_t step, std::size_t bucket) {
  const Bucket& place = own.arena().buckets[bucket];
  for (std::size_t i = 0; i < place.count; ++i) own.gradients()[place.first + i] = fraction(rank, step, i);
}

std::size_t wrong_of(const Communicator& own, std::uint64_t step) {
  std::size_t wrong = 0;
  for (const Bucket& bucket : own.arena().buckets) {
    for (std::size_t i = 0; i < bucket.count; ++i) {
      const float low = fraction(0, step, i) + fraction(1, step, i);
      const float high = fraction(2, step, i) + fraction(3, step, i);
      wrong += own.sums()[bucket.first + i] == low + high ? 0 : 1;
    }
  }
  return wrong;
}

std::size_t take_steps(Communicator& own, std::size_t rank, std::uint64_t steps,
                       double patience = long_patience_seconds) {
  std::size_t wrong = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (std::size_t bucket = 0; bucket < own.arena().buckets.size(); ++bucket) {
      write_bucket(own, rank, step, bucket);
      own.ready(bucket);
    }
    for (std::size_t bucket = 0; bucket < own.arena().buckets.size(); ++bucket) own.wait(bucket, patience);
    wrong += wrong_of(own, step);
  }
  return wrong;
}

/// Each rank in a thread, its agent in another; what the rank failed with, or nothing.
std::vector<std::string> run_all(Ranks& ranks, const std::function<void(std::size_t rank)>& run) {
  std::vector<std::string> failures(ranks.communicators.size());
  std::atomic<std::size_t> running = failures.size();
  std::vector<std::jthread> threads;
  for (std::uint32_t rank = 0; rank < failures.size(); ++rank) {
    threads.emplace_back([&, rank] {
      try {
        run(rank);
      } catch (const ExchangeFailed& failed) {
        failures[rank] = failed.what();
      }
      --running;
    });
    threads.emplace_back([&, rank] {
      while (running > 0) {
        ranks.pump(rank);
        std::this_thread::yield();
      }
    });
  }
  threads.clear();
  return failures;
}

TEST(Relay, RanksOfTwoNodesSumInTheOrderOfTheTree) {
  Ranks ranks(4);
  std::atomic<std::size_t> wrong = 0;
  const auto failures =
      run_all(ranks, [&](std::size_t rank) { wrong += take_steps(*ranks.communicators[rank], rank, 3); });
  EXPECT_THAT(failures, testing::Each(IsEmpty()));
  EXPECT_EQ(wrong, 0);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    EXPECT_THAT(ranks.relays[rank]->broken(), IsEmpty());
    EXPECT_THAT(ranks.relays[rank]->missing(), IsEmpty());
    EXPECT_TRUE(ranks.relays[rank]->is_sent(ranks.network.of(rank)));
  }
}

/// Weights that are the sums, from whoever has the slice; how many are not.
std::size_t show_sums_as_weights(Communicator& own, std::size_t rank, std::uint64_t steps) {
  std::size_t wrong = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    wrong += take_steps(own, rank, 1);
    const Arena& arena = own.arena();
    for (std::size_t bucket = 0; bucket < arena.buckets.size(); ++bucket) {
      const std::span<float> slice = own.own_state(0, bucket);
      const std::size_t first = arena.buckets[bucket].first + rank * arena.buckets[bucket].slice;
      for (std::size_t i = 0; i < slice.size(); ++i) slice[i] = own.sums()[first + i] + static_cast<float>(step);
      own.updated(bucket);
    }
    for (std::size_t bucket = 0; bucket < arena.buckets.size(); ++bucket) {
      own.wait_for_updates(bucket, long_patience_seconds);
      const auto& [first, count, slice] = arena.buckets[bucket];
      for (std::size_t i = first; i < first + count; ++i)
        wrong += own.states(0)[i] == own.sums()[i] + static_cast<float>(step) ? 0 : 1;
    }
  }
  return wrong;
}

TEST(Relay, RanksOfTwoNodesReadTheWeightsThatOthersUpdate) {
  Ranks ranks(4, 1);
  std::atomic<std::size_t> wrong = 0;
  const auto failures =
      run_all(ranks, [&](std::size_t rank) { wrong += show_sums_as_weights(*ranks.communicators[rank], rank, 3); });
  EXPECT_THAT(failures, testing::Each(IsEmpty()));
  EXPECT_EQ(wrong, 0);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    EXPECT_THAT(ranks.relays[rank]->missing(), IsEmpty());
    EXPECT_TRUE(ranks.relays[rank]->is_sent(ranks.network.of(rank)));
  }
}

TEST(Relay, WeightsThatDoNotComeAreMissing) {
  Ranks ranks(4, 1);
  const auto failures = run_all(ranks, [&](std::size_t rank) {
    take_steps(*ranks.communicators[rank], rank, 1);
    if (rank >= 2) return;
    ranks.communicators[rank]->updated(0);
    ranks.communicators[rank]->wait_for_updates(0, 0.2);
  });
  EXPECT_THAT(failures[0], HasSubstr("rank 2 has not updated its part of bucket 0 of step 1"));
  EXPECT_THAT(ranks.relays[1]->missing(), ElementsAre(2, 3));
}

TEST(Relay, WhatBelongsToAnotherJoinIsDropped) {
  Ranks ranks(4);
  ChunkHeader late{group_of_test, 2, ChunkKind::gradients, 0, 100, 1, 0};
  late.group.join = 4;
  ranks.network.put(0, late);
  late.group = group_of_test;
  late.group.attempt = {1};
  ranks.network.put(0, late);
  late.kind = ChunkKind::poison;
  ranks.network.put(1, late);
  std::atomic<std::size_t> wrong = 0;
  const auto failures =
      run_all(ranks, [&](std::size_t rank) { wrong += take_steps(*ranks.communicators[rank], rank, 2); });
  EXPECT_THAT(failures, testing::Each(IsEmpty()));
  EXPECT_EQ(wrong, 0);
}

TEST(Relay, CutEndsByTheRanksPatience) {
  Ranks ranks(4);
  ranks.network.is_cut = true;
  const auto failures = run_all(ranks, [&](std::size_t rank) { take_steps(*ranks.communicators[rank], rank, 1, 0.2); });
  EXPECT_THAT(failures[0], HasSubstr("rank 2 has not written bucket 0 of step 1"));
  EXPECT_THAT(failures[3], HasSubstr("rank 0 has not written bucket 0 of step 1"));
  EXPECT_THAT(ranks.relays[1]->missing(), ElementsAre(2, 3));
  EXPECT_THAT(ranks.relays[2]->missing(), ElementsAre(0, 1));
  EXPECT_FALSE(ranks.relays[1]->is_sent(ranks.network.of(1)));
}

TEST(Relay, PoisonEndsTheWaitsOfAllOthers) {
  Ranks ranks(4);
  const auto failures = run_all(ranks, [&](std::size_t rank) {
    if (rank != 3) return void(take_steps(*ranks.communicators[rank], rank, 2));
    take_steps(*ranks.communicators[rank], rank, 1);
    ranks.poison(3);
  });
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(failures[rank], "the group was told to stop") << rank;
    EXPECT_EQ(ranks.relays[rank]->poisoned_by(), 3U);
  }
}

/// Relay 0's reason to break the exchange after a chunk that rank 2 sends first.
std::string broken_by(const std::function<void(ChunkHeader&)>& spoil) {
  Ranks ranks(4);
  ChunkHeader header{group_of_test, 2, ChunkKind::gradients, 0, 100, 1, 0};
  spoil(header);
  ranks.network.put(0, header);
  ranks.pump(0);
  return ranks.relays[0]->broken();
}

TEST(Relay, ChunksThatCannotBeBreakTheExchange) {
  EXPECT_EQ(broken_by([](ChunkHeader&) {}), "");
  EXPECT_THAT(broken_by([](ChunkHeader& header) { header.step = 2; }),
              HasSubstr("of step 2 of bucket 0, where 0 of 2800 bytes of step 1 had come"));
  EXPECT_THAT(broken_by([](ChunkHeader& header) { header.bucket = 3; }), HasSubstr("sent what no rank"));
  EXPECT_THAT(broken_by([](ChunkHeader& header) { header.kind = ChunkKind::weights; }), HasSubstr("sent what no rank"));
  EXPECT_THAT(broken_by([](ChunkHeader& header) { header.from = 1; }), HasSubstr("rank 1 sent what no rank"));
  EXPECT_THAT(broken_by([](ChunkHeader& header) { header.offset = ~std::uint64_t{0} - 50; }), HasSubstr("bytes from"));
  EXPECT_THAT(broken_by([](ChunkHeader& header) { header.bytes = 4000; }), HasSubstr("sent 4000 bytes"));
  EXPECT_EQ(broken_by([](ChunkHeader& header) { header.from = 9; }), "");
}

TEST(Relay, NeedsAMemberThatIsHere) {
  const Arena arena = make_arena(tensors_of_test, {}, 2);
  const Member member(arena);
  EXPECT_THROW(Relay({}, 0, {{{0}, "/proc/self/fd/0", false}, {{1}, "", true}}), InternalError);
  EXPECT_THROW(Relay({}, 1, {{{0}, member.path(), false}, {{1}, "", true}}), InternalError);
  EXPECT_THROW(Relay({}, 0, {{{0}, member.path(), false}}), InternalError) << "a rank too few";
}

}  // namespace
}  // namespace regatta::exchange

#include "regatta/exchange/shared_memory.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <csignal>
#include <functional>
#include <limits>
#include <thread>

#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"

namespace regatta::exchange {
namespace {

using testing::HasSubstr;

constexpr double patience_seconds = 20;
const std::vector<std::size_t> three_tensors = {700, 3000, 5};

Arena arena_of(std::size_t ranks, std::size_t states) {
  Arena arena = make_arena(three_tensors, {.bytes = 0}, ranks);
  arena.states = states;
  return arena;
}

/// The members of a group before they are handed to its ranks.
struct Group {
  explicit Group(std::size_t ranks, std::size_t states = 0) : arena(arena_of(ranks, states)) {
    for (std::size_t rank = 0; rank < ranks; ++rank) members.emplace_back(arena);
    for (const Member& member : members) fds.push_back(::dup(member.fd()));
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    for (const int fd : fds) ::close(fd);
  }

  std::unique_ptr<Communicator> join(std::size_t rank, NotFinite not_finite = NotFinite::fails) {
    return make_shared_memory_communicator(arena, rank, std::move(members[rank]), fds, stop.fd(), not_finite);
  }

  Arena arena;
  std::vector<Member> members;
  std::vector<int> fds;
  Stop stop;
};

float gradient(std::size_t rank, std::uint64_t step, std::size_t element) {
  return static_cast<float>((rank + 1) * 1000 + step) + static_cast<float>(element % 97);
}

void write_all(Communicator& own, std::size_t rank, std::uint64_t step, std::size_t bucket) {
  const Bucket& place = own.arena().buckets[bucket];
  for (std::size_t i = 0; i < place.count; ++i)
    own.gradients()[place.first + i] = gradient(rank, step, place.first + i);
}

/// How many elements of the sums are not what they should be.
std::size_t wrong_sums(const Communicator& own, std::uint64_t step) {
  std::size_t wrong = 0;
  for (const Bucket& bucket : own.arena().buckets) {
    for (std::size_t i = bucket.first; i < bucket.first + bucket.count; ++i) {
      float sum = 0;
      for (std::size_t rank = 0; rank < own.arena().ranks; ++rank) sum += gradient(rank, step, i);
      wrong += own.sums()[i] == sum ? 0 : 1;
    }
  }
  return wrong;
}

std::size_t run_steps(Communicator& own, std::size_t rank, std::uint64_t steps) {
  std::size_t wrong = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (std::size_t bucket = 0; bucket < own.arena().buckets.size(); ++bucket) {
      write_all(own, rank, step, bucket);
      own.ready(bucket);
    }
    for (std::size_t bucket = 0; bucket < own.arena().buckets.size(); ++bucket) own.wait(bucket, patience_seconds);
    wrong += wrong_sums(own, step);
  }
  return wrong;
}

/// Ends with what `work` returns, or by the signal that it causes.
pid_t in_child(const std::function<int()>& work) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(work());
  return pid;
}

int status_of(pid_t pid) {
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return status;
}

TEST(SharedMemoryExchange, SumsTheGradientsOfThreadsStepAfterStep) {
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    Group group(ranks);
    std::vector<std::size_t> wrong(ranks, 1);
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, own = group.join(rank), rank] { wrong[rank] = run_steps(*own, rank, 50); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<std::size_t>(ranks, 0));
  }
}

TEST(SharedMemoryExchange, SumsTheGradientsOfProcesses) {
  Group group(2);
  const pid_t peer = in_child([&] { return run_steps(*group.join(1), 1, 20) == 0 ? 0 : 1; });
  EXPECT_EQ(run_steps(*group.join(0), 0, 20), 0U);
  EXPECT_EQ(status_of(peer), 0);
}

TEST(SharedMemoryExchange, NoOtherRankCanWriteToItsMemory) {
  Group group(2);
  const Member& member = group.members[0];
  EXPECT_EQ(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, member.fd(), 0), MAP_FAILED);
  EXPECT_NE(::ftruncate(member.fd(), 0), 0);
  const pid_t wild = in_child([&] {
    std::signal(SIGSEGV, SIG_DFL);  // sanitizers have a handler of their own
    const auto own = group.join(1);
    const_cast<float*>(own->sums().data())[0] = 1;  // rank 0's slice
    return 0;
  });
  EXPECT_EQ(WTERMSIG(status_of(wild)), SIGSEGV);
}

using Wait = void (Communicator::*)(std::size_t bucket, double patience_seconds);

std::optional<ExchangeFailed> failure_of(Communicator& own, std::size_t bucket, double seconds,
                                         Wait wait = &Communicator::wait) {
  try {
    (own.*wait)(bucket, seconds);
  } catch (const ExchangeFailed& failed) {
    return failed;
  }
  return std::nullopt;
}

/// A weight, or a moment, of a slice's rank.
float state(std::size_t which, std::size_t rank, std::uint64_t step, std::size_t at) {
  return gradient(rank, step, at) + 0.5F * static_cast<float>(which);
}

std::size_t wrong_states(const Communicator& own, std::size_t which, std::uint64_t step) {
  std::size_t wrong = 0;
  for (const Bucket& bucket : own.arena().buckets) {
    for (std::size_t i = 0; i < bucket.count; ++i) {
      const float wanted = state(which, i / bucket.slice, step, i % bucket.slice);
      wrong += own.states(which)[bucket.first + i] == wanted ? 0 : 1;
    }
  }
  return wrong;
}

/// A step whose sums are there.
void sum_all(Communicator& own) {
  for (std::size_t bucket = 0; bucket < own.arena().buckets.size(); ++bucket) own.ready(bucket);
  for (std::size_t bucket = 0; bucket < own.arena().buckets.size(); ++bucket) own.wait(bucket, patience_seconds);
}

/// Every second step updates. States but weights are as the last update left them, whoever is ahead.
std::size_t update_slices(Communicator& own, std::size_t rank, std::uint64_t steps) {
  std::size_t wrong = 0;
  const std::size_t buckets = own.arena().buckets.size();
  for (std::uint64_t step = 0; step < steps; ++step) {
    sum_all(own);
    if (step % 2 == 1) continue;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      for (const std::size_t which : {0U, 1U}) {
        const std::span<float> slice = own.own_state(which, bucket);
        for (std::size_t i = 0; i < slice.size(); ++i) slice[i] = state(which, rank, step, i);
      }
      own.updated(bucket);
    }
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) own.wait_for_updates(bucket, patience_seconds);
    wrong += wrong_states(own, 0, step) + wrong_states(own, 1, step);
  }
  return wrong;
}

TEST(SharedMemoryExchange, ShowsWhatEachRankUpdates) {
  for (const std::size_t ranks : {1U, 2U, 4U, 8U}) {
    Group group(ranks, 2);
    std::vector<std::size_t> wrong(ranks, 1);
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, own = group.join(rank), rank] { wrong[rank] = update_slices(*own, rank, 20); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<std::size_t>(ranks, 0));
  }
}

TEST(SharedMemoryExchange, NoOtherRankCanWriteToItsWeights) {
  Group group(2, 1);
  const pid_t wild = in_child([&] {
    std::signal(SIGSEGV, SIG_DFL);  // sanitizers have a handler of their own
    const auto own = group.join(1);
    const_cast<float*>(own->states(0).data())[0] = 1;  // rank 0's slice
    return 0;
  });
  EXPECT_EQ(WTERMSIG(status_of(wild)), SIGSEGV);
}

/// Killed after its sums: the others have all that they need but its weights.
TEST(SharedMemoryExchange, NamesTheRankThatDiedBeforeItsUpdate) {
  Group group(2, 1);
  const pid_t dead = in_child([&] {
    sum_all(*group.join(1));
    return ::kill(::getpid(), SIGKILL);
  });
  const auto own = group.join(0);
  sum_all(*own);
  own->updated(2);
  EXPECT_EQ(WTERMSIG(status_of(dead)), SIGKILL);
  const auto failed = failure_of(*own, 2, 0.05, &Communicator::wait_for_updates);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->rank, 1U);
  EXPECT_EQ(failed->bucket, 2U);
  EXPECT_EQ(failed->step, 1U);
  EXPECT_THAT(failed->what(), HasSubstr("rank 1 has not updated its part of bucket 2 of step 1 after 0.05 s"));
}

TEST(SharedMemoryExchange, TellsWhoCameLast) {
  Group group(2);
  const auto first = group.join(0);
  const auto second = group.join(1);
  std::vector<std::int64_t> ready_ns(2);
  EXPECT_FALSE(first->arrival(0, ready_ns)) << "nobody was there yet";
  for (const bool first_is_first : {true, false, true}) {
    for (std::size_t bucket = 0; bucket < first->arena().buckets.size(); ++bucket) {
      Communicator& earlier = first_is_first ? *first : *second;
      Communicator& later = first_is_first ? *second : *first;
      earlier.ready(bucket);
      later.ready(bucket);
      earlier.wait(bucket, patience_seconds);
      later.wait(bucket, patience_seconds);
      const auto seen = first->arrival(bucket, ready_ns);
      ASSERT_TRUE(seen);
      EXPECT_EQ(ready_ns[first_is_first ? 0 : 1], seen->first_ns);
      EXPECT_EQ(ready_ns[first_is_first ? 1 : 0], seen->last_ns);
      EXPECT_EQ(seen->last_rank, first_is_first ? 1U : 0U);
      EXPECT_LE(seen->first_ns, seen->last_ns);
      EXPECT_LE(seen->last_ns, seen->summed_ns);
    }
  }
}

TEST(SharedMemoryExchange, NamesTheRankThatDidNotCome) {
  Group group(4);
  std::vector<std::unique_ptr<Communicator>> ranks;
  for (std::size_t rank = 0; rank < 4; ++rank) ranks.push_back(group.join(rank));
  for (const std::size_t rank : {0, 1, 3}) ranks[rank]->ready(1);
  const auto failed = failure_of(*ranks[0], 1, 0.05);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->rank, 2U);
  EXPECT_EQ(failed->bucket, 1U);
  EXPECT_EQ(failed->step, 1U);
  EXPECT_THAT(failed->what(), HasSubstr("rank 2 has not written bucket 1 of step 1 after 0.05 s"));
}

/// Two ranks in one thread, step by step.
struct Pair {
  explicit Pair(NotFinite not_finite) : ranks{group.join(0, not_finite), group.join(1, not_finite)} {}

  void write(float element_of_rank_1, std::size_t element, std::size_t bucket) {
    for (const auto& rank : ranks) rank->gradients()[rank->arena().buckets[bucket].first + element] = 1;
    ranks[1]->gradients()[group.arena.buckets[bucket].first + element] = element_of_rank_1;
    for (const auto& rank : ranks) rank->ready(bucket);
  }
  std::vector<std::optional<ExchangeFailed>> failures(std::size_t bucket) {
    std::vector<std::optional<ExchangeFailed>> found;
    for (const auto& rank : ranks) found.push_back(failure_of(*rank, bucket, 0.02));
    return found;
  }

  Group group{2};
  std::array<std::unique_ptr<Communicator>, 2> ranks;
};

TEST(SharedMemoryExchange, NamesTheRankWhoseNumbersAreNoneAndLetsNobodyGoOn) {
  for (const std::size_t summed_by : {0U, 1U}) {
    Pair pair(NotFinite::fails);
    const Bucket& bucket = pair.group.arena.buckets[1];
    pair.write(2, 0, 1);
    EXPECT_FALSE(pair.failures(1)[summed_by]) << "the first step is sound";
    pair.write(std::nanf(""), summed_by * bucket.slice + 3, 1);
    const auto failures = pair.failures(1);
    ASSERT_TRUE(failures[summed_by]);
    EXPECT_THAT(failures[summed_by]->what(), HasSubstr("rank 1 wrote nan to bucket 1 of step 2"));
    ASSERT_TRUE(failures[1 - summed_by]);
    EXPECT_THAT(failures[1 - summed_by]->what(), HasSubstr("has not summed its part of bucket 1 of step 2"));
  }
}

TEST(SharedMemoryExchange, TellsSumsThatAreTooLarge) {
  Pair pair(NotFinite::fails);
  pair.ranks[0]->gradients()[0] = std::numeric_limits<float>::max();
  pair.ranks[1]->gradients()[0] = std::numeric_limits<float>::max();
  for (const auto& rank : pair.ranks) rank->ready(0);
  const auto failed = pair.failures(0)[0];
  ASSERT_TRUE(failed);
  EXPECT_FALSE(failed->rank);
  EXPECT_THAT(failed->what(), HasSubstr("bucket 0 add up to no finite number in step 1"));
}

TEST(SharedMemoryExchange, LetsATrainingDiverge) {
  Pair pair(NotFinite::passes);
  pair.write(std::nanf(""), 0, 0);
  for (const auto& failed : pair.failures(0)) EXPECT_FALSE(failed);
  EXPECT_TRUE(std::isnan(pair.ranks[0]->sums()[0]));
}

TEST(SharedMemoryExchange, NamesTheRankWhoseControlWordsWereWrittenOver) {
  for (const std::uint64_t wild : {std::uint64_t{0}, std::uint64_t{17}, ~std::uint64_t{0}}) {
    for (const std::size_t word : {0U, 1U}) {  // written, summed
      Group group(2);
      std::byte* const memory = group.members[1].memory();
      const std::array ranks = {group.join(0), group.join(1)};
      for (std::size_t step = 1; step < 4; ++step) {
        for (const auto& rank : ranks) rank->ready(0);
        for (const auto& rank : ranks) rank->wait(0, patience_seconds);
      }
      for (const auto& rank : ranks) rank->ready(0);
      reinterpret_cast<std::uint64_t*>(memory)[word] = wild;
      const auto failed = failure_of(*ranks[0], 0, 0.05);
      ASSERT_TRUE(failed) << wild << " " << word;
      EXPECT_EQ(failed->rank, 1U);
      EXPECT_THAT(
          failed->what(),
          HasSubstr(fmt::format("rank 1 says that it is at step {} of bucket 0 while the others are at step 4", wild)));
    }
  }
}

TEST(SharedMemoryExchange, EndsAllWaitsOfAGroupThatIsToldToStop) {
  Group group(2);
  const auto own = group.join(0);
  own->ready(0);
  std::thread supervisor([&] {
    ::usleep(20000);
    group.stop.set();
  });
  const auto failed = failure_of(*own, 0, patience_seconds);
  supervisor.join();
  ASSERT_TRUE(failed);
  EXPECT_FALSE(failed->rank);
  own->updated(0);
  const auto without_weights = failure_of(*own, 0, patience_seconds, &Communicator::wait_for_updates);
  ASSERT_TRUE(without_weights);
  EXPECT_FALSE(without_weights->rank);
}

TEST(SharedMemoryExchange, DoesNotCountTheTimeForWhichItWasStopped) {
  Group group(2);
  const pid_t waiting = in_child([&] {
    const auto own = group.join(0);
    own->ready(0);
    return failure_of(*own, 0, 1) ? 1 : 0;
  });
  ::usleep(50000);
  ::kill(waiting, SIGSTOP);
  ::usleep(1200000);  // longer than its patience
  ::kill(waiting, SIGCONT);
  const auto own = group.join(1);
  own->ready(0);
  own->wait(0, patience_seconds);
  EXPECT_EQ(status_of(waiting), 0);
}

TEST(SharedMemoryExchange, RefusesAMemberOfAnotherArena) {
  Group group(2);
  const Member other(make_arena(std::vector<std::size_t>{5}, {}, 2));
  EXPECT_THROW(make_shared_memory_communicator(group.arena, 0, std::move(group.members[0]), {group.fds[0], other.fd()},
                                               group.stop.fd()),
               InternalError);
}

TEST(SharedMemoryExchange, IsStoppedByWhoeverHasItsPath) {
  Group group(2);
  const auto own = group.join(0);
  EXPECT_FALSE(group.stop.is_set());
  Stop(group.stop.path()).set();
  EXPECT_TRUE(group.stop.is_set());
  own->ready(0);
  EXPECT_THROW(own->wait(0, patience_seconds), ExchangeFailed);
}

}  // namespace
}  // namespace regatta::exchange

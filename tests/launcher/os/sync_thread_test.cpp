#include "os/sync_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

std::uint64_t completed_within(SyncThread& thread, std::uint64_t generation, double seconds) {
  const Deadline deadline = Deadline::after(seconds);
  while (thread.completed() < generation && !deadline.passed()) {
  }
  return thread.completed();
}

TEST(SyncThread, CompletesWhatWasRequested) {
  std::atomic<int> syncs = 0;
  SyncThread thread([&] { ++syncs; });
  EXPECT_EQ(thread.completed(), 0U);
  thread.request(3);
  EXPECT_EQ(completed_within(thread, 3, 10), 3U);
  EXPECT_EQ(syncs, 1);  // one sync serves all that waits
}

TEST(SyncThread, TellsAFailureEveryTimeAndNeverSyncsAgain) {
  std::atomic<int> syncs = 0;
  SyncThread thread([&] {
    ++syncs;
    throw StorageError("disk");
  });
  thread.request(1);
  EXPECT_THROW(completed_within(thread, 1, 10), StorageError);
  thread.request(2);
  EXPECT_THROW(completed_within(thread, 2, 10), StorageError);
  EXPECT_EQ(syncs, 1);
}

TEST(SyncThread, KnowsHowLongItsSyncsTook) {
  SyncThread thread([] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
  EXPECT_EQ(thread.times().count(), 0U);
  for (std::uint64_t generation = 1; generation <= 2; ++generation) {
    thread.request(generation);
    EXPECT_EQ(completed_within(thread, generation, 10), generation);
  }
  EXPECT_EQ(thread.times().count(), 2U);
  EXPECT_GE(thread.times().most(), 0.005);
}

TEST(SyncThread, GathersWhatComesSoonAfterASync) {
  std::atomic<int> syncs = 0;
  SyncThread thread([&] { ++syncs; }, 3600);
  thread.request(1);
  EXPECT_EQ(completed_within(thread, 1, 10), 1U) << "the first one waits for nothing";
  for (std::uint64_t generation = 2; generation <= 100; ++generation) thread.request(generation);
  EXPECT_EQ(syncs, 1);
}

TEST(SyncThread, DoesNotWaitToGatherWhenItEnds) {
  std::atomic<int> syncs = 0;
  {
    SyncThread thread([&] { ++syncs; }, 3600);
    thread.request(1);
    EXPECT_EQ(completed_within(thread, 1, 10), 1U);
    thread.request(2);
  }
  EXPECT_EQ(syncs, 2);
}

TEST(SyncThread, FinishesWhatWasRequestedBeforeItEnds) {
  std::atomic<int> syncs = 0;
  {
    SyncThread thread([&] { ++syncs; });
    thread.request(1);
  }
  EXPECT_EQ(syncs, 1);
}

}  // namespace
}  // namespace regatta::launcher

#include "regatta/data/loader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "data/arrays.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/shared_memory.hpp"

namespace regatta::data {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;

constexpr std::int64_t sample_count = 103;

/// Row i holds i, i + 0.5; label i is 2 i.
std::vector<Array> arrays() {
  std::vector<float> x;
  std::vector<std::int64_t> y;
  for (std::int64_t i = 0; i < sample_count; ++i) {
    x.push_back(static_cast<float>(i));
    x.push_back(static_cast<float>(i) + 0.5F);
    y.push_back(2 * i);
  }
  return {array_of("x", ElementType::float32, {2}, x), array_of("y", ElementType::int64, {}, y)};
}

LoaderOptions options_with(int threads, std::int64_t depth = 0) {
  LoaderOptions options;
  options.plan.batch = 8;
  options.plan.seed = 11;
  options.threads = threads;
  options.depth = depth;
  options.fields.resize(2);
  options.fields[1].type = ElementType::int32;
  return options;
}

struct Seen {
  std::vector<float> x;
  std::vector<std::int32_t> y;
  bool operator==(const Seen&) const = default;
};

Seen take(Loader& loader, int steps) {
  Seen seen;
  for (int i = 0; i < steps; ++i) {
    const auto batch = loader.next();
    const auto count = static_cast<std::size_t>(batch->count);
    for (const float value : numbers_at<float>(batch->fields[0], 2 * count)) seen.x.push_back(value);
    for (const std::int32_t label : numbers_at<std::int32_t>(batch->fields[1], count)) seen.y.push_back(label);
  }
  return seen;
}

Seen taken(const LoaderOptions& options, int steps) {
  Loader loader(arrays(), options);
  return take(loader, steps);
}

TEST(Loader, GivesWhatThePlanOrders) {
  LoaderOptions options = options_with(1);
  options.plan.tail = Tail::keep;
  Loader loader(arrays(), options);
  Plan plan = options.plan;
  plan.samples = sample_count;
  for (std::int64_t step = 0; step < 3 * steps_per_epoch(plan); ++step) {
    const Position position = position_at(plan, step);
    std::vector<std::uint32_t> expected(static_cast<std::size_t>(share_of(plan, position.step).count));
    EpochOrder(plan, position.epoch).samples_of(position.step, expected);
    const auto batch = loader.next();
    ASSERT_EQ(batch->position, position);
    ASSERT_EQ(batch->count, static_cast<std::int64_t>(expected.size()));
    const auto x = numbers_at<float>(batch->fields[0], 2 * expected.size());
    const auto y = numbers_at<std::int32_t>(batch->fields[1], expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(x[2 * i], static_cast<float>(expected[i]));
      ASSERT_EQ(x[2 * i + 1], static_cast<float>(expected[i]) + 0.5F);
      ASSERT_EQ(y[i], static_cast<std::int32_t>(2 * expected[i]));
    }
  }
}

TEST(Loader, GivesTheSameWithAnyThreadsAndDepth) {
  const Seen alone = taken(options_with(0), 60);
  for (const int threads : {1, 2, 4})
    for (const std::int64_t depth : {2, 3, 8, 0, 40}) EXPECT_EQ(taken(options_with(threads, depth), 60), alone);
}

TEST(Loader, GivesRanksTogetherWhatOneGives) {
  const Seen alone = taken(options_with(1), 30);
  for (const std::int64_t ranks : {2, 4}) {
    std::vector<std::unique_ptr<Loader>> loaders;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      LoaderOptions options = options_with(1);
      options.plan.ranks = ranks;
      options.plan.rank = rank;
      loaders.push_back(std::make_unique<Loader>(arrays(), options));
    }
    Seen together;
    for (int step = 0; step < 30; ++step) {
      for (const auto& loader : loaders) {
        const Seen part = take(*loader, 1);
        together.x.insert(together.x.end(), part.x.begin(), part.x.end());
        together.y.insert(together.y.end(), part.y.begin(), part.y.end());
      }
    }
    EXPECT_EQ(together, alone);
  }
}

TEST(Loader, GoesOnWhereAnotherOneEnded) {
  Loader whole(arrays(), options_with(2));
  take(whole, 17);
  EXPECT_EQ(whole.steps_done(), 17);
  LoaderOptions later = options_with(1, 3);
  later.first_step = whole.steps_done();
  EXPECT_EQ(taken(later, 20), take(whole, 20));
}

TEST(Loader, MirrorsTheSameSamplesWithAnyThreads) {
  LoaderOptions options = options_with(0);
  options.fields[0].flips = true;
  const Seen alone = taken(options, 40);
  options.threads = 2;
  EXPECT_EQ(taken(options, 40), alone);
  EXPECT_NE(alone, taken(options_with(0), 40));
}

TEST(Loader, KeepsSeveralBatchesWhereTheyAre) {
  Loader loader(arrays(), options_with(2, 8));
  std::vector<Loader::Lease> held;
  for (int i = 0; i < 5; ++i) held.push_back(loader.next());
  const auto first = numbers_at<float>(held.front()->fields[0], 16);
  held.erase(held.begin() + 1, held.end());
  EXPECT_EQ(numbers_at<float>(held.front()->fields[0], 16), first);
}

TEST(Loader, SaysThatAllBatchesAreHeld) {
  Loader loader(arrays(), options_with(1, 4));
  std::vector<Loader::Lease> held;
  for (std::int64_t i = 0; i < loader.depth(); ++i) held.push_back(loader.next());
  EXPECT_THROW(loader.next(), InternalError);
  held.clear();
  loader.next();
}

TEST(Loader, TellsWhatWentWrongInItsThreads) {
  for (const int threads : {0, 2}) {
    std::vector<Array> wide = arrays();
    wide[1] = array_of("y", ElementType::int64, {}, std::vector<std::int64_t>(sample_count, std::int64_t{1} << 40));
    Loader loader(wide, options_with(threads));
    EXPECT_THROW(loader.next(), InputError);
    EXPECT_THROW(loader.next(), InputError);
  }
}

TEST(Loader, CanBeGivenUpAtAnyTime) {
  for (int taken = 0; taken < 40; ++taken) {
    Loader loader(arrays(), options_with(2, 6));
    take(loader, taken % 9);
  }
}

TEST(Headspace, ReplaysTheFirstBatches) {
  LoaderOptions options = options_with(1, 4);
  options.is_headspace = true;
  Loader loader(arrays(), options);
  const auto depth = static_cast<int>(loader.depth());
  const Seen first = take(loader, depth);
  EXPECT_EQ(take(loader, depth), first);
  EXPECT_EQ(take(loader, depth), first);
  EXPECT_EQ(loader.steps_done(), 3 * depth);
}

/// A file of zeros of which no page is in memory: nothing was ever written to it.
class SparseFile : public testing::Test {
 protected:
  SparseFile() : path_(testing::TempDir() + "sparse-" + std::to_string(::getpid())) {
    std::ofstream(path_).close();
    std::filesystem::resize_file(path_, bytes);
  }
  ~SparseFile() override { std::filesystem::remove(path_); }

  [[nodiscard]] Array mapped() const {
    const FileBytes file = map_file(path_);
    Array array = array_of<float>("x", ElementType::float32, {1024}, std::vector<float>(1024));
    array.first = reinterpret_cast<const std::byte*>(file.bytes.data());
    array.count = bytes / 4096;
    array.owner = file.owner;
    return array;
  }

  static constexpr std::int64_t bytes = 1 << 20;
  std::string path_;
};

TEST_F(SparseFile, IsReadByThreadsThatMayWait) {
  LoaderOptions options;
  options.plan.batch = 16;
  options.fields.resize(1);
  options.read_threads = 2;
  Loader loader({mapped()}, options);
  for (int i = 0; i < 100; ++i) {
    const auto batch = loader.next();
    EXPECT_THAT(numbers_at<float>(batch->fields[0], 16 * 1024), Each(0.0F));
  }
  EXPECT_GT(loader.times().read_seconds, 0);
}

TEST(Loader, CountsWhereItsTimeWent) {
  for (const int threads : {0, 1}) {
    Loader loader(arrays(), options_with(threads, 4));
    take(loader, 100);
    const LoaderTimes times = loader.times();
    EXPECT_EQ(times.batches, 100);
    EXPECT_GT(times.decode_seconds, 0) << "labels become int32";
    EXPECT_GT(times.collate_seconds, 0);
    EXPECT_EQ(times.read_seconds, 0);
    EXPECT_GT(times.wait_seconds + times.consume_seconds, 0);
  }
}

TEST(Loader, DecodesNothingWhereItOnlyCopies) {
  LoaderOptions options = options_with(1, 4);
  options.fields[1].type.reset();
  Loader loader(arrays(), options);
  take(loader, 100);
  EXPECT_EQ(loader.times().decode_seconds, 0);
  EXPECT_GT(loader.times().collate_seconds, 0);
}

/// The loader's times while the caller slept, once all places are full.
LoaderTimes slept(const Loader& loader, int threads) {
  constexpr auto nap = std::chrono::milliseconds(20);
  const Deadline patience = Deadline::after(30);
  for (;;) {
    const LoaderTimes before = loader.times();
    std::this_thread::sleep_for(nap);
    const LoaderTimes times = loader.times() - before;
    const bool is_full = times.slot_wait_seconds >= threads * std::chrono::duration<double>(nap).count();
    const bool is_still = times.decode_seconds + times.collate_seconds == 0;
    if ((is_full && is_still) || patience.passed()) return times;
  }
}

TEST(Loader, CountsThreadsThatHaveNoPlaceToFill) {
  for (const int threads : {0, 2}) {
    Loader loader(arrays(), options_with(threads, 4));
    take(loader, 1);
    const LoaderTimes times = slept(loader, threads);
    EXPECT_EQ(times.batches, 0);
    EXPECT_EQ(times.decode_seconds + times.collate_seconds, 0) << "there was nothing to make";
    EXPECT_EQ(times.slot_wait_seconds > 0, threads > 0) << "nobody waits where there is no thread";
  }
}

TEST(Loader, CountsNoTimeBeforeItBegan) {
  const double begin = steady_seconds();
  Loader loader(arrays(), options_with(1, 4));
  const double waited = loader.times().slot_wait_seconds;
  EXPECT_LE(waited, steady_seconds() - begin);
}

TEST(Slab, HasTheSizeThatItSays) {
  const Loader loader(arrays(), options_with(1, 8));
  EXPECT_EQ(loader.depth(), 8);
  EXPECT_EQ(loader.slab_bytes(), 8U * (64 + 64));  // 8 rows of 8 bytes; 8 labels of 4, up to a line
}

TEST(Slab, StaysBelowTheMemoryThatItMayTake) {
  LoaderOptions options = options_with(1);
  options.memory_bytes = 700;
  const Loader loader(arrays(), options);
  EXPECT_LE(loader.slab_bytes(), 700U);
  options.depth = 8;
  EXPECT_THROW(Loader(arrays(), options), InputError);
  options.depth = 0;
  options.memory_bytes = 200;
  EXPECT_THROW(Loader(arrays(), options), InputError);
}

TEST(Slab, HoldsBatchesAtLineBoundaries) {
  Loader loader(arrays(), options_with(1));
  for (int i = 0; i < 20; ++i) {
    const auto batch = loader.next();
    for (const std::byte* field : batch->fields) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(field) % 64, 0U);
  }
}

TEST(Slab, ThatIsSharedShowsAnotherMappingWhatThePrivateOneHolds) {
  for (const int threads : {0, 1, 2}) {
    for (const std::int64_t depth : {0, 2, 7}) {
      LoaderOptions options = options_with(threads, depth);
      options.first_step = 5;
      Loader plain(arrays(), options);
      options.is_shared = true;
      Loader loader(arrays(), options);
      const SharedSlab slab = loader.shared();
      const auto mapped = map_shared(slab.fd, slab.bytes, PROT_READ);
      for (std::int64_t k = 0; k < 70; ++k) {
        const auto batch = loader.next();
        const auto expected = plain.next();
        const std::byte* const place = mapped.get() + static_cast<std::uint64_t>(k % loader.depth()) * slab.batch_bytes;
        for (std::size_t i = 0; i < 2; ++i) {
          const std::size_t bytes = 8 * row_bytes(loader.fields()[i]);
          ASSERT_EQ(numbers_at<char>(place + slab.field_offsets[i], bytes),
                    numbers_at<char>(expected->fields[i], bytes))
              << "batch " << k << ", field " << i;
        }
      }
    }
  }
}

TEST(Slab, ThatIsSharedHasAPageBehindTheBatchesAndKeepsItsSize) {
  LoaderOptions options = options_with(1, 8);
  options.is_shared = true;
  const Loader loader(arrays(), options);
  const SharedSlab slab = loader.shared();
  EXPECT_EQ(loader.slab_bytes(), 8U * (64 + 64)) << "what batches take is counted as ever";
  EXPECT_GE(slab.page_offset, loader.slab_bytes());
  EXPECT_EQ(slab.page_offset + shared_page_bytes, slab.bytes);
  slab.page[0] = std::byte{1};
  EXPECT_EQ(map_shared(slab.fd, slab.bytes, PROT_READ).get()[slab.page_offset], std::byte{1});
  EXPECT_NE(::ftruncate(slab.fd, 0), 0);
}

TEST(Slab, ThatIsPrivateCannotBeShared) {
  const Loader loader(arrays(), options_with(1));
  EXPECT_THROW(static_cast<void>(loader.shared()), InternalError);
}

TEST(Loader, TellsWhetherItHasRoomAndWhetherABatchIsReady) {
  for (const int threads : {0, 1, 2}) {
    Loader loader(arrays(), options_with(threads, 6));
    std::vector<Loader::Lease> held;
    EXPECT_TRUE(loader.has_room());
    while (loader.has_room()) held.push_back(loader.next());
    EXPECT_THROW(loader.next(), InternalError);
    EXPECT_GT(held.size(), 1U);
    EXPECT_LE(held.size(), 6U);
    held.clear();
    EXPECT_TRUE(loader.has_room());
    if (threads == 0) {
      EXPECT_FALSE(loader.is_ready()) << "next() will make it";
      continue;
    }
    const Deadline deadline = Deadline::after(20);
    while (!loader.is_ready() && !deadline.passed()) ::usleep(100);
    EXPECT_TRUE(loader.is_ready());
  }
}

TEST(Loader, HasNoBatchReadyWhereMakingItFails) {
  std::vector<Array> wide = arrays();
  wide[1] = array_of("y", ElementType::int64, {}, std::vector<std::int64_t>(sample_count, std::int64_t{1} << 40));
  Loader loader(wide, options_with(1));
  EXPECT_THROW(loader.next(), InputError);
  EXPECT_TRUE(loader.has_room());
  EXPECT_FALSE(loader.is_ready());
}

TEST(Loader, RefusesArraysThatDoNotBelongTogether) {
  std::vector<Array> uneven = arrays();
  uneven[1].count -= 1;
  try {
    const Loader loader(uneven, options_with(1));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'x' has 103 rows and 'y' 102"));
  }
  EXPECT_THROW(Loader({}, LoaderOptions()), InputError);
}

}  // namespace
}  // namespace regatta::data

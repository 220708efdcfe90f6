#include "data/loader/slots.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/base/error.hpp"

namespace regatta::data {
namespace {

LoaderOptions slots_options(int threads, std::int64_t depth = 0) {
  LoaderOptions options;
  options.threads = threads;
  options.depth = depth;
  return options;
}

std::size_t batches_of(const Slots& slots) { return slots.chunks.size() * slots.chunks.front().batches.size(); }

TEST(Slots, HaveAChunkForEachThreadOneThatIsReadAndTheNext) {
  EXPECT_EQ(make_slots(slots_options(1), {1000}).chunks.size(), 3U);
  EXPECT_EQ(make_slots(slots_options(3), {1000}).chunks.size(), 5U);
  EXPECT_EQ(make_slots(slots_options(3, 4), {1000}).chunks.size(), 4U) << "a chunk has a batch";
}

TEST(Slots, HoldWhatIsUsualUnlessADepthIsAskedFor) {
  EXPECT_EQ(batches_of(make_slots(slots_options(2), {1 << 20})), 4U);
  EXPECT_EQ(batches_of(make_slots(slots_options(2), {64})), 1024U);
  for (const std::int64_t depth : {2, 7, 8, 12, 101})
    EXPECT_EQ(batches_of(make_slots(slots_options(1, depth), {64})), static_cast<std::size_t>(depth));
}

TEST(Slots, WithoutThreadsAreAsManyAsTheNearestCacheHolds) {
  const Slots slots = make_slots(slots_options(0), {1024});
  EXPECT_EQ(slots.chunks.front().batches.size(), 32U);
  EXPECT_GE(make_slots(slots_options(0), {1 << 20}).chunks.size(), 2U);
}

TEST(Slots, LieApart) {
  for (const bool is_shared : {false, true}) {
    LoaderOptions options = slots_options(1, 4);
    options.is_shared = is_shared;
    const Slots slots = make_slots(options, {100, 4});
    const std::byte* end = slots.slab.get();
    for (const Chunk& chunk : slots.chunks) {
      for (const LoadedBatch& batch : chunk.batches) {
        EXPECT_EQ(batch.fields[0], end);
        EXPECT_EQ(batch.fields[1], end + 128);
        end += 192;
      }
    }
    EXPECT_EQ(slots.slab.get() + slots.bytes, end);
  }
}

TEST(Slots, ThatAreSharedTellWhereTheyLie) {
  LoaderOptions options = slots_options(1, 4);
  options.is_shared = true;
  const SharedSlab shared = shared_slab(make_slots(options, {100, 4}));
  EXPECT_EQ(shared.batch_bytes, 192U);
  EXPECT_THAT(shared.field_offsets, testing::ElementsAre(0U, 128U));
  EXPECT_EQ(shared.page_offset, shared_page_bytes) << "four batches lie before it";
}

TEST(Slots, StayBelowTheMemoryThatTheyMayTake) {
  LoaderOptions options = slots_options(1);
  options.memory_bytes = 1000;
  EXPECT_LE(make_slots(options, {100}).bytes, 1000U);
  options.memory_bytes = 200;
  try {
    make_slots(options, {100});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("2 batches of 128 B take 256 B (the limit is 200 B"));
  }
}

}  // namespace
}  // namespace regatta::data

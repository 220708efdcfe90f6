#include "data/loader/filling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "data/arrays.hpp"
#include "regatta/base/error.hpp"

namespace regatta::data {
namespace {

using testing::ElementsAre;

Recipe recipe_of(Tail tail, bool flips = false) {
  LoaderOptions options;
  options.plan.batch = 2;
  options.plan.tail = tail;
  options.plan.shuffles = false;
  options.fields.resize(1);
  options.fields[0].flips = flips;
  return make_recipe({array_of<std::int32_t>("x", ElementType::int32, {2}, {0, 1, 10, 11, 20, 21})}, options);
}

Slots slots_of(const Recipe& recipe, std::int64_t depth) {
  LoaderOptions options = recipe.options;
  options.threads = 0;
  options.depth = depth;
  return make_slots(options, batch_bytes(recipe));
}

std::vector<std::int32_t> numbers_in(const LoadedBatch& batch) {
  return numbers_at<std::int32_t>(batch.fields[0], static_cast<std::size_t>(2 * batch.count));
}

TEST(Filling, GoesOnOverTheEndOfAnEpoch) {
  const Recipe recipe = recipe_of(Tail::keep);
  Slots slots = slots_of(recipe, 4);
  Chunk& chunk = slots.chunks.front();
  chunk.first_step = 1;
  read_chunk(recipe, chunk);
  fill_chunk(recipe, chunk);
  EXPECT_THAT(numbers_in(chunk.batches[0]), ElementsAre(20, 21));
  EXPECT_EQ(chunk.batches[0].position, (Position{0, 1}));
  EXPECT_THAT(numbers_in(chunk.batches[1]), ElementsAre(0, 1, 10, 11));
  EXPECT_EQ(chunk.batches[1].position, (Position{1, 0}));
}

TEST(Filling, SaysHowManySamplesCount) {
  const Recipe recipe = recipe_of(Tail::pad);
  Slots slots = slots_of(recipe, 4);
  Chunk& chunk = slots.chunks.front();
  fill_chunk(recipe, chunk);
  EXPECT_EQ(chunk.batches[0].valid, 2);
  EXPECT_THAT(numbers_in(chunk.batches[1]), ElementsAre(20, 21, 0, 1));
  EXPECT_EQ(chunk.batches[1].valid, 1);
}

TEST(Filling, DrawsAnewInEachEpochWhatIsMirrored) {
  const Recipe recipe = recipe_of(Tail::keep, true);
  Slots slots = slots_of(recipe, 64);
  bool is_plain = false, is_mirrored = false;
  Chunk& chunk = slots.chunks.front();
  fill_chunk(recipe, chunk);
  for (std::size_t epoch = 0; epoch < 16; ++epoch) {
    const std::int32_t first = numbers_in(chunk.batches[2 * epoch]).front();
    is_plain |= first == 0;
    is_mirrored |= first == 1;
  }
  EXPECT_TRUE(is_plain && is_mirrored);
}

TEST(Filling, TellsWhatIsDecodedFromWhatIsCopied) {
  const Recipe copied = recipe_of(Tail::keep);
  Slots slots = slots_of(copied, 64);
  const FillTimes plain = fill_chunk(copied, slots.chunks.front());
  EXPECT_EQ(plain.decode_seconds, 0);
  EXPECT_GT(plain.collate_seconds, 0);
  const Recipe mirrored = recipe_of(Tail::keep, true);
  const FillTimes decoded = fill_chunk(mirrored, slots.chunks.front());
  EXPECT_GT(decoded.decode_seconds, 0);
  EXPECT_GT(decoded.collate_seconds, 0) << "the order";
}

/// More samples than are drawn at once, in batches of which the last ones are smaller.
TEST(Filling, MakesTheSameWhetherManyBatchesAreDrawnAtOnceOrEachAlone) {
  std::vector<std::int32_t> values(7001);
  std::iota(values.begin(), values.end(), 0);
  const Array array = array_of("x", ElementType::int32, {}, std::move(values));
  const auto made = [&](ElementType type) {
    LoaderOptions options;
    options.plan.batch = 300;
    options.plan.seed = 5;
    options.plan.tail = Tail::keep;
    options.fields.resize(1);
    options.fields[0].type = type;
    const Recipe recipe = make_recipe({array}, options);
    Slots slots = slots_of(recipe, 100);
    Chunk& chunk = slots.chunks.front();
    fill_chunk(recipe, chunk);
    std::vector<std::int64_t> rows;
    for (const LoadedBatch& batch : chunk.batches) {
      const auto count = static_cast<std::size_t>(batch.count);
      if (type == ElementType::int32)
        for (const auto row : numbers_at<std::int32_t>(batch.fields[0], count)) rows.push_back(row);
      else
        for (const auto row : numbers_at<float>(batch.fields[0], count)) rows.push_back(static_cast<std::int64_t>(row));
    }
    return rows;
  };
  const auto alone = made(ElementType::int32);
  EXPECT_GT(alone.size(), 7001U);
  EXPECT_EQ(made(ElementType::float32), alone);
}

TEST(Recipes, RefuseBatchesThatNoMemoryHolds) {
  LoaderOptions options;
  options.plan.batch = std::int64_t{1} << 31;
  options.plan.tail = Tail::pad;
  options.fields.resize(1);
  Array wide = array_of<float>("x", ElementType::float32, {1}, std::vector<float>(4));
  wide.shape = {std::int64_t{1} << 40};  // as a file may claim
  EXPECT_THROW(batch_bytes(make_recipe({wide}, options)), InputError);
}

TEST(Recipes, RefuseWhatCannotBeLoaded) {
  LoaderOptions options;
  options.fields.resize(1);
  options.threads = -1;
  const Array array = array_of<float>("x", ElementType::float32, {1}, std::vector<float>(64));
  EXPECT_THROW(make_recipe({array}, options), InputError);
  options.threads = most_loader_threads + 1;
  EXPECT_THROW(make_recipe({array}, options), InputError);
  options.threads = 1;
  options.first_step = most_steps + 1;
  EXPECT_THROW(make_recipe({array}, options), InputError);
  options.first_step = 0;
  EXPECT_EQ(make_recipe({array}, options).options.plan.samples, 64);
  Array empty = array;
  empty.shape = {0};
  EXPECT_THROW(make_recipe({empty}, options), InputError);
}

}  // namespace
}  // namespace regatta::data
